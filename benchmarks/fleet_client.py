"""`transom`, whose cluster is in the process of the benchmark's hosts: `fleet_client.py SOCKET WORDS...`.

A call of the cluster is one pickled message each way, so that next to nothing is spent beside Transom itself.
"""

import gc
import pickle
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, BinaryIO

from transom.cli.main import OBJECTS_A_COLLECTION, main

gc.set_threshold(OBJECTS_A_COLLECTION)  # as main does before it imports a command
from transom.cli.options import cluster_access, fleet_access  # noqa: E402


def serve(path: str, answer: Callable[..., Any]) -> None:
    """Answer the calls of one caller after the other, until the process ends."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        while True:
            connection, _ = listener.accept()
            with connection, connection.makefile("rwb") as stream:
                while stream.peek(1):
                    name, args, more = pickle.load(stream)  # noqa: S301 - our own process
                    pickle.dump(_said(answer, name, args, more), stream)
                    stream.flush()


def _said(answer: Callable[..., Any], name: str, args: Any, more: Any) -> tuple[bool, Any]:
    try:
        return True, answer(name, args, more)
    except Exception as error:  # noqa: BLE001 - raised where it was called from
        return False, error


class Twin:
    """The cluster's API, whose other end is there."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any, **more: Any) -> Any:
            pickle.dump((name, args, more), self._stream)
            self._stream.flush()
            done, found = pickle.load(self._stream)  # noqa: S301 - same
            if not done:
                raise found
            return found

        return call


def run(address: str, words: list[str]) -> int:
    """Run transom."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        stream: Any = connection.makefile("rwb")
        cluster_access.open_api = lambda *_: Twin(stream)  # type: ignore[assignment]
        doors_of = fleet_access.doors_of
        fleet_access.doors_of = lambda *a: replace(doors_of(*a), objects=None)
        return main(words)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]))
