"""asyncssh with nothing around it: connect to every door on standard input, run its command, read the answer.

What the library alone spends, beside what Transom spends with it.
"""

import asyncio
import json
import sys
from typing import Any

import asyncssh

_AT_ONCE = 100


async def visit(doors: list[tuple[str, int]], command: str, request: bytes, host_key: str) -> None:
    """Every door once, so many at a time."""
    options: dict[str, Any] = {
        "username": "Administrator",
        "client_keys": [asyncssh.read_private_key("id_ed25519")],
        "agent_path": None,
        "known_hosts": ([asyncssh.import_public_key(host_key)], [], []),
        "config": None,
        "encryption_algs": "aes256-gcm@openssh.com",
    }
    limit = asyncio.Semaphore(_AT_ONCE)

    async def one(host: str, port: int) -> None:
        async with limit, asyncssh.connect(host, port, **options) as connection:
            await connection.run(command, input=request, encoding=None, check=True)

    await asyncio.gather(*(one(host, port) for host, port in doors))


def main() -> None:
    """Read what to do, and do it."""
    given = json.load(sys.stdin)
    doors = [(host, port) for host, port in given["doors"]]
    asyncio.run(visit(doors, given["command"], given["request"].encode(), given["hostKey"]))


if __name__ == "__main__":
    main()
