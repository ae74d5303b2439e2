"""A HostProcess container that calls a Service.

What it flags: the DNS name of a Service in the arguments or the environment of a HostProcess
container.
Why it fails: processes of a Windows host do not reach cluster IPs, and do not ask the cluster's DNS.
Example: `value: http://db.shop.svc.cluster.local`.
Instead: call pod addresses, a node port of another node, or the API server's own address.
Sources: kubernetes/website, Windows user guide; Kubernetes handbook, Windows chapter.
"""

import re
from collections.abc import Iterator
from typing import Any

from transom.workload.context import LintContext
from transom.workload.pods import ContainerView, PodView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN168", "hostprocess-calls-service")

_SERVICE = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+\.svc(?![a-z0-9-])")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per text that names a Service."""
    for container in pod.containers:
        for text, path in _texts(container):
            found = _SERVICE.search(text) if isinstance(text, str) else None
            if found is not None:
                yield Hit((*container.path, *path), found[0])


def _texts(container: ContainerView) -> Iterator[tuple[Any, tuple[str | int, ...]]]:
    for name in ("command", "args"):
        for index, text in enumerate(sequence(container.value.get(name))):
            yield text, (name, index)
    for index, variable in enumerate(sequence(container.value.get("env"))):
        yield mapping(variable).get("value"), ("env", index, "value")
