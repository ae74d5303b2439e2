"""An id as the reason of a Kubernetes condition, which knows no hyphens: one function, for whoever writes conditions.

Standard library only: it ships to hosts.
"""

import re

_WORDS = re.compile(r"[A-Za-z0-9]+")


def reason_of(identifier: str) -> str:
    """`hns-network-missing` as `HnsNetworkMissing`; what is CamelCase or a code already stays as it is."""
    words = _WORDS.findall(identifier)
    return "".join(word[0].upper() + word[1:] for word in words)
