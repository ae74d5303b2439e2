"""The registry, and the machine's environment variables in it."""

from typing import Protocol

from transom.node.host.values import (
    RegistryData,
)


class ReadRegistry(Protocol):
    """Keys and values under HKEY_LOCAL_MACHINE, for looking."""

    def has_key(self, key: str) -> bool:
        """Say whether a key exists."""

    def get(self, key: str, name: str) -> RegistryData | None:
        """Give a value, None where there is none."""


class Registry(ReadRegistry, Protocol):
    """The same, for changing."""

    def make_key(self, key: str) -> None:
        """Make a key and those above it that are missing."""

    def put(self, key: str, name: str, data: RegistryData | None) -> None:
        """Set a value of an existing key; None deletes it."""


class UndoRegistry(Registry, Protocol):
    """The same, with what only an undo may do."""

    def delete_key(self, key: str) -> None:
        """Delete a key with everything in it, if it is there."""


class ReadEnvironment(Protocol):
    """Machine-wide variables, for looking."""

    def get(self, name: str) -> str | None:
        """Give a variable as it is stored, unexpanded."""


class Environment(ReadEnvironment, Protocol):
    """The same, for changing."""

    def put(self, name: str, value: str | None) -> None:
        """Set a variable; None deletes it."""

    def add_entry(self, name: str, entry: str) -> None:
        """Add an entry at the end of a list such as PATH, unless it is there."""


class UndoEnvironment(Environment, Protocol):
    """The same, with what only an undo may do."""

    def remove_entry(self, name: str, entry: str) -> None:
        """Remove an entry from such a list, and the list when nothing is left."""
