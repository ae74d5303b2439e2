"""Taking back what the journal names, last step first; and, where asked, what no journal names.

The lock is held by whoever undoes.
"""

import ntpath
from functools import partial
from typing import Any

from transom.errors import UsageError
from transom.model.event import State
from transom.model.journal import Receipt
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.model.request import Request
from transom.node.engine.disruption import Disruption
from transom.node.engine.events import EventLog
from transom.node.engine.journal import Journal
from transom.node.engine.leftovers import leftovers, take, tidy
from transom.node.engine.retry import retried
from transom.node.engine.step import Step
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.layout import Layout


@dataclass(frozen=True, slots=True)
class Undoing:
    """One machine, where its journal is, and the steps that can take back what they did."""

    machine: Machine
    layout: Layout
    steps: tuple[Step[Any], ...]

    def back_to(
        self, request: Request, journal: Journal, log: EventLog, *, after: int
    ) -> tuple[str, ...]:
        """Undo every intent after that many; name the steps, last first."""
        undone: list[str] = []
        clock = self.machine.clock
        deadline = clock.monotonic() + request.deadline_s
        while (receipt := journal.contents.last_receipt(after=after)) is not None:
            step = self._by_id(receipt)
            if step.disruption is not Disruption.REBOOT or request.remove_features:
                retried(clock, partial(step.undo, self.machine, receipt), deadline, log, step)
                undone.append(step.id)
                log.emit(State.UNDONE, step.title, step=step.id)
            self.machine.flush()
            journal.pop(receipt)
        return tuple(undone)

    def reset(self, request: Request, journal: Journal | None, log: EventLog) -> tuple[str, ...]:
        """Undo everything and forget the journal; with force also take what is in none."""
        undone: tuple[str, ...] = ()
        if journal is not None:
            journal.claim(request.owner, request.pins)
            undone = self.back_to(request, journal, log, after=0)
            # Nothing of the node is to run any more: what still runs from there is ended by its removal.
            self.machine.files.remove_tree(self.layout.old)
            self.machine.files.remove(self.layout.recipe)
            self.machine.files.remove(self.layout.journal)
            self.machine.flush()
            self.machine.files.remove_tree(self.layout.saved)
        if request.force:
            undone += self._take_leftovers(request.recipe, log)
        return undone

    def unfinished(
        self, request: Request, journal: Journal | None, log: EventLog
    ) -> tuple[str, ...]:
        """Undo what no run brought to its end."""
        if journal is None:
            return ()
        journal.claim(request.owner, request.pins)
        return self.back_to(request, journal, log, after=journal.contents.settled)

    def forget_copies(self, journal: Journal) -> None:
        """Remove the copies of files that no intent needs any more."""
        files, saved = self.machine.files, self.layout.saved
        if files.kind(saved) is not PathKind.DIRECTORY:
            return
        needed = {(intent.before or {}).get("saved") for intent in journal.contents.intents}
        for name in files.entries(saved):
            if ntpath.join(saved, name) not in needed:
                files.remove(ntpath.join(saved, name))

    def _take_leftovers(self, recipe: Recipe, log: EventLog) -> tuple[str, ...]:
        found = leftovers(self.machine, recipe)
        for item in found:
            take(self.machine, recipe, item)
            log.emit(State.UNDONE, f"{item.subject} is taken away", step=item.kind)
        if found:
            tidy(self.machine, recipe)
            self.machine.flush()
        return tuple(item.kind for item in found)

    def _by_id(self, receipt: Receipt) -> Step[Any]:
        for step in self.steps:
            if step.id == receipt.step:
                return step
        raise UsageError(
            f"the journal has a step {receipt.step!r} this version does not know",
            hint="Use the version of Transom that wrote it, or a newer one.",
        )
