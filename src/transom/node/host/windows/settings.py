"""Features, firewall rules and Defender exclusions: read where Windows keeps them, changed by its tools."""

import sys

assert sys.platform == "win32"

import re

from transom.errors import PermanentError
from transom.node.host.nouns.processes import Processes
from transom.node.host.values import Completed, FeatureState, FirewallPort
from transom.node.host.windows.registry import WindowsRegistry

_TIMEOUT_S = 120
_DISM_TIMEOUT_S = 1800
_RULES = r"SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\FirewallRules"
_EXCLUSIONS = r"SOFTWARE\Microsoft\Windows Defender\Exclusions\Processes"
_DEFENDER = r"SYSTEM\CurrentControlSet\Services\WinDefend"
_PROTOCOLS = {"6": "tcp", "17": "udp"}
_PORTS = ("LPort", "LPort2_10")
_PLAIN = frozenset(("Action", "Active", "Dir", "Protocol", "Name", *_PORTS))
_FOR_PEOPLE = ("Desc", "EmbedCtxt")
_SUCCESS, _REBOOT_NEEDED, _UNKNOWN_FEATURE = 0, 3010, 0x800F080C
_STATE = re.compile(r"^State : (.+?)\s*$", re.MULTILINE)
_STATES = {
    "Enabled": FeatureState.ENABLED,
    "Enable Pending": FeatureState.ENABLE_PENDING,
    "Disable Pending": FeatureState.DISABLE_PENDING,
    "Disabled": FeatureState.DISABLED,
    "Disabled with Payload Removed": FeatureState.DISABLED,
}


_Rule = list[tuple[str, str]]


class WindowsFeatures:
    """Optional features through dism.exe, which also says what waits for a boot.

    A state is asked for once: dism.exe takes seconds, and only a change or a boot makes another.
    """

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._states: dict[str, FeatureState] = {}

    def state(self, name: str) -> FeatureState:
        if name not in self._states:
            self._states[name] = self._ask(name)
        return self._states[name]

    def _ask(self, name: str) -> FeatureState:
        done = self._dism("/Get-FeatureInfo", f"/FeatureName:{name}")
        if done.code & 0xFFFF_FFFF == _UNKNOWN_FEATURE:
            return FeatureState.ABSENT
        match = _STATE.search(done.output)
        if done.code != _SUCCESS or match is None or match[1] not in _STATES:
            raise _failed("dism.exe", f"tell the state of {name}", done)
        return _STATES[match[1]]

    def enable(self, name: str) -> None:
        self._change("/Enable-Feature", name, "/All")

    def disable(self, name: str) -> None:
        self._change("/Disable-Feature", name)

    def _change(self, verb: str, name: str, *more: str) -> None:
        try:
            done = self._dism(verb, f"/FeatureName:{name}", *more, "/NoRestart")
        finally:
            self._states.clear()
        if done.code not in (_SUCCESS, _REBOOT_NEEDED):
            raise _failed("dism.exe", f"change {name}", done)

    def _dism(self, *words: str) -> Completed:
        argv = ["dism.exe", "/Online", "/English", *words]
        return self._processes.run(argv, timeout_s=_DISM_TIMEOUT_S)


class WindowsFirewall:
    """Inbound rules that allow a port, through netsh.exe."""

    def __init__(self, registry: WindowsRegistry, processes: Processes) -> None:
        self._registry = registry
        self._processes = processes

    def get(self, name: str) -> FirewallPort | None:
        return next((_port_of(rule) for rule in self._rules(name)), None)

    def put(self, name: str, rule: FirewallPort | None) -> None:
        found = self._rules(name)
        if rule is not None and found and not _says_only_a_port(found):
            raise PermanentError(
                f"there is another firewall rule {name}, which says more than a port or opens none: "
                "replaced, it could not be put back",
                subject=name,
                hint="Rename or remove that rule, then run this again.",
            )
        if found:
            self._netsh("delete", "rule", f"name={name}", "dir=in")
        if rule is not None:
            self._netsh(
                *("add", "rule", f"name={name}", "dir=in", "action=allow"),
                *(f"protocol={rule.protocol}", f"localport={rule.port}"),
            )

    def _rules(self, name: str) -> list[_Rule]:
        """Each inbound rule of that name, as the pairs that Windows keeps of it."""
        found = []
        for value in self._registry.names(_RULES):
            data = self._registry.get(_RULES, value)
            parts = str(data.value if data else "").split("|")
            rule = [part.partition("=")[::2] for part in parts if "=" in part]
            if ("Name", name) in rule and ("Dir", "In") in rule:
                found.append(rule)
        return found

    def _netsh(self, *words: str) -> None:
        argv = ["netsh.exe", "advfirewall", "firewall", *words]
        done = self._processes.run(argv, timeout_s=_TIMEOUT_S)
        if done.code != 0:
            raise _failed("netsh.exe", " ".join(words), done)


def _port_of(rule: _Rule) -> FirewallPort:
    """What it opens; no port where it blocks, or is switched off."""
    said = dict(rule)
    protocol = said.get("Protocol", "")
    usable = said.get("Action") == "Allow" and said.get("Active") == "TRUE"
    ports = [value for key, value in rule if key in _PORTS] if usable else []
    return FirewallPort(protocol=_PROTOCOLS.get(protocol, protocol), port=",".join(ports))


def _says_only_a_port(rules: list[_Rule]) -> bool:
    keys = [key for rule in rules for key, _ in rule if key not in _FOR_PEOPLE]
    plain = all(_port_of(rule).port for rule in rules)
    return plain and len(keys) == len(set(keys)) and set(keys) <= _PLAIN


class WindowsDefender:
    """Exclusions through Defender's own cmdlets; tamper protection refuses any other way."""

    def __init__(self, registry: WindowsRegistry, processes: Processes) -> None:
        self._registry = registry
        self._processes = processes

    def present(self) -> bool:
        return self._registry.has_key(_DEFENDER)

    def excluded(self, process: str) -> bool:
        names = [name.lower() for name in self._registry.names(_EXCLUSIONS)]
        return process.lower() in names

    def exclude(self, process: str) -> None:
        self._preference("Add-MpPreference", process)

    def include(self, process: str) -> None:
        if self.excluded(process):
            self._preference("Remove-MpPreference", process)

    def _preference(self, cmdlet: str, process: str) -> None:
        quoted = process.replace("'", "''")
        argv = ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command"]
        done = self._processes.run(
            [*argv, f"{cmdlet} -ExclusionProcess '{quoted}' -ErrorAction Stop"],
            timeout_s=_TIMEOUT_S,
        )
        if done.code != 0:
            raise _failed(cmdlet, process, done)


def _failed(program: str, doing: str, done: Completed) -> PermanentError:
    return PermanentError(
        f"{program} cannot {doing}: it ended with {done.code}: {done.output.strip()[-500:]}",
        subject=program,
    )
