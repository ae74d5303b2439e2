"""One try of a check: what `prove` may ask of the cluster, and the evidence that it gathers."""

import json
from collections.abc import Mapping
from typing import Any

from transom.errors import PermanentError
from transom.kube.door import POD, SERVICE, Door, Executed, Resource
from transom.model.manifest import Manifest, ObjectName
from transom.verify.check import Fault, NotProven
from transom.verify.running.case import Case
from transom.verify.running.objects import HTTP_PORT, SERVER, SHELL

# A program in a pod ends by then, or is taken for one that hangs.
_PROGRAM_S = 60.0
_SHOWN = 300
_CURL_S = 10


class Attempt:
    """A check under way; `memory` keeps what one turn leaves to the next."""

    def __init__(self, case: Case, door: Door) -> None:
        self.case = case
        self.door = door
        self.evidence: dict[str, str] = {}
        self.memory: dict[str, Any] = {}

    def name(self, name: str, resource: Resource = POD) -> ObjectName:
        """An object in the check's namespace."""
        return ObjectName(resource.api_version, resource.kind, self.case.namespace, name)

    async def found(self, name: str, resource: Resource = POD) -> Manifest:
        """An object of the check; raise NotProven where it is gone."""
        found = await self.door.get(self.name(name, resource))
        if found is None:
            raise NotProven(f"{resource.kind} {name} of the check is gone")
        return found

    async def pod_address(self, name: str = SERVER) -> str:
        """The address that a pod was given."""
        address = (await self.found(name))["status"].get("podIP")
        if not address:
            raise NotProven(f"pod {name} has no address")
        return str(address)

    async def cluster_address(self, name: str) -> str:
        """The address of a Service."""
        address = (await self.found(name, SERVICE))["spec"].get("clusterIP")
        if not address or address == "None":
            raise NotProven(f"Service {name} has no cluster IP")
        return str(address)

    async def execute(self, pod: str, *command: str, container: str = "main") -> Executed:
        """Run a program in a pod; one that cannot be started proves nothing."""
        try:
            return await self.door.execute(
                self.name(pod), command, container=container, deadline_s=_PROGRAM_S
            )
        except PermanentError as error:
            raise NotProven(f"{command[0]} cannot be run in pod {pod}: {error.message}") from error

    async def said(self, pod: str, *command: str, container: str = "main") -> str:
        """What a program says; raise Fault where it fails."""
        done = await self.execute(pod, *command, container=container)
        text = done.stdout.decode("utf-8", "replace").strip()
        if done.code != 0:
            errors = done.stderr.decode("utf-8", "replace").strip()
            raise Fault(
                f"{command[0]} ended with {done.code} in pod {pod}: {shown(errors or text)}"
            )
        return text

    async def line(self, pod: str, command: str, *, container: str = "main") -> str:
        """What a line of cmd.exe says."""
        return await self.said(pod, "cmd.exe", "/c", command, container=container)

    async def fetched(self, pod: str, url: str, *, container: str = "main") -> str:
        """What curl gets in a pod."""
        arguments = ("-g", "-s", "-S", "--max-time", str(_CURL_S), url)
        return await self.said(pod, "curl.exe", *arguments, container=container)

    async def dialed(
        self, pod: str, host: str, port: int, protocol: str, *, own_port: int = HTTP_PORT
    ) -> str:
        """Which host name answers a pod's program at an address; raise Fault where none does."""
        query = f"request=hostname&protocol={protocol}&host={host}&port={port}&tries=1"
        text = await self.fetched(pod, f"http://127.0.0.1:{own_port}/dial?{query}")
        try:
            answer = json.loads(text)
            responses, errors = answer.get("responses") or [], answer.get("errors") or []
        except (ValueError, AttributeError) as error:
            raise NotProven(f"pod {pod} does not run agnhost: it said {shown(text)!r}") from error
        if not responses:
            why = shown("; ".join(map(str, errors))) or "no answer"
            raise Fault(f"pod {pod} cannot reach {host}:{port} by {protocol}: {why}")
        return str(responses[0])

    async def kubelet(self, path: str) -> Mapping[str, Any]:
        """A document of the node's kubelet."""
        text = await self.kubelet_text(path)
        try:
            found = json.loads(text)
        except ValueError as error:
            raise Fault(f"the kubelet answers {path} with something else than JSON") from error
        return found if isinstance(found, dict) else {}

    async def kubelet_text(self, path: str) -> str:
        """A text of the node's kubelet."""
        return (await self.door.ask_kubelet(self.case.node.name, path)).decode("utf-8", "replace")


def shown(text: str) -> str:
    """Foreign text as a message may have it: one line, of bounded length, without control characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."


def expect(found: str, wanted: str, what: str) -> None:
    """Raise Fault unless something is as it should be."""
    if found != wanted:
        raise Fault(f"{what} is {shown(found)!r}, not {wanted!r}")


__all__ = ["SHELL", "Attempt", "expect", "shown"]
