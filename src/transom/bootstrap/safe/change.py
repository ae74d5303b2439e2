"""What was changed in boot data and why: collected while it is rewritten."""

from typing import NamedTuple


class Change(NamedTuple):
    """One thing that is different now, and the trap that is no more."""

    trap: str
    what: str


class Changes:
    """The changes so far, in the order they were made."""

    def __init__(self) -> None:
        self.made: list[Change] = []

    def note(self, trap: str, what: str) -> None:
        """Something was changed because of a trap."""
        self.made.append(Change(trap, what))
