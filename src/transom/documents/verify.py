"""What `transom verify` prints with `-o json`."""

from transom.model.api_versions import written
from transom.model.records import dataclass
from transom.verify.gate import Verdict
from transom.verify.grid import State
from transom.verify.running.engine import CheckResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRun:
    """One run that was read; `is_new` is false where the store had it already."""

    job: str
    build: str
    started: str
    on: dict[str, str]
    source: str
    passed: int
    failed: int
    flaky: int
    skipped: int
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The runs that an import read."""

    api_version: str = written("ImportResult")
    kind: str = "ImportResult"
    runs: tuple[ImportedRun, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GridTest:
    """A test that does not pass."""

    name: str
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class GridTab:
    """How one combination stands."""

    title: str
    state: State
    on: dict[str, str]
    newest: str
    runs: int
    counts: dict[str, int]
    not_passing: tuple[GridTest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GridSummary:
    """How every combination stands."""

    api_version: str = written("GridSummary")
    kind: str = "GridSummary"
    tabs: tuple[GridTab, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamJobTests:
    """A job of upstream: its name for every minor, its own name, and what it runs.

    `tests` is absent where this Transom has no list of the minor's tests. For a job that was asked for `names` has the
    tests, `dead` the parts of the focus that match none, `commands` how to run the same.
    """

    name: str
    job: str
    about: str
    focus: str
    skip: str
    processes: int
    tests: int | None
    names: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()
    commands: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamTests:
    """Upstream's jobs for Windows; `registries` is what KUBE_TEST_REPO_LIST is to have for a fleet's mirror."""

    api_version: str = written("UpstreamTests")
    kind: str = "UpstreamTests"
    kubernetes: str
    jobs: tuple[UpstreamJobTests, ...]
    registries: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """What regressed in each combination; `against` is the run that was named, if one was."""

    api_version: str = written("GateReport")
    kind: str = "GateReport"
    preset: str
    against: str
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedNode:
    """A node that checks ran on, with what it is and how its checks ended."""

    name: str
    on: dict[str, str]
    passed: int
    failed: int
    not_run: int
    errors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyResult:
    """What `transom verify run` found; `swept` are namespaces that an earlier run had left."""

    api_version: str = written("VerifyResult")
    kind: str = "VerifyResult"
    run: str
    started: str
    kubernetes: str
    isolation: str
    nodes: tuple[VerifiedNode, ...]
    results: tuple[CheckResult, ...]
    swept: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCheck:
    """A check that would run on a node, with what it would create; `not_run` says why it would not."""

    check: str
    suite: str
    node: str
    what: str
    creates: tuple[str, ...]
    is_disruptive: bool
    not_run: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyPlan:
    """What `transom verify run --dry-run` would do."""

    api_version: str = written("VerifyPlan")
    kind: str = "VerifyPlan"
    kubernetes: str
    checks: tuple[PlannedCheck, ...]
