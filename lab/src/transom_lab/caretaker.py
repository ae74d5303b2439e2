"""The caretaker of a lab: `python -m transom_lab.caretaker DIRECTORY`, one process in the ground room.

It carries out what programs in the hosts ask of the machine beneath them: `shutdown /r` and `/s`.
Started by `lab`, ended with the ground room.
"""

import argparse
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from transom.errors import TransomError
from transom_lab.host import WindowsHost
from transom_lab.lab import Lab
from transom_lab.places import cache_directory
from transom_lab.progress import Progress
from transom_lab.standins import ShutdownAction, pending_shutdown

_TICK_S = 0.5


def attend(host: WindowsHost, now: datetime) -> bool:
    """Do what a program in the host asked for, if its time has come."""
    request = pending_shutdown(host.drive_c)
    if request is None or request.at > now:
        return False
    if request.action is ShutdownAction.RESTART:
        host.reboot()
    else:
        host.shut_down()
    return True


def main() -> None:
    """Look at every host twice a second, until killed."""
    parser = argparse.ArgumentParser(prog="python -m transom_lab.caretaker")
    parser.add_argument("directory", type=Path)
    directory = parser.parse_args().directory
    lab = Lab(directory, cache=cache_directory(), progress=Progress())
    while True:
        for host in lab.hosts():
            try:
                attend(host, datetime.now(UTC))
            except TransomError as error:
                sys.stderr.write(f"{host.plan.name}: {error.message}\n")
                sys.stderr.flush()
        time.sleep(_TICK_S)


if __name__ == "__main__":
    main()
