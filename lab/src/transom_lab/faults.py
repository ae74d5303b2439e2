"""Faults on demand, for tests: what happens to machines, done to one host of a lab.

Faults of the networking service and of the runtime are in `hns.client` and `standins`; these are
of the machine itself. Each can be taken back.
"""

import os
import signal
from pathlib import Path

from transom_lab.lab import Lab
from transom_lab.namespaces import Room
from transom_lab.network import bridge_port

_TIMEOUT_S = 10.0


class Faults:
    """What can be done to the hosts of a lab."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    def cut_network(self, name: str) -> None:
        """Pull the cable: the host keeps its addresses and reaches nothing; SSH from the machine stays."""
        self._link(name, "down")

    def mend_network(self, name: str) -> None:
        """Plug the cable in again."""
        self._link(name, "up")

    def slow_network(self, name: str, *, kbit_s: int) -> None:
        """Let at most this much through the host's cable, each way."""
        rate = ["root", "tbf", "rate", f"{kbit_s}kbit", "burst", "32kbit", "latency", "400ms"]
        for room, device in self._ends(name):
            room.call(["tc", "qdisc", "replace", "dev", device, *rate], timeout_s=_TIMEOUT_S)

    def restore_speed(self, name: str) -> None:
        """Take the limit off again."""
        for room, device in self._ends(name):
            room.call(["tc", "qdisc", "del", "dev", device, "root"], timeout_s=_TIMEOUT_S)

    def cut_power(self, name: str) -> None:
        """End every process of the host at once; what was not written is lost."""
        self._lab.host(name).room.close()

    def restore_power(self, name: str) -> None:
        """Boot a host whose power was cut, from the drive it had."""
        host = self._lab.host(name)
        host.start(self._lab.ground, authorized_keys=self._lab.authorized_keys)

    def kill_program(self, name: str, program: str) -> int:
        """Kill every process of a Windows program, for example `kubelet.exe`; how many there were."""
        victims = [pid for pid in self._lab.host(name).room.processes() if _runs(pid, program)]
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        return len(victims)

    def _ends(self, name: str) -> list[tuple[Room, str]]:
        host = self._lab.host(name)
        return [(self._lab.ground, bridge_port(host.plan.name)), (host.room, "eth0")]

    def _link(self, name: str, state: str) -> None:
        port = bridge_port(self._lab.host(name).plan.name)
        self._lab.ground.call(["ip", "link", "set", port, state], timeout_s=_TIMEOUT_S)


def _runs(pid: int, program: str) -> bool:
    try:
        first = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0", 1)[0]
    except OSError:
        return False
    return first.decode(errors="replace").replace("\\", "/").rsplit("/", 1)[-1] == program
