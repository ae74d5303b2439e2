"""Entries of list variables such as PATH, over plain reading and writing of variables."""

from abc import abstractmethod
from typing import Protocol


class EntryLists(Protocol):
    """Adds and removes single entries, so that what others put in the list meanwhile stays."""

    @abstractmethod
    def get(self, name: str) -> str | None:
        """Give a variable as it is stored."""

    @abstractmethod
    def put(self, name: str, value: str | None) -> None:
        """Set a variable; None deletes it."""

    def add_entry(self, name: str, entry: str) -> None:
        """Add an entry at the end unless it is there."""
        value = self.get(name) or ""
        if not has_entry(value, entry):
            self.put(name, f"{value};{entry}" if value else entry)

    def remove_entry(self, name: str, entry: str) -> None:
        """Remove an entry; a list with nothing left goes too."""
        value = self.get(name) or ""
        if has_entry(value, entry):
            left = [other for other in value.split(";") if _plain(other) != _plain(entry)]
            self.put(name, ";".join(left) or None)


def has_entry(value: str, entry: str) -> bool:
    """Whether a list has an entry, as Windows compares paths."""
    return _plain(entry) in [_plain(other) for other in value.split(";")]


def _plain(entry: str) -> str:
    return entry.strip().rstrip("\\").lower()


class Variables(Protocol):
    """Variables, for looking."""

    def get(self, name: str) -> str | None:
        """Give a variable as it is stored."""


def proxies_of(variables: Variables) -> dict[str, str]:
    """The machine's proxies as they are stored now, as urllib takes them."""
    names = {"http": "HTTP_PROXY", "https": "HTTPS_PROXY", "no": "NO_PROXY"}
    found = {kind: variables.get(name) for kind, name in names.items()}
    return {kind: value for kind, value in found.items() if value}
