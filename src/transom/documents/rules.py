"""What `transom lint --list-rules -o json` prints."""

from typing import Annotated

from transom.model.api_versions import written
from transom.model.choices import OneOf
from transom.model.finding import Severity
from transom.model.records import dataclass
from transom.workload.catalogue import all_rules
from transom.workload.families import family_of
from transom.workload.remedy import REMEDIES, safety

_FIXES = {"yes": "safe", "no": "unsafe", "depends": "depends"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRule:
    """A rule: its family, how bad it is, where it holds, and its fix.

    `fix` is safe, unsafe (needs `--unsafe`), depends on the pod, or empty where there is none.
    """

    id: str
    name: str
    family: str
    title: str
    severity: Annotated[str, OneOf.values_of(Severity)]
    kubernetes: str
    fix: Annotated[str, OneOf((*_FIXES.values(), ""))]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleList:
    """The rules that are run, sorted by id."""

    api_version: str = written("RuleList")
    kind: str = "RuleList"
    rules: tuple[ListedRule, ...]


def rules_document(without: frozenset[str] = frozenset()) -> RuleList:
    """The document of all rules but some."""
    return RuleList(
        rules=tuple(
            ListedRule(
                id=rule.id,
                name=rule.name,
                family=family_of(rule.id),
                title=rule.rows[0].title,
                severity=rule.rows[0].severity,
                kubernetes=", ".join(row.kubernetes or "all" for row in rule.rows),
                fix=_FIXES[safety(REMEDIES[rule.id])] if rule.id in REMEDIES else "",
            )
            for rule in all_rules()
            if rule.id not in without
        )
    )
