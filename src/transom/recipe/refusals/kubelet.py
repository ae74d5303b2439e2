"""Reasons that concern the kubelet: configuration fields, flags and feature gates."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from transom.facts import kubelet_types, rows
from transom.facts.gates import Gate
from transom.facts.join import OwnedFlag
from transom.facts.kubelet import Field, Flag, OwnedField
from transom.facts.kubelet_types import TypesModule
from transom.facts.rows import At
from transom.model.problem import Refusal
from transom.model.version import Version
from transom.recipe.case import Case
from transom.recipe.refusals.because import because, host_path

Where = Callable[[str], str]


def kubelet_fields(case: Case) -> Iterator[Refusal]:
    """Configuration a Windows kubelet does not start with."""
    yield from field_refusals(case.host.kubelet.config, case.shape.at, partial(_in_fleet, case))


def field_refusals(config: Mapping[str, Any], at: At, where: Where) -> Iterator[Refusal]:
    """The fields that are refused; `where` says where a path of the configuration stands."""
    flat = dict(_flatten(config))
    for row in rows.rows(Field, at):
        if row.behaviour != "refused" or row.path not in flat:
            continue
        value = flat[row.path]
        if _is_meant(row.when, value):
            yield because(row, where(row.path), _shown(value), row.text, row.fix)


def kubelet_types_of_fields(case: Case) -> Iterator[Refusal]:
    """Fields that this minor's KubeletConfiguration does not have, or of another type."""
    config = case.host.kubelet.config
    owned = {row.path: row for row in rows.rows(OwnedField, case.shape.at)}
    for path in config.keys() & owned.keys():
        fix = f"Write `{owned[path].key}` instead."
        yield because(owned[path], _in_fleet(case, path), path, owned[path].text, fix)
    if not config:
        return
    row = kubelet_types.nearest(rows.read(TypesModule), case.shape.kubernetes)
    others = {path: value for path, value in config.items() if path not in owned}
    for wrong in kubelet_types.check(others, case.shape.kubernetes):
        subject = _in_fleet(case, wrong.path)
        yield because(row, subject, wrong.found, wrong.reason, wrong.fix, row_id=wrong.id)


def _in_fleet(case: Case, path: str) -> str:
    return host_path(case, f"kubelet.config.{path}")


def _is_meant(when: str, value: object) -> bool:
    if when == "any":
        return True
    if when == "not empty":
        return bool(value)
    return _shown(value) == when


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _flatten(config: object, prefix: str = "") -> Iterator[tuple[str, object]]:
    if prefix:
        yield prefix, config
    if isinstance(config, dict):
        for key, value in config.items():
            yield from _flatten(value, f"{prefix}.{key}" if prefix else str(key))


def kubelet_flags(case: Case) -> Iterator[Refusal]:
    """Flags this kubelet does not know."""
    known = {row.name: row for row in rows.read(Flag)}
    for name in case.host.kubelet.extra_args:
        row = known.get(name)
        if row is None or rows.find(Flag, row.id, At(kubernetes=case.shape.kubernetes)) is not None:
            continue
        yield because(
            row,
            host_path(case, f"kubelet.extraArgs.{name}"),
            f"--{name} with Kubernetes {case.shape.kubernetes}",
            f"the flag exists for Kubernetes {row.kubernetes}: a kubelet that is given it does not start",
            "Remove it.",
        )


def owned_flags(case: Case) -> Iterator[Refusal]:
    """Flags that Transom or kubeadm sets."""
    known = {row.name: row for row in rows.read(OwnedFlag)}
    for name, value in case.host.kubelet.extra_args.items():
        row = known.get(name)
        if row is not None:
            fix = f"Write `{row.fleet_key}` instead." if row.fleet_key else "Remove it."
            subject = host_path(case, f"kubelet.extraArgs.{name}")
            yield because(row, subject, f"--{name}={value}", row.text, fix, row_id="owned-flag")


def gates(case: Case) -> Iterator[Refusal]:
    """Gates that are gone, locked or not there yet."""
    gates = case.host.kubelet.config.get("featureGates", {})
    # That it is a map at all is for the types to say.
    if isinstance(gates, Mapping):
        yield from gate_refusals(gates, case.shape.kubernetes, partial(_in_fleet, case))


def gate_refusals(gates: Mapping[str, Any], kubernetes: Version, where: Where) -> Iterator[Refusal]:
    """The gates that stop a kubelet of that version."""
    known = {row.name: row for row in rows.read(Gate) if "kubeadm" not in row.components}
    for name, value in gates.items():
        row = known.get(name)
        if row is not None:
            subject = where(f"featureGates.{name}")
            yield from _gate(row, kubernetes, subject, value=bool(value))


def _gate(row: Gate, kubernetes: Version, subject: str, *, value: bool) -> Iterator[Refusal]:
    found = f"{_shown(value)} with Kubernetes {kubernetes}"
    stages = [Version.parse(s) for s in (row.alpha, row.beta, row.ga, row.deprecated) if s]
    if row.removed and kubernetes >= Version.parse(row.removed):
        yield because(
            row,
            subject,
            found,
            f"the gate is gone since {row.removed}: a kubelet that finds it does not start",
            "Remove it.",
        )
    elif stages and kubernetes < min(stages):
        yield because(
            row, subject, found, f"the gate comes with {min(stages).minor_text}", "Remove it."
        )
    elif row.locked and kubernetes >= Version.parse(row.locked) and value != row.locked_to:
        yield because(
            row,
            subject,
            found,
            f"the gate is locked to {_shown(row.locked_to)} since {row.locked}",
            "Remove it.",
        )
