"""Features, firewall rules and Defender exclusions: read where Windows keeps them, changed by its tools."""

import sys

assert sys.platform == "win32"

import re

from transom.errors import PermanentError
from transom.node.host.nouns.processes import Processes
from transom.node.host.values import Completed, FeatureState, FirewallPort
from transom.node.host.windows_registry import WindowsRegistry

_TIMEOUT_S = 120
_DISM_TIMEOUT_S = 1800
_RULES = r"SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\FirewallRules"
_EXCLUSIONS = r"SOFTWARE\Microsoft\Windows Defender\Exclusions\Processes"
_DEFENDER = r"SYSTEM\CurrentControlSet\Services\WinDefend"
_PROTOCOLS = {"6": "tcp", "17": "udp"}
_SUCCESS, _REBOOT_NEEDED, _UNKNOWN_FEATURE = 0, 3010, 0x800F080C
_STATE = re.compile(r"^State : (.+?)\s*$", re.MULTILINE)
_STATES = {
    "Enabled": FeatureState.ENABLED,
    "Enable Pending": FeatureState.ENABLE_PENDING,
    "Disable Pending": FeatureState.DISABLE_PENDING,
    "Disabled": FeatureState.DISABLED,
    "Disabled with Payload Removed": FeatureState.DISABLED,
}


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
        self._states.clear()
        done = self._dism(verb, f"/FeatureName:{name}", *more, "/NoRestart")
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
        for value in self._registry.names(_RULES):
            data = self._registry.get(_RULES, value)
            pairs = str(data.value if data else "").split("|")
            rule = dict(pair.partition("=")[::2] for pair in pairs if "=" in pair)
            if rule.get("Name") == name and rule.get("Dir") == "In":
                protocol = rule.get("Protocol", "")
                usable = rule.get("Action") == "Allow" and rule.get("Active") == "TRUE"
                port = rule.get("LPort", rule.get("LPort2_10", "")) if usable else ""
                return FirewallPort(protocol=_PROTOCOLS.get(protocol, protocol), port=port)
        return None

    def put(self, name: str, rule: FirewallPort | None) -> None:
        if self.get(name) is not None:
            self._netsh("delete", "rule", f"name={name}", "dir=in")
        if rule is not None:
            self._netsh(
                *("add", "rule", f"name={name}", "dir=in", "action=allow"),
                *(f"protocol={rule.protocol}", f"localport={rule.port}"),
            )

    def _netsh(self, *words: str) -> None:
        argv = ["netsh.exe", "advfirewall", "firewall", *words]
        done = self._processes.run(argv, timeout_s=_TIMEOUT_S)
        if done.code != 0:
            raise _failed("netsh.exe", " ".join(words), done)


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
