"""A volume that is to grow while a Windows pod uses it.

What it flags: a claim of a Windows pod that asks for more than its volume has.
Why it fails: what grows the file system on a Windows node is not there for volumes in tree; only
some CSI drivers do it.
Example: a dump with `requests.storage: 20Gi` and `status.capacity.storage: 10Gi`.
Instead: use a CSI driver that expands volumes on Windows, or make a larger claim and copy.
Sources: kubernetes/website, Windows storage.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.field_values import read_quantity
from transom.workload.pods import ObjectView, mapping
from transom.workload.rule import Hit, declare

RULE = declare("WIN134", "volume-being-expanded")


def check(claim: ObjectView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit; the engine keeps it only where a Windows pod uses the claim."""
    spec, status = (mapping(claim.value.get(part)) for part in ("spec", "status"))
    asked = mapping(mapping(spec.get("resources")).get("requests")).get("storage")
    has = mapping(status.get("capacity")).get("storage")
    wanted, present = read_quantity(asked), read_quantity(has)
    if wanted is not None and present is not None and wanted > present:
        path = (*claim.path, "spec", "resources", "requests", "storage")
        yield Hit(path, f"{asked}, has {has}")
