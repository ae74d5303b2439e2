"""Answers that take long, each found once: whoever asks while it is being found waits for it.

Used by the doors to Windows, which begin to look for some of them beside all else. Knows nothing of
what is asked.
"""

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar

from transom.errors import TransomError

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Once(Generic[K, T]):
    """Answers by what they are about; one that could not be found is looked for again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._looking: dict[K, threading.Lock] = {}
        self._found: dict[K, T] = {}

    def get(self, subject: K, look: Callable[[], T]) -> T:
        """The answer, as it was found before or is found now."""
        with self._lock:
            looking = self._looking.setdefault(subject, threading.Lock())
        with looking:
            if subject not in self._found:
                self._found[subject] = look()
            return self._found[subject]

    def known(self) -> dict[K, T]:
        """What was found by now."""
        return dict(self._found)

    def know(self, found: Mapping[K, T]) -> None:
        """Take answers that somebody else found."""
        self._found.update(found)

    def forget(self) -> None:
        """Look anew for whatever is asked from now on."""
        self._found.clear()


def begin(
    look: Callable[[str], Any], subjects: Iterable[str], *, at_once: int = 1
) -> list[threading.Thread]:
    """Look at each beside what comes next; what fails is said to whoever asks for it then."""
    waiting = deque(subjects)

    def work() -> None:
        with suppress(IndexError):
            while True:
                with suppress(TransomError):
                    look(waiting.popleft())

    begun = [threading.Thread(target=work, daemon=True) for _ in range(min(at_once, len(waiting)))]
    for thread in begun:
        thread.start()
    return begun
