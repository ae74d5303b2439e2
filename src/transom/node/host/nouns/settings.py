"""Windows features, firewall rules and Defender exclusions."""

from typing import Protocol

from transom.node.host.values import (
    FeatureState,
    FirewallPort,
)


class ReadFeatures(Protocol):
    """Optional features of Windows, for looking."""

    def state(self, name: str) -> FeatureState:
        """Say whether a feature is on."""


class Features(ReadFeatures, Protocol):
    """The same, for changing; neither call reboots."""

    def enable(self, name: str) -> None:
        """Turn a feature on, perhaps as of the next boot."""

    def disable(self, name: str) -> None:
        """Turn a feature off, perhaps as of the next boot."""


class ReadFirewall(Protocol):
    """Inbound firewall rules by name, for looking."""

    def get(self, name: str) -> FirewallPort | None:
        """Give a rule, None where there is none."""


class Firewall(ReadFirewall, Protocol):
    """The same, for changing."""

    def put(self, name: str, rule: FirewallPort | None) -> None:
        """Set a rule; None deletes it."""


class ReadDefender(Protocol):
    """Processes that Windows Defender leaves alone, for looking."""

    def present(self) -> bool:
        """Say whether the host has Windows Defender at all."""

    def excluded(self, process: str) -> bool:
        """Say whether a process is left alone."""


class Defender(ReadDefender, Protocol):
    """The same, for changing."""

    def exclude(self, process: str) -> None:
        """Leave a process alone."""


class UndoDefender(Defender, Protocol):
    """The same, with what only an undo may do."""

    def include(self, process: str) -> None:
        """Watch a process again."""
