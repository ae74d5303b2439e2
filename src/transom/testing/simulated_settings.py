"""Registry, variables, features, firewall and Defender of the simulated host, in memory."""

import random
from dataclasses import dataclass, field
from typing import Any

from transom.errors import PermanentError
from transom.node.host.environment import EntryLists
from transom.node.host.values import (
    REGISTRY_TYPES,
    FeatureState,
    FirewallPort,
    RegistryData,
)
from transom.testing.faults import Calls


@dataclass
class Settings:
    """Named values of all nouns but files, by (noun, subject); lost in a cut until flushed."""

    calls: Calls
    durable: dict[tuple[str, str], Any] = field(default_factory=dict)
    seen: dict[tuple[str, str], Any] = field(default_factory=dict)
    pending: list[tuple[tuple[str, str], Any]] = field(default_factory=list)

    def get(self, noun: str, subject: str) -> Any:
        """Give a value, None where there is none."""
        self.calls.looked()
        return self.seen.get((noun, subject.lower()))

    def put(self, noun: str, subject: str, value: Any) -> None:
        """Set a value; None removes it."""
        key = (noun, subject.lower())

        def act() -> None:
            _set(self.seen, key, value)
            self.pending.append((key, value))

        self.calls.made(f"{noun} {subject}", act)

    def flush(self) -> None:
        """Make every value durable."""
        self.durable, self.pending = dict(self.seen), []

    def cut(self, chance: random.Random) -> None:
        """Lose a random subset of what was not flushed."""
        for key, value in self.pending:
            if chance.random() < 1 / 2:
                _set(self.durable, key, value)
        self.seen, self.pending = dict(self.durable), []


@dataclass
class SimulatedRegistry:
    """Keys and values."""

    settings: Settings

    def has_key(self, key: str) -> bool:
        return key.upper() in ("SYSTEM", "SOFTWARE") or bool(self.settings.get("key", key))

    def get(self, key: str, name: str) -> RegistryData | None:
        data: RegistryData | None = self.settings.get("value", f"{key}\\\\{name}")
        return data

    def make_key(self, key: str) -> None:
        parts = key.split("\\")
        for count in range(1, len(parts) + 1):
            parent = "\\".join(parts[:count])
            if not self.has_key(parent):
                self.settings.put("key", parent, True)

    def delete_key(self, key: str) -> None:
        low = key.lower()
        for noun, subject in list(self.settings.seen):
            if noun == "key" and (subject == low or subject.startswith(low + "\\")):
                self.settings.put("key", subject, None)
            elif noun == "value" and subject.startswith(low + "\\"):
                self.settings.put("value", subject, None)

    def put(self, key: str, name: str, data: RegistryData | None) -> None:
        if data is not None and not self.has_key(key):
            raise PermanentError(f"there is no registry key {key}", subject=key)
        assert data is None or data.type in REGISTRY_TYPES, data
        self.settings.put("value", f"{key}\\\\{name}", data)


@dataclass
class SimulatedEnvironment(EntryLists):
    """Machine-wide variables."""

    settings: Settings

    def get(self, name: str) -> str | None:
        value: str | None = self.settings.get("variable", name)
        return value

    def put(self, name: str, value: str | None) -> None:
        self.settings.put("variable", name, value)


@dataclass
class SimulatedFeatures:
    """Features; which need a reboot is the test's choice."""

    settings: Settings
    need_reboot: set[str] = field(default_factory=set)

    def state(self, name: str) -> FeatureState:
        return self.settings.get("feature", name) or FeatureState.ABSENT

    def enable(self, name: str) -> None:
        pending = name in self.need_reboot
        state = FeatureState.ENABLE_PENDING if pending else FeatureState.ENABLED
        self.settings.put("feature", name, state)

    def disable(self, name: str) -> None:
        self.settings.put("feature", name, FeatureState.DISABLED)

    def reboot(self) -> None:
        """Finish what waited for a boot."""
        for (noun, name), state in list(self.settings.seen.items()):
            if noun == "feature" and state is FeatureState.ENABLE_PENDING:
                self.settings.put("feature", name, FeatureState.ENABLED)


@dataclass
class SimulatedFirewall:
    """Rules."""

    settings: Settings

    def get(self, name: str) -> FirewallPort | None:
        rule: FirewallPort | None = self.settings.get("rule", name)
        return rule

    def put(self, name: str, rule: FirewallPort | None) -> None:
        self.settings.put("rule", name, rule)


@dataclass
class SimulatedDefender:
    """Exclusions."""

    settings: Settings
    installed: bool = True

    def present(self) -> bool:
        return self.installed

    def excluded(self, process: str) -> bool:
        return bool(self.settings.get("exclusion", process))

    def exclude(self, process: str) -> None:
        self.settings.put("exclusion", process, True)

    def include(self, process: str) -> None:
        self.settings.put("exclusion", process, None)


def _set(values: dict[tuple[str, str], Any], key: tuple[str, str], value: Any) -> None:
    if value is None:
        values.pop(key, None)
    else:
        values[key] = value
