"""Many hosts at once: so many at a time, and one host's failure is that host's alone."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from transom.errors import TransomError
from transom.model.fleet import Host

T = TypeVar("T")


async def each(
    hosts: Iterable[Host], act: Callable[[Host], Awaitable[T]], *, parallel: int
) -> dict[str, T | TransomError]:
    """What came of every host, by its name, in the order given; an interruption ends them all.

    A defect that one of them meets is raised when the others have come to their end.
    """
    limit = asyncio.Semaphore(parallel)

    async def one(host: Host) -> T | TransomError:
        async with limit:
            try:
                return await act(host)
            except TransomError as error:
                return error

    chosen = list(hosts)
    # No TaskGroup: that would cancel hosts in the middle of a join because of another one.
    ended = await asyncio.gather(*map(one, chosen), return_exceptions=True)
    came: dict[str, T | TransomError] = {}
    for host, found in zip(chosen, ended, strict=True):
        if isinstance(found, BaseException) and not isinstance(found, TransomError):
            raise found
        came[host.name] = found
    return came
