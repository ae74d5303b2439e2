"""Work on one machine without a fleet: what `adopt ADDRESS` and `upgrade ADDRESS` begin and end alike."""

import asyncio
from argparse import Namespace
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from transom.cli import host_access, lock_file, source_access
from transom.cli.join import brought_of, lock_of
from transom.cli.step_lines import StepLines
from transom.errors import UsageError
from transom.model.records import dataclass

if TYPE_CHECKING:
    from transom.fleet.join import Doors, Pin
    from transom.fleet.program import Brought
    from transom.fleet.single import Wish

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class OneHost:
    """The machine, what is wished of it, and everything the work reaches for."""

    wish: "Wish"
    doors: "Doors"
    brought: "Brought"
    pin: "Pin"
    lines: StepLines

    def see_to(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do it, close the doors and leave the live line behind."""

        async def done() -> T:
            try:
                return await work()
            finally:
                await self.doors.api.close()

        try:
            return asyncio.run(done())
        finally:
            self.lines.end()


def one_host(args: Namespace, *, kubernetes: str = "") -> OneHost:
    """As the arguments say; the doors are not opened yet."""
    from transom.cli.fetchers import Fetchers
    from transom.model.fleet import Source

    if args.bundle:
        raise UsageError(
            "--bundle is for the hosts of a fleet here",
            hint="name the fleet with -f and the host with --host",
        )
    source = Source(mirrors=host_access.mirrors_of(args.mirror))
    sources = Fetchers(args.ca_file, args.header)
    wish = replace(
        host_access.wish_of(args, source),
        access=source_access.access_of(args.ca_file, args.header),
        kubernetes=kubernetes,
    )
    doors, lines = host_access.doors_of(args), StepLines()
    lines.stage("have the Python for the host")
    path = Path(args.lock or lock_file.NAME)
    return OneHost(
        wish=wish,
        doors=doors,
        brought=brought_of(args.python, lock_file.load(path), source, sources),
        pin=partial(lock_of, path, sources=sources),
        lines=lines,
    )
