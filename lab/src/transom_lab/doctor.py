"""What a machine lacks to run the lab, and the command that installs it. Changes nothing."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from transom.errors import PermanentError
from transom_lab.gomodules import INSTALL_GO, find_go
from transom_lab.launcher import COMPILER
from transom_lab.processes import run_program

_APT = "apt-get install -y --no-install-recommends"


@dataclass(frozen=True)
class Need:
    """One thing the lab needs: for what, how to see it, how to get it."""

    name: str
    purpose: str
    remedy: str
    present: Callable[[], bool]
    windows_only: bool = False


def _program(*names: str) -> Callable[[], bool]:
    path = os.pathsep.join(["/usr/lib/wine", "/usr/sbin", "/sbin", os.environ.get("PATH", "")])
    return lambda: any(shutil.which(name, path=path) for name in names)


def _is_root() -> bool:
    return os.geteuid() == 0


def _has_go() -> bool:
    try:
        return bool(find_go())
    except PermanentError:
        return False


def _has_namespaces() -> bool:
    argv = ["unshare", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "true"]
    return (
        bool(shutil.which("unshare")) and not run_program(argv, timeout_s=10, env=None).returncode
    )


def _is_seen_by_hosts() -> bool:
    places = (Path(sys.executable).absolute(), Path(sys.prefix), Path(__file__).resolve())
    return not any(place.is_relative_to("/tmp") for place in places)  # noqa: S108 - hosts have their own


NEEDS = (
    Need(
        "linux", "namespaces, Wine", "use a Linux machine, x86_64", Path("/proc/self/ns/net").exists
    ),
    Need("root", "namespaces and mounts of the lab's own", "run as root (sudo)", _is_root),
    Need("ip", "the lab's network", f"{_APT} iproute2", _program("ip")),
    Need("nsenter", "entering the lab's namespaces", f"{_APT} util-linux", _program("nsenter")),
    Need(
        "namespaces",
        "one set for the control plane and for each host",
        "as root; in a container, run it with --privileged",
        _has_namespaces,
    ),
    Need(
        "go",
        "the stand-ins, and the upstream programs where no release can be downloaded",
        INSTALL_GO,
        _has_go,
        windows_only=True,
    ),
    Need(
        "a place outside /tmp",
        "the hosts' own services run this Python, and each host has a /tmp of its own",
        "install transom-lab elsewhere: a clone or a virtual environment in your home",
        _is_seen_by_hosts,
        windows_only=True,
    ),
    Need("wine64", "the Windows userland", f"{_APT} wine64", _program("wine64"), windows_only=True),
    Need(
        COMPILER,
        "the stand-ins for what Wine lacks",
        f"{_APT} gcc-mingw-w64-x86-64",
        _program(COMPILER),
        windows_only=True,
    ),
)


def lacking(*, windows: bool = True) -> list[Need]:
    """What is missing; without `windows`, for a control plane alone."""
    return [need for need in NEEDS if (windows or not need.windows_only) and not need.present()]
