"""The lab's figures: `up` from a warm cache, a bare kubeadm.exe join, memory, how many hosts fit in 8 GiB.

Makes a lab of its own, once to fill the cache and once to measure, and removes it. Where the machine cannot run a
lab it says what is missing; that is an error only with `--required`.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from transom_lab.controlplane import ca_certificate_hash
from transom_lab.doctor import lacking
from transom_lab.host import WindowsHost
from transom_lab.lab import Lab, Wish
from transom_lab.namespaces import Room
from transom_lab.network import CONTROL_PLANE
from transom_lab.places import cache_directory, lab_directory
from transom_lab.progress import Progress

ROOM_MIB = 8192
SETTLE_S = 5.0
DEADLINE_S = 60.0


def memory_mib(room: Room) -> float:
    """Proportional memory of every process of a room: pages shared with others count in part."""
    total = 0
    for pid in room.processes():
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def join(lab: Lab, host: WindowsHost) -> tuple[float, float]:
    """Join by the upstream kubeadm.exe; seconds until it ended and until the Node was Ready."""
    token = signed_token(lab)
    pin = ca_certificate_hash(lab.control_plane.ca_certificate.read_text(encoding="ascii"))
    began = time.monotonic()
    host.run(
        [
            *(r"C:\k\kubeadm.exe", "join", f"{CONTROL_PLANE}:6443", "--token", token),
            *("--discovery-token-ca-cert-hash", pin, "--node-name", host.plan.name),
            *("--cri-socket", "npipe:////./pipe/containerd-containerd"),
        ]
    )
    joined = time.monotonic() - began
    while not is_ready(lab, host.plan.name):
        if time.monotonic() - began > DEADLINE_S:
            raise SystemExit(f"{host.plan.name} did not become Ready")
        time.sleep(0.05)
    return joined, time.monotonic() - began


def signed_token(lab: Lab) -> str:
    """A token that the cluster has signed for: kubeadm.exe would come back for that after five seconds."""
    token = lab.control_plane.create_token(lab.program("kubeadm"))
    path = f"jsonpath={{.data.jws-kubeconfig-{token.partition('.')[0]}}}"
    began = time.monotonic()
    while not ask(lab, "get", "configmap", "cluster-info", "-n", "kube-public", "-o", path):
        if time.monotonic() - began > DEADLINE_S:
            raise SystemExit("the token was not signed")
        time.sleep(0.05)
    return token


def is_ready(lab: Lab, name: str) -> bool:
    """Whether the Node is Ready."""
    path = "jsonpath={.status.conditions[?(@.type=='Ready')].status}"
    return ask(lab, "get", "node", name, "--ignore-not-found", "-o", path) == b"True"


def ask(lab: Lab, *words: str) -> bytes:
    """What kubectl answers."""
    argv = [str(lab.program("kubectl")), "--kubeconfig", str(lab.kubeconfig), *words]
    return subprocess.run(argv, capture_output=True, check=False).stdout


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--required", action="store_true", help="fail where no lab can run")
    args = parser.parse_args()
    if missing := lacking():
        names = ", ".join(need.name for need in missing)
        print(f"no figures of the lab: this machine lacks {names}; see `transom lab doctor`")
        return 1 if args.required else 0
    lab = Lab(lab_directory("bench"), cache=cache_directory(), progress=Progress())
    lab.down()
    try:
        lab.up(Wish(hosts=2))
        lab.down()
        began = time.monotonic()
        lab.up(Wish(hosts=2))
        print(f"up, warm, two hosts       {time.monotonic() - began:6.1f} s")
        began = time.monotonic()
        lab.up(Wish(hosts=2))
        print(f"up again, nothing to do   {time.monotonic() - began:6.1f} s")
        for host in lab.hosts():
            joined, ready = join(lab, host)
            print(
                f"bare join of {host.plan.name}         {joined:6.1f} s, Ready after {ready:.1f} s"
            )
        time.sleep(SETTLE_S)
        host_mib = max(memory_mib(host.room) for host in lab.hosts())
        plane_mib = memory_mib(lab.control_plane.room)
        print(f"memory of the control plane {plane_mib:4.0f} MiB")
        print(f"memory of a joined host     {host_mib:4.0f} MiB")
        print(f"hosts that fit in 8 GiB     {int((ROOM_MIB - plane_mib) / host_mib):4d}")
    finally:
        began = time.monotonic()
        lab.down()
        print(f"down                      {time.monotonic() - began:6.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
