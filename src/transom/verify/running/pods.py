"""Whether a check's pods are up, where they should be, and why not: the evidence of its precondition."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from transom.fleet.turning import Failed, Turn, Waiting
from transom.kube.answers import part
from transom.model.manifest import Manifest
from transom.verify.check import NotProven
from transom.verify.running.attempt import Attempt, shown

_HOSTNAME = "kubernetes.io/hostname"
_POLL_S = 2.0


async def await_pods(attempt: Attempt, manifests: Sequence[Manifest]) -> Turn:
    """Look at each pod; write down where it runs, with which image and isolation."""
    for wanted in manifests:
        if wanted["kind"] != "Pod":
            continue
        name = wanted["metadata"]["name"]
        found = await attempt.found(name)
        problem = trouble(found)
        if part(found, "status").get("phase") == "Failed":
            return Failed(NotProven(f"pod {name} of the check failed: {problem}"))
        if not is_ready(found):
            error = NotProven(f"pod {name} of the check is not Ready: {problem}")
            return Waiting(error=error, what=f"pod {name}: {problem}", poll_s=_POLL_S)
        node, on = found["spec"].get("nodeName", ""), wanted["spec"]["nodeSelector"][_HOSTNAME]
        if node != on:
            return Failed(NotProven(f"pod {name} of the check runs on {node}, not on {on}"))
        attempt.evidence[f"pod {name}"] = ", ".join((f"on {node}", *_how(found)))
    return None


def is_ready(pod: Manifest) -> bool:
    """Whether a pod runs and is Ready, or came to its end."""
    status = part(pod, "status")
    conditions = {item["type"]: item["status"] for item in status.get("conditions") or ()}
    return status.get("phase") == "Succeeded" or conditions.get("Ready") == "True"


def trouble(pod: Manifest) -> str:
    """Why a pod is not Ready, in Kubernetes' words."""
    return shown("; ".join(dict.fromkeys(filter(None, _troubles(pod))))) or "it is not started yet"


def _troubles(pod: Manifest) -> Iterator[str]:
    status = part(pod, "status")
    yield " ".join(filter(None, (status.get("reason"), status.get("message"))))
    for item in status.get("conditions") or ():
        if item["type"] == "PodScheduled" and item["status"] == "False":
            yield str(item.get("message") or "not scheduled")
    for item in container_statuses(pod):
        state = part(item, "state")
        waiting, ended = part(state, "waiting"), part(state, "terminated")
        yield " ".join(filter(None, (waiting.get("reason"), waiting.get("message"))))
        if ended:
            yield f"{item['name']} ended with {ended.get('exitCode')} {ended.get('reason', '')}".strip()


def container_statuses(pod: Manifest) -> list[Mapping[str, Any]]:
    """What the kubelet says of each container."""
    return list(part(pod, "status").get("containerStatuses") or ())


def _how(pod: Manifest) -> Iterator[str]:
    spec = pod["spec"]
    options = part(part(spec, "securityContext"), "windowsOptions")
    if options.get("hostProcess"):
        yield "HostProcess"
    elif spec.get("runtimeClassName"):
        yield f"RuntimeClass {spec['runtimeClassName']}"
    yield from dict.fromkeys(
        str(item.get("imageID") or item.get("image") or "image not known")
        for item in container_statuses(pod)
    )
