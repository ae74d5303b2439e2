"""The secret of a place: fetched and deleted, tried again while a cloud is not ready for it.

A role that was just given to a machine takes a while to be known.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

from transom.errors import TemporaryError, UsageError
from transom.model.secret import SecretPlace
from transom.node.host.nouns.system import Clock
from transom.node.host.nouns.web import WebCalls
from transom.node.vault.aws import SERVICES, AwsStore
from transom.node.vault.azure import AzureStore

AZURE = "azure-key-vault"
_DEADLINE_S = 300.0
_FIRST_DELAY_S = 1.0
_LONGEST_DELAY_S = 30.0
_Answer = TypeVar("_Answer")


class Store(Protocol):
    """What one secret can be asked."""

    def fetch(self) -> bytes:
        """The secret's content."""

    def delete(self) -> None:
        """Remove the secret; nothing happens where there is none."""


def open_store(place: SecretPlace, web: WebCalls, clock: Clock) -> Store:
    """The store of that place, which waits where waiting helps."""
    if place.store == AZURE:
        return _Patient(AzureStore(web, place), clock)
    if place.store in SERVICES:
        return _Patient(AwsStore(web, place, clock.now), clock)
    raise UsageError(f"there is no store called {place.store}", subject=place.store)


class _Patient:
    """A store that is asked again after what may pass."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    def fetch(self) -> bytes:
        return self._until_answered(self._store.fetch)

    def delete(self) -> None:
        self._until_answered(self._store.delete)

    def _until_answered(self, ask: Callable[[], _Answer]) -> _Answer:
        deadline = self._clock.monotonic() + _DEADLINE_S
        delay_s = _FIRST_DELAY_S
        while True:
            try:
                return ask()
            except TemporaryError:
                if self._clock.monotonic() + delay_s > deadline:
                    raise
            self._clock.sleep(delay_s)
            delay_s = min(delay_s * 2, _LONGEST_DELAY_S)
