"""A credential spec written into the pod itself.

What it flags: gmsaCredentialSpec without gmsaCredentialSpecName beside it.
Why it fails: the webhook that lets a namespace use a gMSA knows objects by their name, and refuses a
spec without one.
Example: `gmsaCredentialSpec: '{"CmsPlugins": ...}'` alone.
Instead: make a GMSACredentialSpec and set gmsaCredentialSpecName.
Sources: kubernetes-sigs/windows-gmsa, admission webhook; kubernetes/website, Configure GMSA.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, windows_options
from transom.workload.rule import Hit, declare

RULE = declare("WIN066", "gmsa-without-name")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per place with a spec and no name."""
    places = [(pod.spec, (*pod.path, "spec"))]
    places += ((container.value, container.path) for container in pod.containers)
    for holder, path in places:
        options = windows_options(holder)
        if options.get("gmsaCredentialSpec") and not options.get("gmsaCredentialSpecName"):
            yield Hit((*path, "securityContext", "windowsOptions", "gmsaCredentialSpec"))
