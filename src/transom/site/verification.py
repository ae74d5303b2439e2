"""Checks of Windows nodes: which nodes and checks are meant, run to their end, and kept."""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from transom.documents.verify import PlannedCheck, VerifiedNode, VerifyPlan, VerifyResult
from transom.errors import PermanentError, TemporaryError, UsageError
from transom.fleet.turning import Clock, RealClock
from transom.model.lock import IMAGE, Lock
from transom.model.records import dataclass
from transom.recipe.shape import PLUGIN_NAMES
from transom.verify.check import Check, CheckOutcome, NotProven
from transom.verify.running.case import WINDOWS, Case, NodeFacts, Setting, Wish
from transom.verify.running.conditions import publish
from transom.verify.running.engine import Task, Watcher, run_checks
from transom.verify.running.look import look
from transom.verify.running.spaces import sweep
from transom.verify.store import open_store
from transom.verify.summary import JOB, Verification, runs_of, variant_of

if TYPE_CHECKING:
    from transom.kube.api import Api
    from transom.model.fleet import Fleet
    from transom.model.manifest import Manifest

# Namespaces of a run that was killed are swept up after this.
_LIFE_S = 4 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Which checks on which nodes, and how.

    Without names one node of each kind is taken: Windows build and revision, kubelet and runtime.
    """

    checks: tuple[Check, ...]
    nodes: tuple[str, ...] = ()
    all_nodes: bool = False
    is_disruptive: bool = False
    parallel: int = 4
    node_conditions: bool = False
    wish: Wish = Wish()


async def tasks_of(api: "Api", order: Order, fleet: "Fleet | None" = None) -> list[Task]:
    """Read the cluster, and give each check on each node that is meant."""
    network, mode = "", None
    if fleet is not None:
        network = PLUGIN_NAMES[type(fleet.network.plugin)]
        mode = getattr(fleet.network.plugin, "mode", None)
    setting = await look(api, order.wish, mode=mode, network=network)
    return [
        Task(check, Case(setting=setting, node=node))
        for node in chosen_nodes(setting, order, fleet)
        for check in order.checks
    ]


def chosen_nodes(
    setting: Setting, order: Order, fleet: "Fleet | None" = None
) -> tuple[NodeFacts, ...]:
    """The nodes that are named, all of them, or one of each kind; a Ready one where there is one."""
    windows = [node for node in setting.nodes if node.system == WINDOWS]
    if fleet is not None and not order.nodes:
        ours = {host.node_name for host in fleet.hosts}
        windows = [node for node in windows if node.name in ours]
    by_name = {node.name: node for node in windows}
    wrong = [name for name in order.nodes if name not in by_name]
    if wrong or not windows:
        known = ", ".join(by_name) or "none"
        what = f"{', '.join(wrong)} is no Windows node" if wrong else "there is no Windows node"
        raise UsageError(what, subject="--node", hint=f"Windows nodes are: {known}")
    if order.nodes:
        return tuple(by_name[name] for name in dict.fromkeys(order.nodes))
    if order.all_nodes:
        return tuple(windows)
    kinds: dict[tuple[str, ...], NodeFacts] = {}
    for node in sorted(windows, key=lambda item: (not item.ready, item.unschedulable, item.name)):
        kinds.setdefault(node.kind, node)
    return tuple(kinds.values())


def plan_of(tasks: Sequence[Task], *, is_disruptive: bool) -> VerifyPlan:
    """What the checks would do; nothing is created."""
    return VerifyPlan(
        kubernetes=tasks[0].case.setting.version if tasks else "",
        checks=tuple(_planned(task, is_disruptive=is_disruptive) for task in tasks),
    )


def _planned(task: Task, *, is_disruptive: bool) -> PlannedCheck:
    check, case = task
    why_not = why_not_of(task, is_disruptive=is_disruptive)
    creates: tuple[str, ...] = ()
    if not why_not:
        try:
            creates = tuple(_created(item) for item in check.objects(case))
        except NotProven as error:
            why_not = error.message
    return PlannedCheck(
        check=check.name,
        suite=check.suite,
        node=case.node.name,
        what=check.what,
        creates=("Namespace", *creates) if creates else (),
        is_disruptive=check.is_disruptive,
        not_run=why_not,
    )


def _created(manifest: "Manifest") -> str:
    containers = manifest.get("spec", {}).get("containers") or ()
    images = ", ".join(dict.fromkeys(str(item["image"]) for item in containers))
    return f"{manifest['kind']} {manifest['metadata']['name']}{f' ({images})' if images else ''}"


def why_not_of(task: Task, *, is_disruptive: bool) -> str:
    """Why a check would not run; empty where it would."""
    if task.check.is_disruptive and not is_disruptive:
        return "it disrupts the node; --disruptive runs it"
    return task.check.why_not(task.case)


async def verify(
    api: "Api",
    order: Order,
    fleet: "Fleet | None" = None,
    *,
    watcher: Watcher | None = None,
    clock: Clock | None = None,
) -> Verification:
    """Run the checks; what they create is gone afterwards, also where this is interrupted."""
    ended = asyncio.Event()
    _end_by_signal(ended)
    try:
        return await _verified(api, order, fleet, watcher, clock or RealClock())
    except asyncio.CancelledError:
        if not ended.is_set():
            raise
        raise TemporaryError(
            "the run was ended by SIGTERM; what it created is deleted", hint="run it again"
        ) from None


async def _verified(
    api: "Api", order: Order, fleet: "Fleet | None", watcher: Watcher | None, clock: Clock
) -> Verification:
    tasks = await tasks_of(api, order, fleet)
    if not order.is_disruptive:
        tasks = [Task(_held_back(task.check), task.case) for task in tasks]
    swept = await sweep(api.door)
    now = await api.time()
    run = datetime.fromtimestamp(now, tz=UTC).strftime("%Y%m%d-%H%M%S")
    results = await run_checks(
        api.door,
        tasks,
        clock=clock,
        run=run,
        expires=now + _LIFE_S,
        parallel=order.parallel,
        watcher=watcher,
    )
    nodes = tuple(dict.fromkeys(task.case.node.name for task in tasks))
    by_name = {task.case.node.name: task.case.node for task in tasks}
    found = Verification(
        run=run,
        started=now,
        setting=tasks[0].case.setting,
        nodes=tuple(by_name[name] for name in nodes),
        results=tuple(results),
        swept=swept,
    )
    if order.node_conditions:
        await publish(api.door, found)
    return found


def _held_back(check: Check) -> Check:
    """A disruptive check that was not asked for, as one that is not run."""
    if not check.is_disruptive:
        return check
    return replace(check, needs=(lambda _: "it disrupts the node; --disruptive runs it",))


def _end_by_signal(ended: asyncio.Event) -> None:
    """Have SIGTERM, with which Kubernetes ends a pod, clean up as Ctrl-C does."""
    task = asyncio.current_task()
    assert task is not None

    def end() -> None:
        ended.set()
        task.cancel()

    with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)


def result_of(found: Verification) -> VerifyResult:
    """The run as a document."""
    return VerifyResult(
        run=found.run,
        started=datetime.fromtimestamp(found.started, tz=UTC).isoformat(),
        kubernetes=found.setting.version,
        isolation=found.setting.wish.isolation.value,
        nodes=tuple(
            VerifiedNode(
                name=node.name,
                on=variant_of(found.setting, node).known(),
                passed=found.count(CheckOutcome.PASSED, node.name),
                failed=found.count(CheckOutcome.FAILED, node.name),
                not_run=found.count(CheckOutcome.NOT_RUN, node.name),
                errors=found.count(CheckOutcome.ERROR, node.name),
            )
            for node in found.nodes
        ),
        results=found.results,
        swept=found.swept,
    )


def keep(found: Verification, path: Path, *, job: str = JOB) -> None:
    """Put a run into the store of results, for grid and gate."""
    with open_store(path, create=True) as store:
        for run in runs_of(found, job=job):
            store.add(run, replace=False)


def images_of(lock: Lock, named: Sequence[str]) -> dict[str, str]:
    """Images by the digest that a lock has, and those that were named as NAME=IMAGE."""
    pinned = {
        entry.version: f"{entry.version}@sha256:{entry.sha256}"
        for entry in lock.entries
        if entry.id == IMAGE
    }
    for pair in named:
        name, equals, image = pair.partition("=")
        if not equals or name not in ("agnhost", "servercore", "hostprocess"):
            raise UsageError(
                f"{pair!r} names no image of a check",
                subject="--image",
                hint="write agnhost=IMAGE, servercore=IMAGE or hostprocess=IMAGE",
            )
        pinned[name] = image
    return pinned


def nothing_proven() -> PermanentError:
    """The error of a run in which no check could be run."""
    return PermanentError(
        "no check could be run, so nothing is proven",
        hint="the reasons stand beside each check; `--dry-run` shows them without a run",
    )
