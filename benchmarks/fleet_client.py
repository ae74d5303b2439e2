"""`transom`, whose cluster is in the process of the benchmark's hosts: `fleet_client.py SOCKET WORDS...`."""

import sys
from dataclasses import replace
from multiprocessing.managers import BaseManager
from typing import Any

from transom.cli import cluster_access, fleet_access
from transom.cli.main import main

KEY = b"fleet benchmark"


class Process(BaseManager):
    """The process of the hosts."""


class Twin:
    """The cluster's API, whose other end is there."""

    def __init__(self, hosts: Any) -> None:
        self._hosts = hosts

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any, **more: Any) -> Any:
            return self._hosts.call(name, args, more)

        return call


def run(address: str, words: list[str]) -> int:
    """Run transom."""
    Process.register("hosts")
    process = Process(address, KEY)
    process.connect()
    hosts = process.hosts()  # type: ignore[attr-defined]
    cluster_access.open_api = lambda *_: Twin(hosts)  # type: ignore[assignment]
    doors_of = fleet_access.doors_of
    fleet_access.doors_of = lambda *a: replace(doors_of(*a), objects=None)
    return main(words)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]))
