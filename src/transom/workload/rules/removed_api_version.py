"""An API version that this Kubernetes no longer serves.

What it flags: an object with Windows pods written in a version of its API that was removed, as old
Windows samples are.
Why it fails: the API server does not know the kind in that version any more.
Example: `apiVersion: extensions/v1beta1`, kind Deployment.
Instead: write it in the version that replaced it.
Sources: kubernetes/website, Deprecated API migration guide.
"""

from collections.abc import Iterator

from transom.facts.rows import read
from transom.model.version import Version
from transom.workload.context import LintContext
from transom.workload.pods import ObjectView
from transom.workload.rule import Hit, declare

RULE = declare("WIN209", "removed-api-version")


def check(view: ObjectView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a version that is gone."""
    # A stable version is never removed, and most objects are written in one.
    if "alpha" not in view.api_version and "beta" not in view.api_version:
        return
    from transom.facts.removed import RemovedApi

    for row in read(RemovedApi):
        if row.api_version != view.api_version or view.kind not in row.object_kinds:
            continue
        if Version.parse(row.removed) <= ctx.kubernetes:
            found = f"{view.api_version} {view.kind}, gone since {row.removed}"
            yield Hit((*view.path, "apiVersion"), found, fix=f"Write {row.replacement}.")
