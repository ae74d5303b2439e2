"""Environments of tests: a home without anything in it, and nobody to ask."""

from pathlib import Path

from transom.site.environment import Environment

NOWHERE = Path("/nonexistent")


def environment(home=NOWHERE, *, can_ask=False, **variables):
    """An environment with that home and these variables."""
    return Environment(home=home, data=home / "data", variables=variables, can_ask=can_ask)


class Nobody:
    """Nobody can be asked."""

    def trusts(self, host, algorithm, fingerprint):
        del host, algorithm, fingerprint
        return False

    def password(self, host, user):
        del host, user
