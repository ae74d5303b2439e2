"""Hosts from lists that people already have: Ansible inventories, CSV files, the cluster's Nodes. Pure.

Only what a fleet needs is taken: name, address, user, port, pool. No secret
is ever read from such a list.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from transom.errors import InvalidDocument, UsageError
from transom.facts import rows
from transom.facts.windows import Release
from transom.fleet.work.labels import FLEET
from transom.kube.api import Node
from transom.model.records import dataclass
from transom.yamlio.loader import load

_COLUMNS = ("name", "address", "pool", "windows", "user", "port")
_NO_GROUPS = ("all", "ungrouped", "")
_SECTION = re.compile(r"\[[^\[\]]+\]\s*$")
_COMMENT = re.compile(r"(^|\s)[#;].*")
_RANGE = re.compile(r"\[(?P<first>\d+|[A-Za-z]):(?P<last>\d+|[A-Za-z])(?::(?P<step>[1-9]\d*))?\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedHost:
    """A host as a list has it; what it does not say is empty, and `transport` then SSH."""

    name: str
    address: str = ""
    pool: str = ""
    windows: str = ""
    user: str = ""
    port: str = ""
    transport: str = ""


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
    wrong: list[str] = []
    listed: dict[str, ListedHost] = {}
    for row in reader:
        values = {key: (row.get(key) or "").strip() for key in columns}
        where, host = f"line {reader.line_num}", values["name"].lower()
        if None in row:
            wrong.append(f"{where} has more values than there are columns")
        elif not host and any(values.values()):
            wrong.append(f"{where} names no host")
        elif host in listed:
            wrong.append(f"{where} names {values['name']} again")
        elif host:
            listed[host] = ListedHost(**values)
    if wrong:
        raise UsageError(f"{name}: {'; '.join(wrong)}", subject=name, hint="correct these lines")
    if not listed:
        raise UsageError(f"{name} has no hosts", subject=name, hint="one on each line")
    return tuple(listed.values())


def from_ansible(text: str, *, name: str) -> tuple[ListedHost, ...]:
    """The hosts of an Ansible inventory; a host's group is its pool.

    INI, YAML, or the JSON that `ansible-inventory --list` prints for every kind of source, with the
    variables of groups in it. Ranges such as `win-[01:20]` are written out.
    """
    is_ini = any(_SECTION.match(line) for line in text.splitlines()) or ":" not in text
    hosts = _ini_hosts(text) if is_ini else _document_hosts(text, name)
    listed: dict[str, ListedHost] = {}
    for pattern, group, values in hosts:
        for host in _written_out(pattern):
            found = _ansible_host(host, group, values)
            # A host of several groups is first met in the outermost.
            if not (listed.get(host) and listed[host].pool):
                listed[host] = found
    if not listed:
        raise UsageError(
            f"{name} has no hosts",
            subject=name,
            hint="name an inventory in INI or YAML, or what `ansible-inventory --list` prints",
        )
    return tuple(listed.values())


def from_nodes(nodes: Iterable[Node], *, fleet: str) -> tuple[ListedHost, ...]:
    """The cluster's Windows Nodes, without those of other fleets."""
    return tuple(
        ListedHost(
            name=node.name,
            address=next(iter(node.addresses), ""),
            windows=_release(node.kernel),
        )
        for node in nodes
        if node.system == "windows" and node.labels.get(FLEET, fleet) == fleet
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
        pool="" if group in _NO_GROUPS else group.lower().replace("_", "-"),
        user=said("ansible_user", "ansible_ssh_user"),
        port=said("ansible_port", "ansible_ssh_port"),
        transport="winrm" if said("ansible_connection") in ("winrm", "psrp") else "",
    )


def _written_out(pattern: str) -> Iterator[str]:
    """The hosts of a pattern: `[01:20]` and `[a:c]` are ranges, with a step after another colon."""
    found = _RANGE.search(pattern)
    if found is None:
        yield pattern
        return
    first, last, step = found["first"], found["last"], int(found["step"] or 1)
    if first.isdecimal():
        numbers = range(int(first), int(last) + 1, step)
        items = [str(number).zfill(len(first)) for number in numbers]
    else:
        items = [chr(letter) for letter in range(ord(first), ord(last) + 1, step)]
    for item in items:
        yield from _written_out(pattern[: found.start()] + item + pattern[found.end() :])


def _ini_hosts(text: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    group, of_groups = "", _ini_variables(text)
    for raw in text.splitlines():
        line = _COMMENT.sub("", raw).strip()
        if _SECTION.match(line):
            group = line.strip("[]")
        elif line and ":" not in group:
            host, *pairs = line.split()
            yield (
                host,
                group,
                {**of_groups.get("all", {}), **of_groups.get(group, {}), **_pairs(pairs)},
            )


def _ini_variables(text: str) -> dict[str, dict[str, str]]:
    """The variables of `[GROUP:vars]`, which may stand after their group."""
    found: dict[str, dict[str, str]] = {}
    group = ""
    for raw in text.splitlines():
        line = _COMMENT.sub("", raw).strip()
        if _SECTION.match(line):
            name, _, kind = line.strip("[]").partition(":")
            group = name if kind == "vars" else ""
        elif group and "=" in line:
            found.setdefault(group, {}).update(_pairs([line.replace(" ", "")]))
    return found


def _pairs(words: Iterable[str]) -> dict[str, str]:
    pairs = (word.split("=", 1) for word in words if "=" in word)
    return {key: value.strip("'\"") for key, value in pairs}


def _document_hosts(text: str, name: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """YAML, or JSON, whose variables of hosts are in one place beside the groups."""
    try:
        documents = load(text.encode(), name=name)
    except InvalidDocument as error:
        raise UsageError(f"{name} is no inventory", subject=name) from error
    for document in documents:
        if isinstance(document.value, dict):
            known = (document.value.get("_meta") or {}).get("hostvars") or {}
            for group, body in document.value.items():
                for host, inner, values in _group_hosts(str(group), body, {}):
                    yield host, inner, {**values, **(known.get(host) or {})}


def _group_hosts(
    group: str, body: Any, outer: Mapping[str, Any]
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    if not isinstance(body, dict):
        return
    variables = {**outer, **(body.get("vars") or {})}
    children, hosts = body.get("children") or {}, body.get("hosts") or {}
    for child in children if isinstance(children, dict) else ():
        yield from _group_hosts(str(child), children[child], variables)
    for host in hosts:
        own = hosts[host] if isinstance(hosts, dict) else None
        yield str(host), group, {**variables, **(own or {})}
