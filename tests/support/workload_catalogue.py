"""The fixtures of rules, and the cluster each is meant for."""

import tomllib
from pathlib import Path

from transom.facts.rules import Rule as Row
from transom.model.taint import Taint, TaintEffect
from transom.model.version import Version, VersionRange
from transom.workload.context import LintContext, newest_kubernetes

ROOT = Path(__file__).parents[2]

FIXTURES = ROOT / "tests" / "data" / "rules"


def context_for(row: Row, folder: Path) -> LintContext:
    """A cluster where the row holds, with what its fixtures want beside."""
    newest = newest_kubernetes()
    window = VersionRange.parse(row.kubernetes)
    version = newest
    if window.until is not None and not newest < window.until:
        version = Version(window.until.major, window.until.minor - 1)
    gates = {row.gate: True} if row.gate and not row.effective_since else {}
    ctx = LintContext(kubernetes=version, gates=gates, today="2026-11-16")
    file = folder / "context.toml"
    extra = tomllib.loads(file.read_text("utf-8")) if file.exists() else {}
    if row.windows_build:
        extra["builds"] = [int(row.windows_build.removeprefix("<")) - 1]
    if "taints" in extra:
        extra["taints"] = tuple(
            Taint(taint["key"], TaintEffect(taint["effect"]), taint["value"])
            for taint in extra["taints"]
        )
    if "builds" in extra:
        extra["builds"] = tuple(extra["builds"])
    return ctx._replace(**extra)


def fixtures(rule, kind):
    return sorted((FIXTURES / rule.name).glob(f"{kind}-*.yaml"))
