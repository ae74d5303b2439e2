"""What a host of the lab is made of, as far as a recipe reaches: for comparing before and after."""

import hashlib
from pathlib import Path

from transom_lab.host import WindowsHost

# What Windows itself and the lab's own parts keep for themselves.
NOT_COMPARED = ("windows", "users", "ProgramData/transom-lab")
_LOGS = tuple(
    f"var/log/{name}.log"
    for name in ("goshim", "standins", "containerd.exe", "kube-log-runner.exe")
)
_SERVICES = r"HKLM\SYSTEM\CurrentControlSet\Services"
_FIREWALL = rf"{_SERVICES}\SharedAccess"
_FIREWALL_KEY = r"HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\SharedAccess"
_ENVIRONMENT = r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment"


def snapshot(host: WindowsHost) -> dict[str, str]:
    """Files by their hash, services, the search path, firewall rules and the registry of HNS."""
    queries = {
        "services": [_SERVICES],
        "path": [_ENVIRONMENT, "/v", "Path"],
        "hns": [rf"{_SERVICES}\hns", "/s"],
        "firewall": [_FIREWALL, "/s"],
    }
    lines = {
        f"{name} {line.strip()}": "there"
        for name, words in queries.items()
        for line in host.run(["reg", "query", *words], check=False).splitlines()
        # Every Windows has the key of its firewall; the lab's netsh makes it with the first rule.
        if line.strip() and not line.startswith((_FIREWALL_KEY, "reg:"))
    }
    return files(host) | lines


def files(host: WindowsHost, below: str = "") -> dict[str, str]:
    """Files by their hash."""
    root = host.drive_c
    found = {}
    for path in sorted((root / below).rglob("*")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(NOT_COMPARED) and name not in _LOGS and not path.is_symlink():
            found[name] = _sum(path)
    return found


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "directory"
