"""ping of the outside as a command of a Windows pod.

What it flags: a command of a Windows pod that pings an address or name outside the cluster.
Why it fails: ICMP from Windows pods to the outside is not routed by most networks, so the check
fails though the network works.
Example: `command: [ping, example.com]`.
Instead: use a TCP check such as curl.
Sources: kubernetes/website, Networking on Windows, limitations.
"""

import re
from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN177", "ping-to-the-outside")

_PING = re.compile(r"(?:^|[\s\\/;&|\"])ping(?:\.exe)?\s+(?P<rest>[^;&|>\"]*)", re.IGNORECASE)
# Options of ping that take a value.
_WITH_VALUE = frozenset("nliwvrsjkc")
_INSIDE = (".svc", ".cluster.local", ".local", ".internal")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per container that pings the outside."""
    for container in pod.containers:
        for field in ("command", "args"):
            text = " ".join(map(str, sequence(container.value.get(field))))
            targets = (_target(match["rest"].split()) for match in _PING.finditer(text))
            outside = next((name for name in targets if name and _is_outside(name)), "")
            if outside:
                yield Hit((*container.path, field), outside)
                break


def _target(words: list[str]) -> str:
    """What is pinged: the first word that is neither an option nor the value of one."""
    rest = iter(words)
    for word in rest:
        if not word.startswith(("-", "/")):
            return word
        if word[1:].lower() in _WITH_VALUE:
            next(rest, None)
    return ""


def _is_outside(target: str) -> bool:
    # Only here: few pods ping, and every start would pay for it.
    from ipaddress import ip_address

    try:
        return ip_address(target).is_global
    except ValueError:
        is_name = "." in target and not any(char in target for char in "$%{")
        return is_name and not target.lower().endswith(_INSIDE)
