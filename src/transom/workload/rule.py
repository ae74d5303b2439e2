"""A rule as everything downstream sees it: from a row of data or from a module with logic.

The row in the facts holds what it says, where it holds and how bad it is; a module with logic
adds a name and `check`. Nobody who runs a rule can tell the two apart.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from transom.facts.rows import read
from transom.facts.rules import Rule as Row
from transom.model.version import Version, VersionRange
from transom.workload.context import LintContext
from transom.workload.paths import ObjectPath
from transom.workload.pods import ObjectView, PodView


class Hit(NamedTuple):
    """One offence: where, and what was found, in words that follow the rule's title.

    `path` is absolute in the document. An empty `found` says no more than the rule. In an object
    that leads to pods, the offence may be one only if there are more of them than `beyond`, or if
    they give the port `port` different numbers.
    """

    path: ObjectPath
    found: str = ""
    fix: str = ""
    beyond: int = 0
    port: str = ""


PodCheck = Callable[[PodView, LintContext], Iterator[Hit]]
ObjectCheck = Callable[[ObjectView, LintContext], Iterator[Hit]]


class Rule(NamedTuple):
    """One rule: its id, its name in kebab case, and its rows, one per range of minors."""

    id: str
    name: str
    rows: tuple[Row, ...]

    @property
    def has_logic(self) -> bool:
        """Whether a module decides, not an operator."""
        return self.rows[0].op == "custom"

    def row_at(self, ctx: LintContext) -> Row | None:
        """The row that speaks about that cluster, if any."""
        return next((row for row in self.rows if is_active(row, ctx)), None)


def is_active(row: Row, ctx: LintContext) -> bool:
    """Whether a row's behaviour is what the cluster shows.

    Inside its range a row waits for the minor from which it holds with default gates; a gate
    that is switched on by hand brings it forward.
    """
    if ctx.kubernetes not in VersionRange.parse(row.kubernetes):
        return False
    if row.windows_build:
        builds = VersionRange.parse(row.windows_build)
        if not any(Version(build) in builds for build in ctx.possible_builds()):
            return False
    if row.gate and row.gate in ctx.gates:
        return ctx.gates[row.gate] is not row.gate_lifts
    if not row.effective_since:
        return not row.gate
    return Version.parse(row.effective_since) <= ctx.kubernetes


def declare(rule_id: str, name: str) -> Rule:
    """A rule with logic: its row is the one of that id."""
    return Rule(rule_id, name, rows_of(rule_id))


def rows_of(rule_id: str) -> tuple[Row, ...]:
    """The rows of a rule, in the order of the facts."""
    return tuple(row for row in read(Row) if row.id == rule_id)


def name_of_title(title: str) -> str:
    """The kebab-case name of a row of data."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
