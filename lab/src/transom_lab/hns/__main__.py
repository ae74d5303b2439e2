"""The service itself: `python -m transom_lab.hns --directory DIR`, in the host's namespace.

Started by the lab, one per host. State is `hns.json`, every call a line of `calls.jsonl`.
"""

import argparse
import json
import threading
from pathlib import Path

from transom_lab.hns.host import LinuxNetwork
from transom_lab.hns.service import Hns
from transom_lab.hns.store import Json, Store
from transom_lab.hns.wire import serve


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(prog="transom_lab.hns", description=__doc__)
    parser.add_argument(
        "--directory", type=Path, required=True, help="where state and log are kept"
    )
    parser.add_argument("--version", type=_version, default=(14, 0), help="what HNS says it is")
    parser.add_argument(
        "--switch-delay", type=float, default=0.7, help="seconds until a new switch has its address"
    )
    options = parser.parse_args()
    directory: Path = options.directory
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "calls.jsonl").open("a", buffering=1) as log:
        writing = threading.Lock()

        def record(entry: Json) -> None:
            with writing:
                log.write(json.dumps(entry) + "\n")

        hns = Hns(
            Store(directory / "hns.json"),
            LinuxNetwork(),
            version=options.version,
            switch_delay_s=options.switch_delay,
            log=record,
        )
        serve(hns, directory)


if __name__ == "__main__":
    main()
