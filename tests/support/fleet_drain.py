"""A clock that only moves when it is slept on."""


class Time:
    def __init__(self, on_sleep=lambda: None):
        self.now, self.on_sleep = 0.0, on_sleep

    def monotonic(self):
        return self.now

    async def sleep(self, seconds):
        self.now += seconds
        self.on_sleep()
