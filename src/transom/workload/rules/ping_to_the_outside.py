"""ping as a command or probe of a Windows pod.

What it flags: a command or probe of a Windows pod that runs ping.
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

_PING = re.compile(r"(?:^|[\s\\/;&|])ping(?:\.exe)?(?:\s|$)", re.IGNORECASE)


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per command that pings."""
    for container in pod.containers:
        for field in ("command", "args"):
            words = sequence(container.value.get(field))
            if _PING.search(" ".join(map(str, words))):
                yield Hit((*container.path, field))
                break
