"""What a lab is, as one JSON file in its directory; every command but `up` starts by reading it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from transom.errors import UsageError
from transom_lab.host import HostPlan

_KIND = {"apiVersion": "lab.transom.dev/v1alpha1", "kind": "Lab"}


@dataclass(frozen=True)
class Record:
    """The lab as it was asked for; whether it runs is read from the system, never from here."""

    kubernetes: str
    components: tuple[str, ...]
    api_port: int
    hosts: tuple[HostPlan, ...]
    programs: Mapping[str, str]
    complete: bool = False

    def host(self, name: str) -> HostPlan:
        """The host called `name`."""
        for plan in self.hosts:
            if plan.name == name:
                return plan
        raise UsageError(
            f"the lab has no host {name!r}",
            subject=name,
            hint=f"its hosts: {', '.join(plan.name for plan in self.hosts) or 'none'}",
        )

    def with_hosts(self, hosts: Sequence[HostPlan]) -> "Record":
        """The same lab with other hosts."""
        return replace(self, hosts=tuple(hosts))


def write(path: Path, record: Record) -> None:
    """Replace the file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps({**_KIND, **asdict(record)}, indent=2) + "\n", encoding="utf-8")
    fresh.replace(path)


def read(path: Path) -> Record | None:
    """Read the file; None where there is no lab."""
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    for key in _KIND:
        document.pop(key, None)
    hosts = tuple(HostPlan(**plan) for plan in document.pop("hosts"))
    components = tuple(document.pop("components"))
    return Record(hosts=hosts, components=components, **document)
