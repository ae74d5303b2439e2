"""Several DNS suffixes in dnsConfig.

What it flags: more than one entry in dnsConfig.searches of a Windows pod.
Why it fails: Windows has one suffix per pod, that of the namespace, and takes a name with a dot as
complete.
Example: searches with corp.example and example.
Instead: use complete names.
Sources: kubernetes/website, Networking on Windows, DNS limitations.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN082", "several-dns-searches")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a list of more than one."""
    searches = sequence(mapping(pod.spec.get("dnsConfig")).get("searches"))
    if len(searches) > 1:
        yield Hit(pod.spec_path("dnsConfig", "searches"), f"{len(searches)} suffixes")
