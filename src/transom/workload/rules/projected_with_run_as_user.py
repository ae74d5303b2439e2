"""Projected volumes in a pod that runs as a user of its own.

What it flags: a projected volume in a Windows pod that sets runAsUserName.
Why it fails: the kubelet does not change the ownership of projected files on Windows.
Example: a service account token read as ContainerUser.
Instead: expect read and execute only, or run as an administrator.
Sources: kubernetes/website, Projected volumes, SecurityContext interactions.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN137", "projected-with-run-as-user")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per projected volume."""
    users = {pod.effective_windows_option(item, "runAsUserName") for item in pod.containers}
    named = sorted(str(user) for user in users if user)
    if not named:
        return
    for index, volume in enumerate(sequence(pod.spec.get("volumes"))):
        if "projected" in mapping(volume):
            yield Hit(pod.spec_path("volumes", index, "projected"), f"as {named[0]}")
