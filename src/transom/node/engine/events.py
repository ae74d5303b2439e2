"""The event file of a run: one JSON object per line, for whoever watches from outside."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from transom.model.codec import encode
from transom.model.event import Event, Level, State
from transom.node.host.nouns.files import Disk
from transom.node.host.nouns.system import Clock


@dataclass
class EventLog:
    """Appends events; `done` and `total` count the steps of the run."""

    disk: Disk
    clock: Clock
    path: str
    run: str
    host: str
    listener: Callable[[dict[str, Any]], None] | None = None
    total: int = 0
    done: int = 0
    _seq: int = field(default=0, init=False)

    def emit(
        self,
        state: State,
        message: str,
        *,
        step: str = "",
        level: Level = Level.INFO,
        error: str = "",
        hint: str = "",
    ) -> None:
        """Write one event."""
        self._seq += 1
        event = Event(
            time=datetime.fromtimestamp(self.clock.now(), UTC).isoformat(timespec="milliseconds"),
            run=self.run,
            seq=self._seq,
            host=self.host,
            step=step,
            state=state,
            level=level,
            message=message,
            done=self.done,
            total=self.total,
            error=error,
            hint=hint,
        )
        document = encode(event)
        line = json.dumps(document, separators=(",", ":")) + "\n"
        self.disk.append(self.path, line.encode())
        if self.listener is not None:
            self.listener(document)
