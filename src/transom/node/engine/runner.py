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
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from transom.errors import InternalError, PermanentError, Refused, TransomError, UsageError
from transom.model import records
from transom.model.event import Level, State
from transom.model.journal import Drift
from transom.model.problem import Refusal
from transom.model.request import Request, Verb
from transom.model.step_id import StepId
from transom.node.engine.changes import ACTS
from transom.node.engine.disruption import Disruption
from transom.node.engine.events import EventLog
from transom.node.engine.journal import Journal
from transom.node.engine.journalled_host import JournallingHost
from transom.node.engine.kept_recipe import keep_recipe
from transom.node.engine.reach import answering, is_reached
from transom.node.engine.retry import retried
from transom.node.engine.selection import Telling, chosen, present
from transom.node.engine.step import Present, Step
from transom.node.engine.undo import Undoing
from transom.node.host.protocols import Machine
from transom.node.host.values import FeatureState, NodeHealth, PathKind
from transom.node.kubernetes.upgrade_health import health_before, must_be_upgraded, say_whether_back
from transom.node.layout import Layout
from transom.node.steps import STEPS
from transom.node.steps.computer_name import waits_for_boot
from transom.node.steps.preflight import cautions, refusals
from transom.node.verbs.image import (
    differences,
    forget_events,
    image_request,
    is_sealed,
    refuse_used,
    seal,
    self_check,
)


class Ending(Enum):
    """How a run ended that did not fail."""

    DONE = "done"
    REBOOT = "reboot"
    CANCELLED = "cancelled"


@records.dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, and which steps changed something."""

    ending: Ending
    changed: tuple[str, ...]


class Planned(NamedTuple):
    """What stands in the way of a run, and what each step would change."""

    refusals: tuple[Refusal, ...]
    steps: Sequence[tuple[Step[Any], Sequence[Drift[Any]]]]

    @property
    def is_empty(self) -> bool:
        """Whether a run would neither be refused nor change anything."""
        return not self.refusals and not any(drift for _, drift in self.steps)


@records.dataclass(frozen=True, slots=True)
class _Run:
    """What one run works with: what its steps are told, the journal, the events, the time it has."""

    telling: Telling
    journal: Journal
    log: EventLog
    deadline: float

    @property
    def request(self) -> Request:
        return self.telling.request


@dataclass
class Runner:
    """One machine and where its journal is; a run takes the lock for its whole length."""

    machine: Machine
    layout: Layout
    run: str
    steps: tuple[Step[Any], ...] = STEPS
    listener: Callable[[dict[str, Any]], None] | None = None
    afterwards: Callable[[Request, Outcome], None] = lambda _request, _outcome: None

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
        except Exception as error:
            defect = InternalError(f"{request.verb.value} failed: {error!r}")
            _report(log, defect)
            raise defect from error
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
                journal.claim(request.owner, request.pins)
                log.emit(State.STARTED, f"{step} is taken back")
                self._undoing.back_to(request, journal, log, after=steps.index(step))
                _report(log, error)

    def plan(self, request: Request) -> Planned:
        """Say what stands in the way and what each step would change; takes no lock and writes nothing."""
        contents = Journal.look(self.machine.disk, self.layout.journal)
        asked = replace(request, verb=request.plan_for)
        want = Telling(asked, present(self.machine, self.layout, contents)).want(contents)
        steps = [step for step in chosen(self.steps, asked) if step.id is not StepId.PREFLIGHT]
        return Planned(
            refusals(self.machine, want), [(step, step.check(self.machine, want)) for step in steps]
        )

    def present(self) -> Present | None:
        """What the node runs, as far as the journal and the kept recipe tell."""
        contents = Journal.look(self.machine.disk, self.layout.journal)
        return present(self.machine, self.layout, contents)

    @property
    def _undoing(self) -> Undoing:
        return Undoing(self.machine, self.layout, self.steps)

    def _execute(self, request: Request, log: EventLog) -> Outcome:
        journal = Journal.open(self.machine.disk, self.layout.journal)
        if request.verb is Verb.RESET:
            return Outcome(Ending.DONE, self._undoing.reset(request, journal, log))
        if request.verb is Verb.UNDO:
            return Outcome(Ending.DONE, self._undoing.unfinished(request, journal, log))
        if request.verb is Verb.PLAN:
            raise UsageError("a plan is not a run", hint="Use the verb plan.")
        if request.image:
            refuse_used(journal.contents if journal else None, self.layout)
            if journal is None and self._is_finished_image(request):
                return Outcome(Ending.DONE, ())
        if journal is None:
            self.machine.files.remove_tree(self.layout.saved)
            journal = Journal.create(self.machine.disk, self.layout.journal, request.owner)
        journal.claim(request.owner, request.pins)
        telling = Telling(request, present(self.machine, self.layout, journal.contents))
        deadline = self.machine.clock.monotonic() + request.deadline_s
        return self._make(_Run(telling, journal, log, deadline))

    def _make(self, run: _Run) -> Outcome:
        request, log = run.request, run.log
        changed: list[str] = []
        steps = chosen(self.steps, request)
        last_boot = [step for step in steps if step.disruption is Disruption.REBOOT][-1:]
        before = health_before(self.machine, request, run.journal)
        is_first = not run.journal.contents.intents
        log.total = len(steps)
        self._caution(request, log, is_first=is_first)
        for step in steps:
            if self.machine.files.kind(self.layout.cancel) is not PathKind.ABSENT:
                if before is not None:
                    self._roll_back(run, before)
                return Outcome(Ending.CANCELLED, tuple(changed))
            if self._made(run, step, before):
                changed.append(step.id)
            log.done += 1
            state = State.CHANGED if step.id in changed else State.UNCHANGED
            log.emit(state, step.title, step=step.id)
            if step in last_boot and self._waits_for_reboot(request):
                return Outcome(Ending.REBOOT, tuple(changed))
        if before is not None and changed:
            self._see_upgraded(run, before)
        mended = changed if is_first else ()
        _warn(log, self_check(self.machine.files, self.layout, request, mended))
        self._settle(run)
        return Outcome(Ending.DONE, tuple(changed))

    def _made(self, run: _Run, step: Step[Any], before: NodeHealth | None) -> bool:
        """Do a step and say whether it changed anything; where it fails, undo the run."""
        try:
            act = partial(self._guarded, run, step)
            return retried(self.machine.clock, act, run.deadline, run.log, step)
        except Exception as error:
            name = type(error).__name__
            run.log.emit(State.FAILED, str(error), step=step.id, level=Level.ERROR, error=name)
            if not run.request.keep_on_failure:
                self._roll_back(run, before)
            if isinstance(error, TransomError):
                raise
            raise InternalError(f"{step.title} failed: {error!r}", subject=step.id) from error

    def _guarded(self, run: _Run, step: Step[Any]) -> bool:
        """Do a step; one after which the host reaches nothing any more undoes itself."""
        if step.disruption is not Disruption.NETWORK_BLIP:
            return self._do(run, step)
        request, before = run.request, len(run.journal.contents.intents)
        places = answering(self.machine.network, request.join.endpoint if request.join else "")
        changed = self._do(run, step)
        if not changed or not places:
            return changed
        if not is_reached(self.machine, places, patience_s=request.unreachable_s):
            self._undoing.back_to(request, run.journal, run.log, after=before)
            names = ", ".join(place.host for place in places)
            raise PermanentError(
                f"{step.title} was undone: no answer from {names} for {request.unreachable_s} s",
                subject=step.id,
                hint="Correct what the recipe says about the network, then run it again.",
            )
        return changed

    def _do(self, run: _Run, step: Step[Any]) -> bool:
        journal = run.journal
        drift = step.check(self.machine, run.telling.want(journal.contents))
        if not drift:
            return False
        host = JournallingHost(self.machine, journal, step=step.id, saved=self.layout.saved)
        step.apply(host, drift)
        left = step.check(self.machine, run.telling.want(journal.contents))
        if left:
            named = "; ".join(f"{e.subject}: {e.found}, not {e.wanted}" for e in left)
            raise PermanentError(
                f"{step.title} had no effect on {named}",
                subject=step.id,
                hint="Something else on the host keeps changing it back.",
            )
        return True

    def _see_upgraded(self, run: _Run, before: NodeHealth) -> None:
        try:
            must_be_upgraded(self.machine, run.request, before, run.log)
        except PermanentError:
            if not run.request.keep_on_failure:
                self._roll_back(run, before)
            raise

    def _roll_back(self, run: _Run, before: NodeHealth | None) -> None:
        """Undo down to the last run that ended well, and see a node that was Ready be so again."""
        request, journal = run.request, run.journal
        self._undoing.back_to(request, journal, run.log, after=journal.contents.settled)
        if before is not None:
            say_whether_back(self.machine, request, before, run.log)

    def _settle(self, run: _Run) -> None:
        """Write down that a run ended well, and forget what no undo needs any more."""
        if run.request.image:
            seal(self.machine, self.layout, run.request.recipe)
            return
        if run.request.verb is not Verb.ADOPT:
            keep_recipe(self.machine.files, self.layout, run.request.recipe)
        contents = run.journal.contents
        # To flush the registry holds up the whole machine, where a kubelet may just be starting.
        begun = contents.intents[contents.settled :]
        self.machine.flush(registry=any(ACTS[intent.act].in_registry for intent in begun))
        run.journal.settle()
        run.journal.condense()
        self._undoing.forget_copies(run.journal)
        self.machine.files.sweep()

    def _is_finished_image(self, request: Request) -> bool:
        """Whether there is nothing to do, so that nothing need be written."""
        return (
            is_sealed(self.machine.files, self.layout, request.recipe)
            and not self._waits_for_reboot(request)
            and self.plan(replace(request, plan_for=request.verb)).is_empty
        )

    def _caution(self, request: Request, log: EventLog, *, is_first: bool) -> None:
        """Say what may bite later, and on a machine of an image how that one differs."""
        found = [] if request.image else cautions(self.machine, request.recipe)
        if is_first:
            found += differences(self.machine.files, self.layout, request)
        _warn(log, found)

    def _waits_for_reboot(self, request: Request) -> bool:
        return waits_for_boot(self.machine, request.recipe) or any(
            self.machine.features.state(feature.name) is FeatureState.ENABLE_PENDING
            for feature in request.recipe.features
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
        log.emit(State.NOTED, text, step=StepId.PREFLIGHT, level=Level.WARNING)


def _report(log: EventLog, error: TransomError) -> None:
    if isinstance(error, Refused):
        for item in error.refusals:
            text = f"{item.subject}: {item.found}; {item.reason}"
            log.emit(
                State.FAILED,
                text,
                step=StepId.PREFLIGHT,
                level=Level.ERROR,
                error=item.id,
                hint=item.fix,
            )
    log.emit(
        State.FAILED,
        error.message,
        level=Level.ERROR,
        error=type(error).__name__,
        hint=error.hint,
    )
