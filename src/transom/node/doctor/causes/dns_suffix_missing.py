"""The host's list of DNS suffixes lacks one that names are looked up with."""

from collections.abc import Iterator

from transom.model.finding import Severity
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    there = {suffix.lower() for suffix in seen.dns_suffixes}
    for suffix in seen.recipe.dns_suffixes if seen.recipe is not None else ():
        if suffix.lower() not in there:
            yield Trouble(
                subject=suffix,
                message=f"the DNS suffix {suffix} is not in the host's list",
                evidence=(f"the list has {', '.join(seen.dns_suffixes) or 'nothing'}",),
            )


DIAGNOSIS = Diagnosis(
    id="dns-suffix-missing",
    title="DNS suffix missing",
    symptom="Short names resolve on Linux nodes and not in pods or HostProcess containers here.",
    cause="A group policy or another tool replaced the host's DNS suffix search list.",
    remedy=Remedy(
        "Add it with `Set-DnsClientGlobalSetting -SuffixSearchList`; `transom join ADDRESS` "
        "does so.",
        "Nothing: pods that are already running keep their own list.",
    ),
    looks_at=("dns_suffixes", "recipe"),
    seen=Seen.WINE,
    examine=_examine,
    severity=Severity.WARNING,
)
