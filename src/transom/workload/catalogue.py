"""The rules that a cluster's version allows, sorted by what an object must be to matter to them.

Built once per run from the facts; modules with logic are imported only when an object comes by that
they speak about.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, cast

from transom.facts.rows import read
from transom.facts.rules import Rule as Row
from transom.workload.context import LintContext
from transom.workload.operators import OF_MISSING
from transom.workload.pods import ObjectView, PodView
from transom.workload.program import Program
from transom.workload.rule import Hit, Rule, is_active, name_of_title, rows_of
from transom.workload.rules import LOGIC

POD = "Pod"

Check = Callable[[Any, LintContext], Iterator[Hit]]


class Profile(NamedTuple):
    """What decides which rules may speak about an object: its kind, and what a pod is.

    Of what is partial, a patch or a fragment, no rule says that something is missing.
    """

    kind: str
    windows: bool = False
    os_name: str = ""
    host_process: bool = False
    partial: bool = False


class Judge(NamedTuple):
    """Everything that speaks about objects of one profile."""

    program: Program
    logic: tuple[tuple[Row, Check], ...]


def profile_of(pod: PodView) -> Profile:
    """The profile of a pod."""
    return Profile(POD, pod.is_windows, pod.os_name, pod.is_host_process, pod.is_partial)


def profile_of_object(view: ObjectView) -> Profile:
    """The profile of an object beside its pods."""
    return Profile(view.kind, partial=view.is_partial)


class Catalogue:
    """The rules for one cluster, minus those that are switched off."""

    def __init__(self, ctx: LintContext, *, without: frozenset[str] = frozenset()) -> None:
        self._active = tuple(
            row
            for row in read(Row)
            if row.id not in without and is_active(row, ctx) and _can_be_checked(row)
        )
        self._judges: dict[Profile, Judge] = {}

    def judge(self, profile: Profile) -> Judge:
        """What speaks about objects of that profile."""
        judge = self._judges.get(profile)
        if judge is None:
            rows = [
                row for row in self._active if profile.kind in row.kinds and _in_scope(row, profile)
            ]
            judge = Judge(
                Program([row for row in rows if row.op != "custom"]),
                tuple((row, _logic(row.id)[1]) for row in rows if row.op == "custom"),
            )
            self._judges[profile] = judge
        return judge


def all_rules() -> tuple[Rule, ...]:
    """Every rule about workloads, sorted by id; imports every module."""
    ids = sorted({row.id for row in read(Row) if _can_be_checked(row)})
    logic = dict(LOGIC)
    return tuple(_logic(i)[0] if i in logic else _data_rule(i) for i in ids)


def known_ids() -> frozenset[str]:
    """The ids of every rule, whether a manifest alone can offend it or not."""
    return frozenset(row.id for row in read(Row))


def active_ids(ctx: LintContext) -> frozenset[str]:
    """The ids of the rules that hold for a cluster."""
    return frozenset(row.id for row in read(Row) if _can_be_checked(row) and is_active(row, ctx))


def _can_be_checked(row: Row) -> bool:
    """Rows that only a cluster or a request can offend have no module here."""
    return row.op != "custom" or row.id in _logic_ids()


@cache
def _logic_ids() -> frozenset[str]:
    return frozenset(rule_id for rule_id, _module in LOGIC)


@cache
def _data_rule(rule_id: str) -> Rule:
    rows = rows_of(rule_id)
    return Rule(rule_id, name_of_title(rows[0].title), rows)


@cache
def _logic(rule_id: str) -> tuple[Rule, Check]:
    module = import_module(f"transom.workload.rules.{dict(LOGIC)[rule_id]}")
    return cast("Rule", module.RULE), cast("Check", module.check)


def _in_scope(row: Row, profile: Profile) -> bool:
    if profile.partial and (row.missing or row.op in OF_MISSING):
        return False
    return all(_holds(condition, row, profile) for condition in row.scope)


def _holds(condition: str, row: Row, profile: Profile) -> bool:
    match condition:
        case "windows":
            return profile.windows or profile.kind != POD
        case "os-name-windows":
            if profile.os_name:
                return profile.os_name == "windows"
            return profile.windows and bool(row.when_os_name_unset)
        case "os-name-linux":
            return profile.os_name == "linux"
        case "host-process":
            return profile.host_process
        case "no-host-process":
            return not profile.host_process
    raise ValueError(f"rule {row.id} has the unknown scope {condition!r}")
