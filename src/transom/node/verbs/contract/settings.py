"""What a host promises about the registry, variables, features, firewall rules and DNS suffixes."""

from transom.node.host.protocols import Machine
from transom.node.host.values import FeatureState, FirewallPort, RegistryData
from transom.node.verbs.contract.promise import NAME, Promise, refuses

_KEY = rf"SOFTWARE\{NAME}"
_ONE, _TWO = RegistryData("dword", 1), RegistryData("string", "two")


def _registry(machine: Machine) -> bool:
    machine.registry.make_key(_KEY)
    try:
        machine.registry.put(_KEY, "number", _ONE)
        found = machine.registry.get(_KEY, "NUMBER")
        machine.registry.put(_KEY, "number", None)
        machine.registry.put(_KEY, "number", None)  # what is not there is deleted already
        return found == _ONE and machine.registry.get(_KEY, "number") is None
    finally:
        machine.registry.delete_key(_KEY)


def _old_key(machine: Machine) -> bool:
    registry = machine.registry
    registry.make_key(_KEY)
    try:
        registry.put(_KEY, "old", _ONE)
        registry.make_key(_KEY)
        registry.put(_KEY, "new", _TWO)
        both = registry.get(_KEY, "old") == _ONE and registry.get(_KEY, "new") == _TWO
        registry.put(_KEY, "new", None)
        return both and registry.get(_KEY, "old") == _ONE and registry.has_key(_KEY)
    finally:
        registry.delete_key(_KEY)


def _no_key(machine: Machine) -> bool:
    registry = machine.registry
    registry.delete_key(_KEY)  # what is not there is deleted already
    registry.put(_KEY, "number", None)
    return (
        not registry.has_key(_KEY)
        and registry.get(_KEY, "number") is None
        and refuses(lambda: registry.put(_KEY, "number", _ONE))
    )


def _keys_below(machine: Machine) -> bool:
    registry = machine.registry
    try:
        registry.make_key(rf"{_KEY}\a\b")
        registry.put(rf"{_KEY}\a\b", "number", _ONE)
        there = registry.has_key(rf"{_KEY}\A")
        registry.delete_key(rf"{_KEY}\a")
        return there and not registry.has_key(rf"{_KEY}\a\b") and registry.has_key(_KEY)
    finally:
        registry.delete_key(_KEY)


def _values(machine: Machine) -> bool:
    kinds = (
        RegistryData("string", "text with ü"),
        RegistryData("expand-string", r"%SystemRoot%\x"),
        RegistryData("multi-string", ("one", "two")),
        RegistryData("dword", 2**32 - 1),
        RegistryData("qword", 2**40),
    )
    machine.registry.make_key(_KEY)
    try:
        for data in kinds:
            machine.registry.put(_KEY, data.type, data)
        kept = all(machine.registry.get(_KEY, data.type) == data for data in kinds)
        machine.registry.put(_KEY, "dword", _TWO)
        return kept and machine.registry.get(_KEY, "dword") == _TWO
    finally:
        machine.registry.delete_key(_KEY)


def _variable(machine: Machine) -> bool:
    variables = machine.environment
    variables.put(NAME, None)  # what is not there is deleted already
    absent = variables.get(NAME) is None
    try:
        variables.put(NAME, "one")
        variables.put(NAME.upper(), r"%SystemRoot%\two")
        return absent and variables.get(NAME) == r"%SystemRoot%\two"
    finally:
        variables.put(NAME, None)


def _list(machine: Machine) -> bool:
    try:
        machine.environment.put(NAME, r"C:\theirs")
        machine.environment.add_entry(NAME, r"C:\one")
        machine.environment.add_entry(NAME, r"C:\ONE" + "\\")
        machine.environment.add_entry(NAME, r"C:\two")
        added = machine.environment.get(NAME)
        machine.environment.remove_entry(NAME, r"C:\one")
        machine.environment.remove_entry(NAME, r"C:\three")
        left = machine.environment.get(NAME)
        machine.environment.remove_entry(NAME, r"C:\theirs")
        machine.environment.remove_entry(NAME, r"C:\two")
        return (added, left, machine.environment.get(NAME)) == (
            r"C:\theirs;C:\one;C:\two",
            r"C:\theirs;C:\two",
            None,
        )
    finally:
        machine.environment.put(NAME, None)


def _feature(machine: Machine) -> bool:
    known = machine.features.state("Containers")
    return known is not FeatureState.ABSENT and (
        machine.features.state(NAME) is FeatureState.ABSENT
    )


def _firewall(machine: Machine) -> bool:
    rule = FirewallPort(protocol="tcp", port="47999")
    other = FirewallPort(protocol="udp", port="47998")
    try:
        machine.firewall.put(NAME, rule)
        first = machine.firewall.get(NAME)
        machine.firewall.put(NAME, other)
        second = machine.firewall.get(NAME)
    finally:
        machine.firewall.put(NAME, None)
    return (first, second, machine.firewall.get(NAME)) == (rule, other, None)


def _suffix(machine: Machine) -> bool:
    suffix = f"{NAME}.example"
    before = machine.network.dns_suffixes()
    try:
        machine.network.add_dns_suffix(suffix)
        machine.network.add_dns_suffix(suffix)
        added = machine.network.dns_suffixes()
    finally:
        machine.network.remove_dns_suffix(suffix)
    return added == (*before, suffix) and machine.network.dns_suffixes() == before


PROMISES: dict[str, Promise] = {
    "registry values are set and deleted": _registry,
    "a new value in an old key comes and goes by itself": _old_key,
    "a registry value needs its key": _no_key,
    "a key goes with all that is below it": _keys_below,
    "registry values keep their kind": _values,
    "variables are kept as they are written": _variable,
    "list variables have no duplicates, and keep what others put there": _list,
    "features are told by name": _feature,
    "firewall rules are added, changed and deleted": _firewall,
    "DNS suffixes are added and removed": _suffix,
}
