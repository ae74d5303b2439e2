"""Following a run from outside it: what was missed first, then what happens, until it ends."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from transom import errors
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.layout import Layout

_ENDS = {"done": 0, "reboot": 4, "cancelled": 5, "failed": 5}
_EXIT_CODES = {
    name: kind.exit_code
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.TransomError)
}
_POLL_S = 0.05
_QUIET_S = 1800.0
_BEGINS_S = 10.0


def follow(
    machine: Machine, layout: Layout, run: str, offset: int, say: Callable[[Any], None]
) -> int:
    """Pass on each event after the offset; return the exit code of the run's last one.

    An event that the offset lies in is passed on whole. A run that nobody works at any more, as after
    a power cut, is not waited for.
    """
    path = layout.events(run)
    if offset:
        known = machine.files.read(path)[:offset] if _is_there(machine, path) else b""
        offset = known.rfind(b"\n") + 1
        seen = list(_events(known[:offset]))
        if seen and (code := _exit_code(seen[-1])) is not None:
            return code
    quiet_since = machine.clock.monotonic()
    while True:
        if _is_there(machine, path):
            with machine.files.open(path) as stream:
                stream.seek(offset)
                data = stream.read()
            whole = data[: data.rfind(b"\n") + 1]
            offset += len(whole)
            for event in _events(whole):
                say(event)
                quiet_since = machine.clock.monotonic()
                if (code := _exit_code(event)) is not None:
                    return code
        quiet_s = machine.clock.monotonic() - quiet_since
        if quiet_s > _BEGINS_S and not is_worked_at(machine, layout):
            raise _abandoned(machine, path, run)
        if quiet_s > _QUIET_S:
            raise errors.PermanentError(
                f"nothing was written to {path} for {_QUIET_S:.0f} s",
                subject=path,
                hint="Ask for the status; a run that ended without a word can be run again.",
            )
        machine.clock.sleep(_POLL_S)


def _is_there(machine: Machine, path: str) -> bool:
    return machine.files.kind(path) is PathKind.FILE


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    """Every event of whole lines; a power cut may have left anything in place of some."""
    for line in data.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and {"step", "state", "error"} <= event.keys():
            yield event


def _exit_code(event: Mapping[str, Any]) -> int | None:
    """The exit code that a run's last event stands for; None for any other event."""
    if event["step"] or event["state"] not in _ENDS:
        return None
    return _EXIT_CODES.get(event["error"], _ENDS[event["state"]])


def _abandoned(machine: Machine, path: str, run: str) -> errors.TemporaryError:
    if machine.files.kind(path) is PathKind.ABSENT:
        return errors.NotBegun(
            f"the run {run} never began on the host",
            subject=run,
            hint="Run the same command again.",
        )
    return errors.TemporaryError(
        f"the run {run} was cut off on the host, which was stopped or restarted",
        subject=run,
        hint="Run the same command again: it goes on where the run was stopped.",
    )


def is_worked_at(machine: Machine, layout: Layout) -> bool:
    """Whether a run is just beginning, or holds the lock as it does from then to its end."""
    if machine.background.is_started():
        return True
    try:
        with machine.disk.lock(layout.lock, "attach"):
            return False
    except errors.TemporaryError:
        return True
    except errors.TransomError:
        return False
