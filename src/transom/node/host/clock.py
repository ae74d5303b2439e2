"""The real clock."""

import time


class RealClock:
    """Time of this machine; only the runner waits with it."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
