"""Faults on demand, for tests: what happens to machines, done to one host of a lab.

Faults of the networking service and of the runtime are in `hns.client` and `standins`; these are
of the machine itself. Each can be taken back.
"""

import os
import signal
from ipaddress import IPv4Address
from pathlib import Path

from transom_lab.lab import Lab
from transom_lab.namespaces import Room
from transom_lab.network import bridge_port, give_address
from transom_lab.standins import cancel_power_cut, order_power_cut, power_cut_is_ordered
from transom_lab.volume import limit, release

_TIMEOUT_S = 60.0
_VOLUME_MIB = 64
_FILLER = "filler.bin"


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

    def cut_sessions(self, name: str) -> None:
        """End every SSH session with the host; new ones are let in at once."""
        self._lab.host(name).restart_ssh()

    def restore_address(self, name: str) -> None:
        """Give the host the address that it lost when a switch was made (`hns.interrupt_at_next_switch`)."""
        host = self._lab.host(name)
        give_address(host.room, IPv4Address(host.plan.address))

    def slow_network(self, name: str, *, kbit_s: int) -> None:
        """Let at most this much through the host's cable, each way."""
        rate = ["root", "tbf", "rate", f"{kbit_s}kbit", "burst", "32kbit", "latency", "400ms"]
        for room, device in self._ends(name):
            room.call(["tc", "qdisc", "replace", "dev", device, *rate], timeout_s=_TIMEOUT_S)

    def restore_speed(self, name: str) -> None:
        """Take the limit off again."""
        for room, device in self._ends(name):
            room.call(["tc", "qdisc", "del", "dev", device, "root"], timeout_s=_TIMEOUT_S)

    def fill_disk(self, name: str, *, free_kib: int = 0) -> None:
        """Shut down, boot on a drive that is full but for `free_kib`; `free_disk` undoes it."""
        host = self._lab.host(name)
        host.shut_down()
        limit(host.room, host.drive, mib=_VOLUME_MIB)
        host.boot()
        with (host.drive_c / _FILLER).open("wb", buffering=0) as filler:
            found = os.fstatvfs(filler.fileno())
            space = found.f_bavail * found.f_frsize - free_kib * 1024
            os.posix_fallocate(filler.fileno(), 0, max(space, 1))

    def free_disk(self, name: str) -> None:
        """Shut down, give the drive its room again with everything written meanwhile, and boot."""
        host = self._lab.host(name)
        (host.drive_c / _FILLER).unlink(missing_ok=True)
        host.shut_down()
        release(host.room, host.drive)
        host.boot()

    def cut_power_at_write(
        self, name: str, *, program: str, write: int, lose_unflushed: bool = False
    ) -> None:
        """Cut the host's power at the n-th write of each process of `program` that starts from now on.

        `program` is a Go program, for example `kubeadm.exe`, or `python.exe` for the node program. The
        write itself is not done; with `lose_unflushed`, neither are those it had not flushed.
        """
        drive = self._lab.host(name).drive_c
        order_power_cut(drive, program, write, lose_unflushed=lose_unflushed)

    def awaits_power_cut(self, name: str) -> bool:
        """Whether a cut was ordered and has not come yet."""
        return power_cut_is_ordered(self._lab.host(name).drive_c)

    def cancel_power_cut(self, name: str) -> bool:
        """Take the order back; false where the power was cut, or no cut was ordered."""
        return cancel_power_cut(self._lab.host(name).drive_c)

    def cut_power(self, name: str) -> None:
        """End every process of the host at once; what was not written is lost."""
        self._lab.host(name).room.close()

    def restore_power(self, name: str) -> None:
        """Boot a host whose power was cut, from the drive it had."""
        host = self._lab.host(name)
        host.room.close()
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
