"""Many hosts at once: so many at a time, and one host's failure is that host's alone.

Used by everything that visits a fleet.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from transom.errors import TransomError
from transom.model.fleet import Host

T = TypeVar("T")


async def each(
    hosts: Iterable[Host], act: Callable[[Host], Awaitable[T]], *, parallel: int
) -> dict[str, T | TransomError]:
    """What came of every host, by its name, in the order given; an interruption ends them all."""
    limit = asyncio.Semaphore(parallel)

    async def one(host: Host) -> T | TransomError:
        async with limit:
            try:
                return await act(host)
            except TransomError as error:
                return error

    chosen = list(hosts)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(host)) for host in chosen]
    return {host.name: task.result() for host, task in zip(chosen, tasks, strict=True)}
