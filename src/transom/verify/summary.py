"""What came of a run of checks: its counts, its exit, its results for the store and for CI. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from transom.model.records import dataclass
from transom.verify import junit
from transom.verify.check import CheckOutcome
from transom.verify.results import Case, Outcome, Results, RunResults, Variant
from transom.verify.running.case import NodeFacts, Setting
from transom.verify.running.engine import CheckResult

JOB = "transom-verify"
_OUTCOMES = {
    CheckOutcome.PASSED: Outcome.PASSED,
    CheckOutcome.FAILED: Outcome.FAILED,
    CheckOutcome.NOT_RUN: Outcome.SKIPPED,
    # Trouble with the API says nothing of the node; the gate reports what ran before and does not now.
    CheckOutcome.ERROR: Outcome.SKIPPED,
}
# Of one check on several nodes that are alike, the worst counts.
_WORST = (CheckOutcome.FAILED, CheckOutcome.ERROR, CheckOutcome.NOT_RUN, CheckOutcome.PASSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """A run of checks; `started` is in seconds since the epoch."""

    run: str
    started: int
    setting: Setting
    nodes: tuple[NodeFacts, ...]
    results: tuple[CheckResult, ...]
    swept: tuple[str, ...] = field(default=())

    def count(self, outcome: CheckOutcome, node: str = "") -> int:
        """How many checks ended so, on one node or on all."""
        found = (item for item in self.results if not node or item.node == node)
        return sum(item.outcome is outcome for item in found)

    @property
    def is_proven(self) -> bool:
        """Whether any check came to a judgement."""
        return any(
            item.outcome in (CheckOutcome.PASSED, CheckOutcome.FAILED) for item in self.results
        )

    def exit_code(self, *, strict: bool = False) -> int:
        """0 all that ran passed, 1 something failed, 4 or 5 where trouble came first or nothing is proven."""
        if self.count(CheckOutcome.FAILED):
            return 1
        errors = [item for item in self.results if item.outcome is CheckOutcome.ERROR]
        if errors:
            return 4 if all(item.is_temporary for item in errors) else 5
        if not self.count(CheckOutcome.PASSED):
            return 5
        return 1 if strict and self.count(CheckOutcome.NOT_RUN) else 0


def variant_of(setting: Setting, node: NodeFacts) -> Variant:
    """What checks of a node ran on."""
    name, _, version = node.runtime.partition("://")
    return Variant(
        kubernetes=node.kubelet,
        windows=str(node.build or ""),
        kb=f"revision {node.revision}" if node.revision else "",
        runtime=f"{name} {version}".strip(),
        cni=f"{setting.network} {setting.mode.value}" if setting.mode else setting.network,
        provider=setting.provider,
        isolation=setting.wish.isolation.value,
    )


def runs_of(found: Verification, *, job: str = JOB) -> list[RunResults]:
    """One run for each combination of versions, so that a grid has a tab for each."""
    nodes: dict[Variant, list[str]] = {}
    for node in found.nodes:
        nodes.setdefault(variant_of(found.setting, node), []).append(node.name)
    several = len(nodes) > 1
    return [
        RunResults(
            job=job,
            build=f"{found.run}-{number}" if several else found.run,
            started=found.started,
            variant=variant,
            results=Results.of(_cases([r for r in found.results if r.node in names])),
            source=f"transom verify run on {', '.join(names)}",
        )
        for number, (variant, names) in enumerate(nodes.items(), start=1)
    ]


def test_name(result: CheckResult) -> str:
    """What a check is called in results."""
    return f"[{result.suite}] {result.check}"


def _cases(results: Iterable[CheckResult]) -> Iterable[Case]:
    by_test: dict[str, list[CheckResult]] = {}
    for result in results:
        by_test.setdefault(test_name(result), []).append(result)
    for name, found in by_test.items():
        worst = next(kind for kind in _WORST if any(item.outcome is kind for item in found))
        told = "; ".join(
            f"{r.node}: {r.message}" for r in found if r.outcome is worst and r.message
        )
        took = round(max(item.seconds for item in found) * 1000)
        yield Case(name, _OUTCOMES[worst], took, told)


def as_junit(found: Verification) -> str:
    """A suite for each node; what is not run is skipped with its reason."""
    suites: Mapping[str, Sequence[Case]] = {
        node.name: [_case(item, found) for item in found.results if item.node == node.name]
        for node in found.nodes
    }
    shared = variant_of(found.setting, found.nodes[0]).known() if len(found.nodes) == 1 else {}
    return junit.document(
        suites, properties={f"transom.{key}": value for key, value in shared.items()}
    )


def _case(result: CheckResult, found: Verification) -> Case:
    on = f" on {result.node}" if len(found.nodes) > 1 else ""
    failed = result.outcome in (CheckOutcome.FAILED, CheckOutcome.ERROR)
    outcome = Outcome.FAILED if failed else _OUTCOMES[result.outcome]
    return Case(f"{test_name(result)}{on}", outcome, round(result.seconds * 1000), result.message)
