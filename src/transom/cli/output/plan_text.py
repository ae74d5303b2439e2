"""A fleet's plan in words, hosts with the same changes together. Printed by `plan` and `apply`."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from transom.cli.output import console

if TYPE_CHECKING:
    from transom.fleet.planning.plan import FleetPlan, HostPlan
    from transom.fleet.planning.waves import Away
    from transom.model.answers import PlannedChange, PlannedStep
    from transom.model.problem import Refusal

# Longer lists of changes of one step are cut, with the count of the rest.
_SHOWN = 4
_NAMES = 6
_HOST = "<host>"
# Of a sum only the beginning is read by anybody.
_SUM = re.compile(r"(sha256:[0-9a-f]{12})[0-9a-f]{52}")
_PEOPLE = {
    "SY": "SYSTEM",
    "BA": "Administrators",
    "BU": "Users",
    "AU": "Authenticated Users",
    "CO": "Creator Owner",
    "WD": "Everyone",
}


def print_plan(plan: "FleetPlan") -> None:
    """The whole plan on standard output."""
    for line in plan_lines(plan):
        print(line)


def plan_lines(plan: "FleetPlan") -> Iterator[str]:
    """Refusals, groups of hosts, waves, the cluster, and the total."""
    if plan.cluster:
        yield f"fleet {plan.fleet.name}, cluster {plan.cluster}"
    for refusal in plan.checked.refusals:
        yield from _refusal(refusal)
    for group in _groups(plan):
        yield from _group(group)
    yield from _addons(plan)
    yield from wave_lines(plan.waves, plan.away, plan.held_back)
    if plan.checked.misplaced:
        yield _bold("DaemonSets that would start on the Windows nodes by mistake")
        for item in plan.checked.misplaced:
            yield f"  {item.namespace}/{item.name} {item.reason}; keep it off with"
            yield f"    {item.patch}"
    for note in plan.checked.notes:
        yield f"note: {note}"
    for what in plan.unread:
        yield f"not looked at: {what}"
    yield _total(plan)


def _addons(plan: "FleetPlan") -> Iterator[str]:
    for refusal in plan.addons.refusals:
        yield from _refusal(refusal)
    yield from plan.addons.remedy.splitlines()
    if plan.addons.changes:
        yield _bold("Add-ons in the cluster")
    for change in plan.addons.changes:
        yield f"  {change.act.value} {change.name}"
        for path, before, after in change.fields[:_SHOWN]:
            yield f"    {path}: {before} -> {after}"
        if len(change.fields) > _SHOWN:
            yield f"    and {len(change.fields) - _SHOWN} more"


def _groups(plan: "FleetPlan") -> list[list["HostPlan"]]:
    """Hosts of which the same is to be said, in the order of the first of each."""
    groups: dict[object, list[HostPlan]] = {}
    for host in plan.hosts:
        said = host.error.message if host.error is not None else ""
        refusals = tuple(_of_any(host.name, refusal) for refusal in host.refusals)
        when = (host.rolls, host.drains)
        lacks = tuple(_unnamed(host, change) for change in host.not_applied)
        key = (host.standing, _alike(host), host.warnings, refusals, said, when, lacks)
        groups.setdefault(key, []).append(host)
    return list(groups.values())


def _of_any(host: str, refusal: "Refusal") -> "Refusal":
    """The refusal as it is of any host."""
    subject = _HOST if refusal.subject == host else refusal.subject
    return refusal._replace(
        subject=subject, fix=refusal.fix.replace(f"--host {host}", "--host NAME")
    )


def _alike(host: "HostPlan") -> tuple["PlannedStep", ...]:
    """The steps with the host's own name and address out of them, so that hosts can be compared."""
    if not host.steps:
        return ()
    return tuple(
        replace(step, drift=tuple(_unnamed(host, change) for change in step.drift))
        for step in host.steps
    )


def _unnamed(host: "HostPlan", change: "PlannedChange") -> "PlannedChange":
    """A change without the host's own name and address."""
    own = re.compile(rf"\b({re.escape(host.name)}|{re.escape(host.address)})\b", re.IGNORECASE)
    subject, found, wanted, fix = (
        own.sub(_HOST, text) for text in (change.subject, change.found, change.wanted, change.fix)
    )
    return replace(change, subject=subject, found=found, wanted=wanted, fix=fix)


def _group(group: Sequence["HostPlan"]) -> Iterator[str]:
    first = group[0]
    yield f"{_bold(_names(group))}: {_headline(first)}"
    for step in _alike(first) if len(group) > 1 else first.steps:
        yield from _step(step)
    if first.joins and first.afterwards and not first.refusals:
        yield f"  and what the join leaves to do: {', '.join(first.afterwards)}"
    for warning in first.warnings:
        yield f"  {console.paint('warning:', 'yellow', stream=sys.stdout)} {warning}"
    for refusal in first.refusals:
        shown = _of_any(first.name, refusal) if len(group) > 1 else refusal
        yield from (f"  {line}" for line in _refusal(shown))
    for change in first.not_applied:
        lacks = _unnamed(first, change) if len(group) > 1 else change
        yield from (f"  {line}" for line in not_applied_lines(lacks))
    if first.error is not None and not first.refusals and first.error.hint:
        yield f"  next: {first.error.hint}"


def not_applied_lines(change: "PlannedChange") -> Iterator[str]:
    """A setting that does not arrive, and how a person brings it there."""
    said = console.paint("not applied:", "yellow", stream=sys.stdout)
    yield f"{said} {change.subject}: {_difference(change)}"
    if change.fix:
        yield f"  next: {change.fix}"


def _headline(host: "HostPlan") -> str:
    if host.error is not None:
        return console.paint(host.error.message, "red", stream=sys.stdout)
    if host.refusals:
        return console.paint("refused", "red", stream=sys.stdout)
    if not host.steps:
        return "nothing to do"
    joins = "joins the cluster, " if host.joins else ""
    when = ", in its wave" if host.rolls else ""
    if host.drains:
        when = ", after its pods have left"
    return f"{joins}{_count(host.changes, 'change')}, disruption {host.disruption.value}{when}"


def _step(step: "PlannedStep") -> Iterator[str]:
    disruption = f" ({step.disruption})" if step.disruption != "none" else ""
    yield f"  {step.title}{console.paint(disruption, 'dim', stream=sys.stdout)}"
    for change in step.drift[:_SHOWN]:
        why = console.paint(f"  [{change.id}]", "dim", stream=sys.stdout) if change.id else ""
        yield f"    {change.subject}: {_difference(change)}{why}"
    if len(step.drift) > _SHOWN:
        yield f"    and {len(step.drift) - _SHOWN} more"


def _difference(change: "PlannedChange") -> str:
    found, wanted = (_SUM.sub(r"\1", _access(text)) for text in (change.found, change.wanted))
    if found == wanted:  # the same people, with other rights
        found, wanted = change.found, change.wanted
    return f"{found} -> {wanted}"


def _access(text: str) -> str:
    """A security descriptor as who has access by it; any other text as it is."""
    if not re.match(r"(O:\S+)?D:\S*\(", text):
        return text
    people = (entry.rpartition(";")[2] for entry in re.findall(r"\(([^)]*)\)", text))
    return "access for " + ", ".join(dict.fromkeys(_PEOPLE.get(who, who) for who in people))


def _refusal(refusal: "Refusal") -> Iterator[str]:
    yield f"{_bold(refusal.subject)}: {refusal.found}"
    yield f"  why:  {refusal.reason}"
    yield f"  next: {refusal.fix}"


def wave_lines(
    waves: Sequence[Sequence[str]], away: Mapping[str, "Away"], held_back: Sequence[str]
) -> Iterator[str]:
    """Who is away, who goes when, and for whom there is no room."""
    if away:
        yield _bold("Away already: counted as unavailable, and first in their waves")
        for name, found in list(away.items())[:_SHOWN]:
            yield f"  {name}: {found.why}"
        if len(away) > _SHOWN:
            yield f"  and {len(away) - _SHOWN} more"
    if waves:
        yield _bold("Waves: each is drained where pods would feel it, changed and awaited")
        for number, wave in enumerate(waves, 1):
            yield f"  {number}. {', '.join(wave)}"
    if held_back:
        yield _bold("Not begun while so many nodes are away (rollout.maxUnavailable)")
        yield f"  {', '.join(held_back)}"


def _total(plan: "FleetPlan") -> str:
    from transom.fleet.planning.plan import Standing

    parts = []
    for standing, said in (
        (Standing.CHANGES, "to change"),
        (Standing.UNCHANGED, "unchanged"),
        (Standing.REFUSED, "refused"),
        (Standing.UNREACHABLE, "unreachable"),
        (Standing.FAILED, "not readable"),
    ):
        hosts = plan.standing(standing)
        if hosts:
            changes = sum(host.changes for host in hosts)
            parts.append(
                f"{len(hosts)} {said}" + (f" ({_count(changes, 'change')})" if changes else "")
            )
    addons = f"; {_count(len(plan.addons.changes), 'object')} of add-ons" * bool(
        plan.addons.changes
    )
    return f"{_bold('Total')}: {_count(len(plan.hosts), 'host')}: {', '.join(parts)}{addons}"


def _names(group: Sequence["HostPlan"]) -> str:
    names = [host.name for host in group]
    shown = ", ".join(names[:_NAMES])
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    pools = {host.pool for host in group if host.pool}
    return f"{shown}{more}" + (f" (pool {pools.pop()})" if len(pools) == 1 else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _bold(text: str) -> str:
    return console.paint(text, "bold", stream=sys.stdout)
