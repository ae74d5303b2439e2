"""The kinds of change the journal knows: how to see what was there, and how to put it back.

One entry of `ACTS` per kind. The journalling host looks before each change, a step's undo puts
back. Putting back is idempotent, so an undo that was cut short is simply done again.
"""

import ntpath
from collections.abc import Callable, Mapping
from typing import Any

from transom.errors import InternalError
from transom.model.codec import decode, encode
from transom.model.journal import SERVICE_STATE, Receipt
from transom.model.records import dataclass
from transom.node.host.files import BESIDE
from transom.node.host.protocols import ReadHost, UndoHost
from transom.node.host.values import (
    FeatureState,
    FirewallPort,
    PathKind,
    RegistryData,
    ServiceDefinition,
)

Before = Mapping[str, Any] | None
SEPARATOR = "|"
_DOCKER_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class Act:
    """How one kind of change is seen and put back, and whether Windows keeps it in its registry."""

    look: Callable[[ReadHost, str], Before]
    restore: Callable[[UndoHost, str, Before], None]
    in_registry: bool = True


def restore_all(host: UndoHost, receipt: Receipt) -> None:
    """Put everything a receipt names back, last change first.

    Services it names stand still meanwhile, because one that runs holds its program open; in the end
    they are what they were before the first change.
    """
    states = {i.subject: i for i in reversed(receipt.intents) if i.act == SERVICE_STATE}
    for name in reversed(states):
        host.services.stop(name)
    for intent in reversed(receipt.intents):
        act = ACTS.get(intent.act)
        if act is None:
            raise InternalError(f"the journal has an unknown act {intent.act!r}")
        if intent.act != SERVICE_STATE:
            act.restore(host, intent.subject, intent.before)
    for name, intent in states.items():
        _restore_service_state(host, name, intent.before)


def _look_file(host: ReadHost, path: str) -> Before:
    """Only whether it is there: the journalling host adds where it kept a copy."""
    return None if host.files.kind(path) is PathKind.ABSENT else {"acl": host.files.acl(path)}


def _restore_file(host: UndoHost, path: str, before: Before) -> None:
    if host.files.kind(ntpath.dirname(path)) is not PathKind.DIRECTORY:
        return  # whoever removed the directory removed the file
    if before is None or "saved" not in before:
        host.files.remove(path)
        return
    host.files.remove(path + BESIDE)
    saved = host.files.read(before["saved"])
    if host.files.kind(path) is PathKind.ABSENT or host.files.read(path) != saved:
        host.files.write(path, saved, acl=before["acl"])
    elif host.files.acl(path) != before["acl"]:
        host.files.set_acl(path, before["acl"])


def _look_directory(host: ReadHost, path: str) -> Before:
    return _look_acl(host, path)


def _restore_directory(host: UndoHost, path: str, before: Before) -> None:
    if before is None:
        host.files.remove_tree(path)
        return
    host.files.make_directory(path)
    _restore_acl(host, path, before)


def _look_acl(host: ReadHost, path: str) -> Before:
    return None if host.files.kind(path) is PathKind.ABSENT else {"acl": host.files.acl(path)}


def _restore_acl(host: UndoHost, path: str, before: Before) -> None:
    if before is None or host.files.kind(path) is PathKind.ABSENT:
        return
    if host.files.acl(path) != before["acl"]:
        host.files.set_acl(path, before["acl"])


def _look_key(host: ReadHost, key: str) -> Before:
    return {} if host.registry.has_key(key) else None


def _restore_key(host: UndoHost, key: str, before: Before) -> None:
    if before is None:
        host.registry.delete_key(key)


def _look_value(host: ReadHost, subject: str) -> Before:
    key, name = subject.split(SEPARATOR)
    data = host.registry.get(key, name)
    if data is None:
        return None
    value = list(data.value) if isinstance(data.value, tuple) else data.value
    return {"type": data.type, "value": value}


def _restore_value(host: UndoHost, subject: str, before: Before) -> None:
    key, name = subject.split(SEPARATOR)
    if before is None:
        host.registry.put(key, name, None)
        return
    value = before["value"]
    data = RegistryData(before["type"], tuple(value) if isinstance(value, list) else value)
    host.registry.put(key, name, data)


def _look_variable(host: ReadHost, name: str) -> Before:
    value = host.environment.get(name)
    return None if value is None else {"value": value}


def _restore_variable(host: UndoHost, name: str, before: Before) -> None:
    host.environment.put(name, None if before is None else before["value"])


def _look_entry(_host: ReadHost, _subject: str) -> Before:
    return None


def _restore_entry(host: UndoHost, subject: str, _before: Before) -> None:
    name, entry = subject.split(SEPARATOR)
    host.environment.remove_entry(name, entry)


def _look_suffix(_host: ReadHost, _suffix: str) -> Before:
    return None


def _restore_suffix(host: UndoHost, suffix: str, _before: Before) -> None:
    host.network.remove_dns_suffix(suffix)


def _look_route(host: ReadHost, prefix: str) -> Before:
    gateway = host.network.persistent_route(prefix)
    return None if gateway is None else {"gateway": gateway}


def _restore_route(host: UndoHost, prefix: str, before: Before) -> None:
    host.network.put_route(prefix, None if before is None else before["gateway"])


def _look_rule(host: ReadHost, name: str) -> Before:
    rule = host.firewall.get(name)
    return None if rule is None else encode(rule)


def _restore_rule(host: UndoHost, name: str, before: Before) -> None:
    rule = None if before is None else decode(FirewallPort, dict(before))
    if host.firewall.get(name) != rule:
        host.firewall.put(name, rule)


def _look_exclusion(_host: ReadHost, _process: str) -> Before:
    return None


def _restore_exclusion(host: UndoHost, process: str, _before: Before) -> None:
    host.defender.include(process)


def _look_feature(host: ReadHost, name: str) -> Before:
    return {"state": host.features.state(name).value}


def _restore_feature(host: UndoHost, name: str, before: Before) -> None:
    off = (FeatureState.DISABLED.value, FeatureState.DISABLE_PENDING.value)
    if before is not None and before["state"] in off:
        host.features.disable(name)


def _look_service(host: ReadHost, name: str) -> Before:
    definition = host.services.get(name)
    return None if definition is None else encode(definition)


def _restore_service(host: UndoHost, name: str, before: Before) -> None:
    definition = None if before is None else decode(ServiceDefinition, dict(before))
    if host.services.get(name) != definition:
        host.services.put(name, definition)


def _look_service_state(host: ReadHost, name: str) -> Before:
    return {"running": host.services.running(name)}


def _restore_service_state(host: UndoHost, name: str, before: Before) -> None:
    if host.services.get(name) is None:
        return
    if before is not None and before["running"]:
        if not host.services.running(name):
            host.services.start(name)
    else:
        host.services.stop(name)


def _look_hns(host: ReadHost, name: str) -> Before:
    return {} if host.network.hns_network(name) else None


def _restore_hns(host: UndoHost, name: str, before: Before) -> None:
    if before is None:
        host.network.delete_hns_network(name)


def _look_docker(_host: ReadHost, _name: str) -> Before:
    return None


def _restore_docker(host: UndoHost, name: str, before: Before) -> None:
    """Let Docker forget a network, where there still is a Docker."""
    assert before is not None
    program = before["program"]
    if host.files.kind(program) is PathKind.FILE:
        host.processes.run((program, "network", "rm", name), timeout_s=_DOCKER_TIMEOUT_S)


def _look_entries(host: ReadHost, path: str) -> Before:
    if host.files.kind(path) is not PathKind.DIRECTORY:
        return None
    return {"names": list(host.files.entries(path))}


def _restore_entries(host: UndoHost, path: str, before: Before) -> None:
    """Take away what an outside program has put into a directory since."""
    if before is None:
        host.files.remove_tree(path)
        return
    if host.files.kind(path) is PathKind.DIRECTORY:
        for name in set(host.files.entries(path)) - set(before["names"]):
            host.files.remove_tree(ntpath.join(path, name))


def _look_adapter(_host: ReadHost, _name: str) -> Before:
    return None


def _restore_adapter(_host: UndoHost, _name: str, _before: Before) -> None:
    """Windows gives the adapter back with the network; what it had is kept for people to compare."""


def _look_adopted(_host: ReadHost, _name: str) -> Before:
    return None


def _restore_adopted(_host: UndoHost, _name: str, _before: Before) -> None:
    """A node that somebody else made stays theirs."""


def _look_join(_host: ReadHost, _name: str) -> Before:
    return None


def _restore_join(_host: UndoHost, _name: str, _before: Before) -> None:
    """The join step resets the node itself before it puts its files back."""


ACTS: Mapping[str, Act] = {
    "file": Act(_look_file, _restore_file, in_registry=False),
    "directory": Act(_look_directory, _restore_directory, in_registry=False),
    "acl": Act(_look_acl, _restore_acl, in_registry=False),
    "registry-key": Act(_look_key, _restore_key),
    "registry-value": Act(_look_value, _restore_value),
    "variable": Act(_look_variable, _restore_variable),
    "list-entry": Act(_look_entry, _restore_entry),
    "dns-suffix": Act(_look_suffix, _restore_suffix),
    "route": Act(_look_route, _restore_route),
    "firewall-rule": Act(_look_rule, _restore_rule),
    "defender-exclusion": Act(_look_exclusion, _restore_exclusion),
    "feature": Act(_look_feature, _restore_feature),
    "service": Act(_look_service, _restore_service),
    SERVICE_STATE: Act(_look_service_state, _restore_service_state, in_registry=False),
    "docker-network": Act(_look_docker, _restore_docker, in_registry=False),
    "hns-network": Act(_look_hns, _restore_hns, in_registry=False),
    "directory-entries": Act(_look_entries, _restore_entries, in_registry=False),
    "adopted": Act(_look_adopted, _restore_adopted, in_registry=False),
    "adapter": Act(_look_adapter, _restore_adapter, in_registry=False),
    "kubeadm-join": Act(_look_join, _restore_join, in_registry=False),
}
