"""What each step of a run costs on the host itself: time, calls of the host, processes, bytes.

Brought to a host of the lab by `node.py` and run there by the host's Python: does the request on its
standard input in the foreground, and prints one line of JSON for each step.
"""

import importlib
import io
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, BinaryIO

NOUNS = (
    *("disk", "registry", "environment", "features", "firewall", "defender", "services"),
    *("network", "system", "processes", "signatures", "cluster"),
)


@dataclass
class Counts:
    """What was done since the last step ended."""

    calls: int = 0
    processes: int = 0
    read: int = 0
    written: int = 0


class Counted:
    """A machine's nouns, each call of which is counted once, however many calls it makes in turn."""

    def __init__(self, host: Any) -> None:
        self.counts = Counts()
        self._depth = 0
        for name in NOUNS:
            noun = getattr(host, name)
            for word in dir(type(noun)):
                if not word.startswith("_"):
                    setattr(noun, word, self._counted(name, word, getattr(noun, word)))

    def _counted(self, noun: str, word: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def call(*values: Any, **named: Any) -> Any:
            self.counts.calls += not self._depth
            self.counts.processes += (noun, word) == ("processes", "run")
            if (noun, word) == ("disk", "append"):
                self.counts.written += len(values[1])
            self._depth += 1
            try:
                result = act(*values, **named)
            finally:
                self._depth -= 1
            if (noun, word) == ("disk", "read"):
                self.counts.read += len(result)
            return self._reading(result) if (noun, word) == ("disk", "open") else result

        return call

    def _reading(self, stream: BinaryIO) -> BinaryIO:
        counts = self.counts

        class Reading(io.BufferedReader):
            def read(self, size: int | None = -1, /) -> bytes:
                data = super().read(size)
                counts.read += len(data)
                return data

            def readinto(self, buffer: Any, /) -> int:
                size = super().readinto(buffer)
                counts.read += size
                return size

        return Reading(stream.detach())  # type: ignore[attr-defined]


def main() -> int:
    """Do the request and print what each step cost."""
    sys.path.insert(0, r"C:\k\transom\node.pyz")
    program = importlib.import_module("transom.node.verbs.program")
    read_request = importlib.import_module("transom.node.verbs.request").read_request
    runner = importlib.import_module("transom.node.engine.runner")
    layout = importlib.import_module("transom.node.layout")
    verb = importlib.import_module("transom.model.request").Verb(sys.argv[1])
    host = program.this_machine(lasting=True)
    counted = Counted(host)
    began = time.monotonic()

    def listen(event: dict[str, Any]) -> None:
        nonlocal began
        if event["step"] and event["state"] in ("changed", "unchanged"):
            now = time.monotonic()
            row = {"step": event["step"], "state": event["state"], "ms": 1000 * (now - began)}
            print(json.dumps({**row, **asdict(counted.counts)}), flush=True)
            vars(counted.counts).update(vars(replace(Counts())))
            began = now

    request = read_request(sys.stdin.read(), verb)
    run = runner.Runner(host, layout.Layout(), sys.argv[2], listener=listen)
    run.execute(request)
    return 0


if __name__ == "__main__":
    sys.exit(main())
