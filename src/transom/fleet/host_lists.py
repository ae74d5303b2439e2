"""Hosts from lists that people already have: Ansible inventories, CSV files, the cluster's Nodes. Pure.

Called by `transom init`. Only what a fleet needs is taken: name, address, user, port, pool. No secret
is ever read from such a list.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from transom.errors import InvalidDocument, UsageError
from transom.facts import rows
from transom.facts.windows import Release
from transom.kube.api import Node
from transom.spec.loader import load

_COLUMNS = ("name", "address", "pool", "windows", "user", "port")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedHost:
    """A host as a list has it; what it does not say is empty."""

    name: str
    address: str = ""
    pool: str = ""
    windows: str = ""
    user: str = ""
    port: str = ""


def from_csv(text: str, *, name: str) -> tuple[ListedHost, ...]:
    """The rows of a CSV file whose first line names its columns."""
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    columns = [column.strip().lower() for column in reader.fieldnames or ()]
    unknown = [column for column in columns if column not in _COLUMNS]
    if "name" not in columns or unknown:
        raise UsageError(
            f"{name} has {'the unknown column ' + unknown[0] if unknown else 'no column name'}",
            subject=name,
            hint=f"its first line names the columns, of {', '.join(_COLUMNS)}",
        )
    reader.fieldnames = columns
    found = ({key: (row.get(key) or "").strip() for key in columns} for row in reader)
    return tuple(ListedHost(**row) for row in found if row["name"])


def from_ansible(text: str, *, name: str) -> tuple[ListedHost, ...]:
    """The hosts of an Ansible inventory, INI or YAML; a host's group is its pool."""
    is_yaml = ":" in text and not any(line.startswith("[") for line in text.splitlines())
    hosts = _yaml_hosts(text, name) if is_yaml else _ini_hosts(text)
    listed: dict[str, ListedHost] = {}
    for host, group, values in hosts:
        listed.setdefault(host, _ansible_host(host, group, values))
    if not listed:
        raise UsageError(
            f"{name} has no hosts", subject=name, hint="name an inventory, INI or YAML"
        )
    return tuple(listed.values())


def from_nodes(nodes: Iterable[Node]) -> tuple[ListedHost, ...]:
    """The cluster's Windows Nodes."""
    return tuple(
        ListedHost(
            name=node.name,
            address=next(iter(node.addresses), ""),
            windows=_release(node.kernel),
        )
        for node in nodes
        if node.system == "windows"
    )


def _release(kernel: str) -> str:
    builds = {str(row.build): row.id for row in rows.read(Release)}
    return next((builds[part] for part in kernel.split(".") if part in builds), "")


def _ansible_host(host: str, group: str, values: Mapping[str, Any]) -> ListedHost:
    def said(*keys: str) -> str:
        return next((str(values[key]) for key in keys if values.get(key)), "")

    return ListedHost(
        name=host.partition(".")[0].lower(),
        address=said("ansible_host", "ansible_ssh_host") or host,
        pool="" if group in ("all", "ungrouped", "") else group.lower().replace("_", "-"),
        user=said("ansible_user", "ansible_ssh_user"),
    )


def _ini_hosts(text: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    group = ""
    for raw in text.splitlines():
        line = raw.split("#", 1)[0].strip()
        if line.startswith("["):
            group = line.strip("[]")
        elif line and not line.startswith(";") and ":" not in group:
            host, *pairs = line.split()
            yield host, group, dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def _yaml_hosts(text: str, name: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    try:
        documents = load(text.encode(), name=name)
    except InvalidDocument as error:
        raise UsageError(f"{name} is no inventory", subject=name) from error
    for document in documents:
        if isinstance(document.value, dict):
            for group, body in document.value.items():
                yield from _group_hosts(str(group), body)


def _group_hosts(group: str, body: Any) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    if not isinstance(body, dict):
        return
    for child, inner in (body.get("children") or {}).items():
        yield from _group_hosts(str(child), inner)
    for host, values in (body.get("hosts") or {}).items():
        yield str(host), group, values if isinstance(values, dict) else {}
