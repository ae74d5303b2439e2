"""The lab's side of the stand-ins for Windows programs: their files on a host's drive C.

The programs (lab/native/standins and lab/native/cri) keep their state in files; the host and the
tests read and write them here. `note_boot` must be called at each boot of a host, since that is when
Windows settles pending features.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

_STATE = Path("ProgramData") / "transom-lab"
_LOG = Path("var") / "log" / "standins.log"


class ShutdownAction(Enum):
    """What a program in the host asked for."""

    RESTART = "restart"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class ShutdownRequest:
    """A call of shutdown.exe that is not carried out yet."""

    action: ShutdownAction
    at: datetime
    comment: str


@dataclass(frozen=True, slots=True)
class CriFault:
    """The next `count` calls of a CRI method fail with a gRPC code, or are late.

    `method` is the bare name, as in `RunPodSandbox`; `code` is gRPC's number, zero only delays.
    """

    method: str
    code: int
    message: str = "made to fail by the lab"
    count: int = 1
    delay_s: float = 0.0


def note_boot(drive_c: Path) -> None:
    """Tell the stand-ins that the host booted; a shutdown that was asked for is over."""
    file = _state_file(drive_c, "boot")
    number = json.loads(file.read_text())["number"] if file.exists() else 0
    _write(file, json.dumps({"number": number + 1}))
    _state_file(drive_c, "shutdown").unlink(missing_ok=True)


def pending_shutdown(drive_c: Path) -> ShutdownRequest | None:
    """The shutdown a program in the host asked for, if any; its time may still be ahead."""
    file = _state_file(drive_c, "shutdown")
    if not file.exists():
        return None
    document = json.loads(file.read_text())
    return ShutdownRequest(
        ShutdownAction(document["action"]),
        datetime.fromisoformat(document["at"]).astimezone(UTC),
        document["comment"],
    )


def unknown_calls(drive_c: Path) -> list[str]:
    """Every call a stand-in refused because it does not know it, one line each."""
    file = drive_c / _LOG
    return file.read_text(errors="replace").splitlines() if file.exists() else []


def set_cri_faults(drive_c: Path, faults: Sequence[CriFault]) -> None:
    """Make calls of the runtime stand-in fail from now on; no faults heals it."""
    file = _state_file(drive_c, "cri-faults")
    if not faults:
        file.unlink(missing_ok=True)
        return
    rows = [
        {
            "method": fault.method,
            "code": fault.code,
            "message": fault.message,
            "count": fault.count,
            "delayMilliseconds": round(fault.delay_s * 1000),
        }
        for fault in faults
    ]
    _write(file, json.dumps(rows))


def order_power_cut(drive_c: Path, program: str, write: int, *, lose_unflushed: bool) -> None:
    """Let the power fail at the n-th write of each process of `program` that starts from now on."""
    file = _state_file(drive_c, "power-cut").with_suffix("")
    _write(file, f"{program} {write} {'lose' if lose_unflushed else 'keep'}")


def power_cut_is_ordered(drive_c: Path) -> bool:
    """Whether a cut was ordered and has not come yet."""
    return _state_file(drive_c, "power-cut").with_suffix("").exists()


def cancel_power_cut(drive_c: Path) -> bool:
    """Take the order back; whether it still stood."""
    file = _state_file(drive_c, "power-cut").with_suffix("")
    stood = file.exists()
    file.unlink(missing_ok=True)
    return stood


def _state_file(drive_c: Path, name: str) -> Path:
    return drive_c / _STATE / f"{name}.json"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(".new")
    temporary.write_text(text)
    temporary.replace(file)
