"""Checks turned to their end: a namespace each, in parallel up to a bound, cleaned up whatever happens.

Decides nothing about nodes: a check's `prove` does. Disruptive checks come last and one at a time.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field, replace
from typing import NamedTuple, Protocol

from transom.errors import TemporaryError, TransomError
from transom.fleet.turning import Clock, Failed, Phase, Turn, Turning, Waiting, until
from transom.kube.door import Door
from transom.kube.errors import AlreadyExists, Forbidden, Invalid
from transom.model.manifest import Manifest, ObjectName, name_of
from transom.model.records import dataclass
from transom.verify.check import Certain, Check, CheckOutcome, Fault, NotProven
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.pods import await_pods
from transom.verify.running.spaces import account_of, delete, namespace

_CREATE_S, _CLEAN_S = 120.0, 180.0
_POLL_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What came of one check on one node.

    `evidence` is what shows that its precondition held; `left` is what could not be cleaned up.
    """

    check: str
    suite: str
    node: str
    outcome: CheckOutcome
    message: str = ""
    evidence: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    left: str = ""
    is_temporary: bool = False


class Task(NamedTuple):
    """A check on a node."""

    check: Check
    case: Case


class Watcher(Protocol):
    """Whoever looks on."""

    def told(self, task: Task, text: str) -> None:
        """What a check does now."""
        ...

    def done(self, result: CheckResult) -> None:
        """A check's end."""
        ...


class Silent:
    """Looks on and says nothing."""

    def told(self, task: Task, text: str) -> None:
        """Say nothing."""

    def done(self, result: CheckResult) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A check under way, with the objects it needs."""

    check: Check
    attempt: Attempt
    manifests: tuple[Manifest, ...]
    run: str
    expires: int


async def run_checks(
    door: Door,
    tasks: Sequence[Task],
    *,
    clock: Clock,
    run: str,
    expires: int,
    parallel: int = 4,
    watcher: Watcher | None = None,
) -> list[CheckResult]:
    """Run checks; results are in the order of the tasks."""
    looks: Watcher = watcher or Silent()
    bound = asyncio.Semaphore(parallel)
    found: dict[int, CheckResult] = {}

    async def one(number: int, task: Task) -> None:
        async with bound:
            found[number] = await _run(
                door, task, clock=clock, run=run, expires=expires, watcher=looks
            )
        looks.done(found[number])

    async with asyncio.TaskGroup() as group:
        for number, task in enumerate(tasks):
            if not task.check.is_disruptive:
                group.create_task(one(number, task))
    for number, task in enumerate(tasks):
        if task.check.is_disruptive:
            await one(number, task)
    return [found[number] for number in range(len(tasks))]


async def _run(
    door: Door, task: Task, *, clock: Clock, run: str, expires: int, watcher: Watcher
) -> CheckResult:
    check = task.check
    case = replace(task.case, namespace=f"transom-verify-{check.name[:32]}-{secrets.token_hex(4)}")
    attempt, begun = Attempt(case, door), clock.monotonic()
    ended = CheckResult(
        check=check.name, suite=check.suite, node=case.node.name, outcome=CheckOutcome.PASSED
    )
    why_not = check.why_not(case)
    if why_not:
        return replace(ended, outcome=CheckOutcome.NOT_RUN, message=why_not)
    left = ""
    try:
        work = Work(
            check=check, attempt=attempt, manifests=check.objects(case), run=run, expires=expires
        )
        turning = Turning(PHASES, work, clock, tell=lambda text: watcher.told(task, text))
        await turning.to_the_end()
    except TransomError as error:
        ended = _judged(ended, error)
    finally:
        # Also where the run is cancelled: what was created is taken away before the cancellation goes on.
        left = await _cleaned(attempt, check, clock)
    return replace(
        ended, evidence=attempt.evidence, seconds=round(clock.monotonic() - begun, 1), left=left
    )


def _judged(ended: CheckResult, error: TransomError) -> CheckResult:
    outcome = CheckOutcome.ERROR
    if isinstance(error, Fault):
        outcome = CheckOutcome.FAILED
    elif isinstance(error, NotProven):
        outcome = CheckOutcome.NOT_RUN
    is_temporary = isinstance(error, TemporaryError)
    return replace(ended, outcome=outcome, message=error.message, is_temporary=is_temporary)


async def _cleaned(attempt: Attempt, check: Check, clock: Clock) -> str:
    """Have nothing of a check left; give what is left all the same."""
    name = attempt.case.namespace
    left = []
    steps: tuple[tuple[str, Awaitable[None]], ...] = (
        ("what it changed outside", check.undo(attempt)),
        (f"namespace {name}", _gone(attempt, name, clock)),
    )
    for what, step in steps:
        try:
            await step
        except TransomError as error:
            left.append(f"{what}: {error.message}")
    return "; ".join(left)


async def _gone(attempt: Attempt, name: str, clock: Clock) -> None:
    if "namespace" not in attempt.memory:
        return

    async def look() -> Turn:
        if not await delete(attempt.door, name):
            return None
        return Waiting(error=Fault(f"{name} is still being deleted"), poll_s=_POLL_S)

    await until(look, clock, deadline_s=_CLEAN_S)


async def _make_namespace(work: Work) -> Turn:
    attempt = work.attempt
    # Written down first: an answer that is lost may have made it.
    attempt.memory["namespace"] = True
    try:
        await attempt.door.create(namespace(attempt.case, work.run, work.expires))
    except AlreadyExists:
        return None
    except Forbidden as error:
        return Failed(NotProven(f"namespaces cannot be created: {error.message}"))
    return None


async def _await_account(work: Work) -> Turn:
    if await account_of(work.attempt.door, work.attempt.case.namespace):
        return None
    missing = NotProven(
        "the namespace was not given its ServiceAccount: is kube-controller-manager up?"
    )
    return Waiting(error=missing, what="waits for its ServiceAccount")


async def _make_objects(work: Work) -> Turn:
    door, memory = work.attempt.door, work.attempt.memory
    for manifest in work.manifests[memory.get("made", 0) :]:
        try:
            await door.create(manifest)
        except AlreadyExists:
            pass
        except (Forbidden, Invalid) as error:
            return Failed(NotProven(f"the API server refuses {_kind(manifest)}: {error.message}"))
        memory["made"] = memory.get("made", 0) + 1
    return None


def _kind(manifest: Manifest) -> str:
    name: ObjectName = name_of(manifest)
    return f"{name.kind} {name.name}"


async def _prove(work: Work) -> Turn:
    try:
        await work.check.prove(work.attempt)
    except (Certain, NotProven) as error:
        return Failed(error)
    except Fault as error:
        return Waiting(error=error, what=f"not yet: {error.message}", poll_s=_POLL_S)
    return None


def _has_objects(work: Work) -> bool:
    return bool(work.manifests)


def _has_pods(work: Work) -> bool:
    return work.check.awaits_pods and any(item["kind"] == "Pod" for item in work.manifests)


def _factor(work: Work) -> float:
    return work.attempt.case.setting.wish.patience_factor


def _phase(
    name: str,
    turn: Callable[[Work], Awaitable[Turn]],
    deadline_s: Callable[[Work], float],
    *,
    says: str,
    when: Callable[[Work], bool] = _has_objects,
) -> Phase[Work]:
    return Phase(name=name, turn=turn, says=says, when=when, deadline_s=deadline_s)


PHASES = (
    _phase("namespace", _make_namespace, lambda _: _CREATE_S, says="makes its namespace"),
    _phase("account", _await_account, lambda _: _CREATE_S, says=""),
    _phase("objects", _make_objects, lambda _: _CREATE_S, says="makes its objects"),
    _phase(
        "pods",
        lambda work: await_pods(work.attempt, work.manifests),
        lambda work: work.check.pods_deadline_s * _factor(work),
        says="waits for its pods",
        when=_has_pods,
    ),
    _phase(
        "prove",
        _prove,
        lambda work: work.check.patience_s * _factor(work),
        says="looks",
        when=lambda _: True,
    ),
)
