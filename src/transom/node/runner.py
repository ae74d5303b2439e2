"""Runs the steps of a request in order, and undoes them in the other order.

Every run looks at every step again, so a run after a crash or a reboot needs no memory but the
journal. A step that fails is undone with all that this run and unfinished ones before it did,
unless the request says to keep it. An upgrade is over when the node is Ready on its new version;
otherwise it is undone, and the node awaited on its old one.
"""

import ntpath
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import Any, TypeVar

from transom.errors import (
    InternalError,
    PermanentError,
    Refused,
    TemporaryError,
    TransomError,
    UsageError,
)
from transom.model.event import Level, State
from transom.model.journal import ADOPTED, Drift, Receipt
from transom.model.recipe import Recipe
from transom.model.request import Request, Verb
from transom.model.version import Version
from transom.node.events import EventLog
from transom.node.health import await_healthy, health
from transom.node.host.protocols import Machine
from transom.node.host.values import FeatureState, NodeHealth, PathKind
from transom.node.image import (
    differences,
    forget_events,
    image_request,
    is_sealed,
    refuse_used,
    seal,
    self_check,
)
from transom.node.journal import Contents, Journal
from transom.node.journalling import JournallingHost
from transom.node.kept_recipe import keep_recipe, kept_recipe
from transom.node.layout import Layout
from transom.node.leftovers import leftovers, take, tidy
from transom.node.reach import answering, is_reached
from transom.node.step import Disruption, NodeSpec, Present, Step
from transom.node.steps import PREPARE, STEPS
from transom.node.steps.preflight import cautions

T = TypeVar("T")
_ADOPTION = ("preflight", "adopt")


class Ending(Enum):
    """How a run ended that did not fail."""

    DONE = "done"
    REBOOT = "reboot"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, and which steps changed something."""

    ending: Ending
    changed: tuple[str, ...]


@dataclass
class Runner:
    """One machine and where its journal is; a run takes the lock for its whole length."""

    machine: Machine
    layout: Layout
    run: str
    steps: tuple[Step, ...] = STEPS
    listener: Callable[[dict[str, Any]], None] | None = None
    afterwards: Callable[[Request, Outcome], None] = lambda _request, _outcome: None
    _present: Present | None = field(default=None, init=False)

    def execute(self, request: Request) -> Outcome:
        """Do what a request asks; raise what made it fail, after undoing."""
        if request.image:
            request = image_request(request)
        log = self._log(request)
        try:
            with self._held(request):
                self.machine.files.remove(self.layout.cancel)
                name = request.recipe.identity.name or "an image"
                log.emit(State.STARTED, f"{request.verb.value} of {name}")
                outcome = self._execute(request, log)
            # Before the last event: whoever reads that may start the next run at once.
            self.afterwards(request, outcome)
        except TransomError as error:
            _report(log, error)
            raise
        log.emit(State(outcome.ending.value), f"{request.verb.value} {outcome.ending.value}")
        if request.image and outcome.ending is Ending.DONE:
            forget_events(self.machine, self.layout)
        return outcome

    def take_back(self, request: Request, step: str, error: TransomError) -> None:
        """Undo a step of a run that had ended, with all that came after it, because of an error."""
        log = self._log(request)
        with self._held(request):
            journal = Journal.open(self.machine.disk, self.layout.journal)
            steps = [intent.step for intent in journal.contents.intents] if journal else []
            if journal is not None and step in steps:
                journal.claim(request.owner)
                log.emit(State.STARTED, f"{step} is taken back")
                self._undo(request, journal, log, after=steps.index(step))
                _report(log, error)

    def plan(self, request: Request) -> list[tuple[Step, Sequence[Drift]]]:
        """Say what each step would change; takes no lock and writes nothing."""
        contents = Journal.look(self.machine.disk, self.layout.journal)
        self._present = self._find_present(contents)
        asked = replace(request, verb=request.plan_for)
        want = self._want(asked, contents)
        return [(step, step.check(self.machine, want)) for step in self._chosen(asked)]

    def present(self) -> Present | None:
        """What the node runs, as far as the journal and the kept recipe tell."""
        return self._find_present(Journal.look(self.machine.disk, self.layout.journal))

    def _execute(self, request: Request, log: EventLog) -> Outcome:
        journal = Journal.open(self.machine.disk, self.layout.journal)
        if request.verb is Verb.RESET:
            return self._reset(request, journal, log)
        if request.verb is Verb.UNDO:
            return self._take_back(request, journal, log)
        if request.verb is Verb.PLAN:
            raise UsageError("a plan is not a run", hint="Use the verb plan.")
        if request.image:
            refuse_used(journal.contents if journal else None, self.layout)
            if journal is None and self._is_finished_image(request):
                return Outcome(Ending.DONE, ())
        if journal is None:
            self.machine.files.remove_tree(self.layout.saved)
            journal = Journal.create(self.machine.disk, self.layout.journal, request.owner)
        journal.claim(request.owner)
        self._present = self._find_present(journal.contents)
        return self._make(request, journal, log)

    def _make(self, request: Request, journal: Journal, log: EventLog) -> Outcome:
        deadline = self.machine.clock.monotonic() + request.deadline_s
        changed: list[str] = []
        steps = self._chosen(request)
        before = self._before(request, journal)
        is_first = not journal.contents.intents
        log.total = len(steps)
        self._caution(request, log, is_first=is_first)
        for step in steps:
            if self.machine.files.kind(self.layout.cancel) is not PathKind.ABSENT:
                if before is not None:
                    self._roll_back(request, before, journal, log)
                return Outcome(Ending.CANCELLED, tuple(changed))
            try:
                act = partial(self._guarded, step, journal, request, log)
                if self._retry(act, deadline, log, step):
                    changed.append(step.id)
            except Exception as error:
                name = type(error).__name__
                log.emit(State.FAILED, str(error), step=step.id, level=Level.ERROR, error=name)
                if not request.keep_on_failure:
                    self._roll_back(request, before, journal, log)
                raise _known(error, step) from error
            log.done += 1
            state = State.CHANGED if step.id in changed else State.UNCHANGED
            log.emit(state, step.title, step=step.id)
            if step.disruption is Disruption.REBOOT and self._waits_for_reboot(request):
                return Outcome(Ending.REBOOT, tuple(changed))
        if before is not None and changed:
            self._must_be_healthy(request, before, journal, log)
        mended = changed if is_first else ()
        _warn(log, self_check(self.machine.files, self.layout, request, mended))
        self._settle(request, journal)
        return Outcome(Ending.DONE, tuple(changed))

    def _settle(self, request: Request, journal: Journal) -> None:
        """Write down that a run ended well, and forget what no undo needs any more."""
        if request.image:
            seal(self.machine, self.layout, request.recipe)
            return
        if request.verb is not Verb.ADOPT:
            keep_recipe(self.machine.files, self.layout, request.recipe)
        self.machine.flush()
        journal.settle()
        journal.condense()
        self._forget_copies(journal)

    def _is_finished_image(self, request: Request) -> bool:
        """Whether there is nothing to do, so that nothing need be written."""
        return (
            is_sealed(self.machine.files, self.layout, request.recipe)
            and not self._waits_for_reboot(request)
            and not any(drift for _, drift in self.plan(replace(request, plan_for=request.verb)))
        )

    def _caution(self, request: Request, log: EventLog, *, is_first: bool) -> None:
        """Say what may bite later, and on a machine of an image how that one differs."""
        found = [] if request.image else cautions(self.machine, request.recipe)
        if is_first:
            found += differences(self.machine.files, self.layout, request)
        _warn(log, found)

    def _before(self, request: Request, journal: Journal) -> NodeHealth | None:
        """How the node is that an upgrade is about to change."""
        if request.verb is not Verb.UPGRADE or not journal.contents.is_node:
            return None
        found = health(self.machine, request.recipe)
        if found is None:
            name = request.recipe.join.node_name
            raise PermanentError(
                f"the cluster has no Node {name}", subject=name, hint="Reset it and join it again."
            )
        return found

    def _must_be_healthy(
        self, request: Request, before: NodeHealth, journal: Journal, log: EventLog
    ) -> None:
        """Wait for the upgraded node; one that was not Ready before need not be so now."""
        version, name = request.recipe.target.kubernetes, request.recipe.join.node_name
        log.emit(State.NOTED, f"waiting until {name} is Ready on {version}")
        problem = await_healthy(
            self.machine,
            request.recipe,
            kubernetes=version,
            ready=before.ready,
            patience_s=request.ready_s,
        )
        if problem:
            error = PermanentError(
                f"{name} was upgraded to {version} and {problem} for {request.ready_s} s",
                subject=name,
                hint="Look at the kubelet's log, then upgrade again.",
            )
            if not request.keep_on_failure:
                self._roll_back(request, before, journal, log)
            raise error

    def _roll_back(
        self, request: Request, before: NodeHealth | None, journal: Journal, log: EventLog
    ) -> None:
        """Undo down to the last run that ended well, and see a node that was Ready be so again."""
        self._undo(request, journal, log, after=journal.contents.settled)
        if before is None:
            return
        problem = await_healthy(
            self.machine,
            request.recipe,
            kubernetes=before.kubelet,
            ready=before.ready,
            patience_s=request.ready_s,
        )
        text = f"taken back: {request.recipe.join.node_name} runs {before.kubelet} again"
        if problem:
            log.emit(State.NOTED, f"{text}, but {problem}", level=Level.ERROR)
        else:
            log.emit(State.NOTED, f"{text}{' and is Ready' if before.ready else ''}")

    def _forget_copies(self, journal: Journal) -> None:
        """Remove the copies of files that no intent needs any more."""
        files, saved = self.machine.files, self.layout.saved
        if files.kind(saved) is not PathKind.DIRECTORY:
            return
        needed = {(intent.before or {}).get("saved") for intent in journal.contents.intents}
        for name in files.entries(saved):
            if ntpath.join(saved, name) not in needed:
                files.remove(ntpath.join(saved, name))

    def _guarded(self, step: Step, journal: Journal, request: Request, log: EventLog) -> bool:
        """Do a step; one after which the host reaches nothing any more undoes itself."""
        if step.disruption is not Disruption.NETWORK_BLIP:
            return self._do(step, request, journal)
        before = len(journal.contents.intents)
        places = answering(self.machine.network, request.join.endpoint if request.join else "")
        changed = self._do(step, request, journal)
        if not changed or not places:
            return changed
        if not is_reached(self.machine, places, patience_s=request.unreachable_s):
            self._undo(request, journal, log, after=before)
            names = ", ".join(place.host for place in places)
            raise PermanentError(
                f"{step.title} was undone: no answer from {names} for {request.unreachable_s} s",
                subject=step.id,
                hint="Correct what the recipe says about the network, then run it again.",
            )
        return changed

    def _do(self, step: Step, request: Request, journal: Journal) -> bool:
        drift = step.check(self.machine, self._want(request, journal.contents))
        if not drift:
            return False
        host = JournallingHost(self.machine, journal, step=step.id, saved=self.layout.saved)
        step.apply(host, drift)
        left = step.check(self.machine, self._want(request, journal.contents))
        if left:
            named = "; ".join(f"{e.subject}: {e.found}, not {e.wanted}" for e in left)
            raise PermanentError(
                f"{step.title} had no effect on {named}",
                subject=step.id,
                hint="Something else on the host keeps changing it back.",
            )
        return True

    def _reset(self, request: Request, journal: Journal | None, log: EventLog) -> Outcome:
        undone: tuple[str, ...] = ()
        if journal is not None:
            journal.claim(request.owner)
            undone = self._undo(request, journal, log, after=0)
            self.machine.files.remove(self.layout.recipe)
            self.machine.files.remove(self.layout.journal)
            self.machine.flush()
            self.machine.files.remove_tree(self.layout.saved)
        if request.force:
            undone += self._take_leftovers(request.recipe, log)
        return Outcome(Ending.DONE, undone)

    def _take_leftovers(self, recipe: Recipe, log: EventLog) -> tuple[str, ...]:
        found = leftovers(self.machine, recipe)
        for item in found:
            take(self.machine, recipe, item)
            log.emit(State.UNDONE, f"{item.subject} is taken away", step=item.kind)
        if found:
            tidy(self.machine, recipe)
            self.machine.flush()
        return tuple(item.kind for item in found)

    def _take_back(self, request: Request, journal: Journal | None, log: EventLog) -> Outcome:
        if journal is None:
            return Outcome(Ending.DONE, ())
        journal.claim(request.owner)
        undone = self._undo(request, journal, log, after=journal.contents.settled)
        return Outcome(Ending.DONE, undone)

    def _undo(
        self, request: Request, journal: Journal, log: EventLog, *, after: int
    ) -> tuple[str, ...]:
        undone: list[str] = []
        deadline = self.machine.clock.monotonic() + request.deadline_s
        while (receipt := journal.contents.last_receipt(after=after)) is not None:
            step = self._by_id(receipt)
            if step.disruption is not Disruption.REBOOT or request.remove_features:
                self._retry(partial(step.undo, self.machine, receipt), deadline, log, step)
                undone.append(step.id)
                log.emit(State.UNDONE, step.title, step=step.id)
            self.machine.flush()
            journal.pop(receipt)
        return tuple(undone)

    def _retry(self, act: Callable[[], T], deadline: float, log: EventLog, step: Step) -> T:
        while True:
            try:
                return act()
            except TemporaryError as error:
                if self.machine.clock.monotonic() + error.delay_s >= deadline:
                    raise
                log.emit(State.RETRYING, error.message, step=step.id, level=Level.WARNING)
                self.machine.clock.sleep(error.delay_s)

    def _want(self, request: Request, contents: Contents | None) -> NodeSpec:
        join = contents.last("kubeadm-join") if contents is not None else None
        return NodeSpec(
            verb=request.verb,
            recipe=request.recipe,
            join=request.join,
            access=request.access,
            cluster=request.owner.cluster,
            joined_by_us=contents is not None and contents.is_node,
            by_hand=join is not None and not (join.before or {}).get("kubeadm"),
            present=self._present,
        )

    def _find_present(self, contents: Contents | None) -> Present | None:
        """What the node runs: by the recipe it was last brought to, else as it was adopted."""
        if contents is None or not contents.is_node:
            return None
        recipe = kept_recipe(self.machine.files, self.layout)
        if recipe is not None:
            target = recipe.target
            return Present(
                kubernetes=target.kubernetes,
                runtime=target.runtime,
                privileged=target.privileged,
            )
        found = contents.last(ADOPTED)
        before = found.before if found else None
        if before is None:
            return None
        return Present(kubernetes=before["kubernetes"], runtime=before["runtime"])

    def _chosen(self, request: Request) -> list[Step]:
        if request.verb is Verb.ADOPT:
            return [step for step in self.steps if step.id in _ADOPTION]
        prepare = {step.id for step in PREPARE}
        whole = request.join is not None or request.verb in (Verb.JOIN, Verb.UPGRADE)
        kubernetes = Version.parse(request.recipe.target.kubernetes)
        build = request.recipe.target.windows_build
        return [
            step
            for step in self.steps
            if (whole or step.id in prepare)
            and kubernetes in step.applies.kubernetes
            and (not step.applies.builds or build in step.applies.builds)
        ]

    def _waits_for_reboot(self, request: Request) -> bool:
        return any(
            self.machine.features.state(feature.name) is FeatureState.ENABLE_PENDING
            for feature in request.recipe.features
        )

    def _by_id(self, receipt: Receipt) -> Step:
        for step in self.steps:
            if step.id == receipt.step:
                return step
        raise UsageError(
            f"the journal has a step {receipt.step!r} this version does not know",
            hint="Use the version of Transom that wrote it, or a newer one.",
        )

    def _log(self, request: Request) -> EventLog:
        events = self.layout.events(self.run)
        self.machine.files.make_directory(ntpath.dirname(events))
        return EventLog(
            self.machine.disk,
            self.machine.clock,
            events,
            self.run,
            request.recipe.identity.name,
            self.listener,
        )

    def _held(self, request: Request) -> AbstractContextManager[None]:
        holder = (
            f"run {self.run}, {request.verb.value} by {request.owner.who}, process {os.getpid()}"
        )
        return self.machine.disk.lock(self.layout.lock, holder)


def _warn(log: EventLog, texts: Sequence[str]) -> None:
    for text in texts:
        log.emit(State.NOTED, text, step="preflight", level=Level.WARNING)


def _report(log: EventLog, error: TransomError) -> None:
    if isinstance(error, Refused):
        for item in error.refusals:
            text = f"{item.subject}: {item.found}; {item.reason}. {item.fix}"
            log.emit(State.FAILED, text, step="preflight", level=Level.ERROR, error=item.id)
    text = f"{error.message} {error.hint}".strip()
    log.emit(State.FAILED, text, level=Level.ERROR, error=type(error).__name__)


def _known(error: Exception, step: Step) -> TransomError:
    if isinstance(error, TransomError):
        return error
    return InternalError(f"{step.title} failed: {error!r}", subject=step.id)
