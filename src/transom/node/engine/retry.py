"""Trying again what failed for a while only, under a deadline."""

from collections.abc import Callable
from typing import Any, TypeVar

from transom.errors import TemporaryError
from transom.model.event import Level, State
from transom.node.engine.events import EventLog
from transom.node.engine.step import Step
from transom.node.host.nouns.system import Clock

T = TypeVar("T")


def retried(
    clock: Clock, act: Callable[[], T], deadline: float, log: EventLog, step: Step[Any]
) -> T:
    """The act's result; raise its last temporary error where the next try would be too late."""
    while True:
        try:
            return act()
        except TemporaryError as error:
            if clock.monotonic() + error.delay_s >= deadline:
                raise
            log.emit(State.RETRYING, error.message, step=step.id, level=Level.WARNING)
            clock.sleep(error.delay_s)
