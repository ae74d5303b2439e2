"""What cloudbase-init does with boot data, as values: its acts in order, and how it ends.

Written by the readers beside this module while they follow a document; read by `lint` and printed
by the command line. Holds no secret: what is written is told by its hash.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Any

from transom.model.records import dataclass
from transom.yamlio.python_yaml import Place

Path = tuple[str | int, ...]


class Outcome(Enum):
    """How cloudbase-init's own account of the boot data ends."""

    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One thing that is done: `write`, `append`, `run`, `hostname`, `timezone`, `ntp`, `user` or `group`.

    `order` counts from one. `subject` is the path, name or interpreter, `detail` the rest.
    """

    order: int
    action: str
    subject: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remark:
    """A trap that was met: the fact's id, where, and what was found there.

    `path` leads to the value in a cloud-config; `place` is where there is no path.
    """

    trap: str
    found: str
    path: Path = ()
    place: Place = field(default_factory=Place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What happens: acts, the outcome, whether the machine restarts, and whether all of it runs again.

    `remarks` are the traps met on the way.
    """

    acts: tuple[Act, ...]
    outcome: Outcome
    reboot: bool = False
    again: bool = False
    remarks: tuple[Remark, ...] = ()


class Stop(Exception):  # noqa: N818 - cloudbase-init's plugin ends by an exception
    """Nothing more of the boot data is executed, and cloudbase-init reports a failure."""


class Skip(Exception):  # noqa: N818 - same
    """Cloudbase-init gives up a section, a user or a part, and goes on with the next."""


class Telling:
    """A story while it is told."""

    def __init__(self) -> None:
        self.acts: list[Act] = []
        self.remarks: list[Remark] = []

    def act(self, action: str, subject: str, **detail: Any) -> dict[str, Any]:
        """Something is done; its detail may still grow while it is."""
        self.acts.append(
            Act(order=len(self.acts) + 1, action=action, subject=subject, detail=detail)
        )
        return detail

    def remark(self, trap: str, found: str, path: Sequence[str | int] = ()) -> None:
        """A trap is met in the cloud-config that is being followed."""
        self.remarks.append(Remark(trap, found, path=tuple(path)))

    def remark_at(self, trap: str, found: str, place: Place) -> None:
        """A trap is met at a place of the document."""
        self.remarks.append(Remark(trap, found, place=place))

    def wrote(self, path: str, content: bytes, *, mode: int | None, append: bool = False) -> None:
        """A file is written."""
        detail: dict[str, Any] = {"sha256": hashlib.sha256(content).hexdigest()}
        if mode is not None:
            detail["mode"] = mode
        self.act("append" if append else "write", path, **detail)

    def ran(self, interpreter: str, script: str, **more: Any) -> None:
        """A script is run."""
        self.act("run", interpreter, interpreter=interpreter, script=script, **more)
