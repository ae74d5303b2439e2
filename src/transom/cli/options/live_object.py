"""A live Pod or Node and its events, read for `transom explain`."""

import sys
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from transom.cli.options.workload_options import with_cluster
from transom.errors import PermanentError, UsageError
from transom.model.manifest import ObjectName
from transom.workload import complaints

if TYPE_CHECKING:
    from transom.kube.door import Door

_KINDS = {
    **dict.fromkeys(("pod", "pods", "po"), "Pod"),
    **dict.fromkeys(("node", "nodes", "no"), "Node"),
}
# Events of what is in no namespace are kept here.
_DEFAULT = "default"


def kind_and_name(words: list[str]) -> tuple[str, str] | None:
    """The object that is meant by `pod/NAME` or `node/NAME`; None where something else is asked."""
    kind, slash, name = words[0].partition("/") if len(words) == 1 else ("", "", "")
    return (_KINDS[kind.lower()], name) if slash and name and kind.lower() in _KINDS else None


def complaints_of(args: Namespace, kind: str, name: str) -> list[str]:
    """What the object and its events say is wrong."""
    namespace = args.namespace or _DEFAULT

    async def ask(door: "Door") -> list[str]:
        found = await _find(door, kind, name, namespace)
        events = await _events(door, namespace if kind == "Pod" else _DEFAULT)
        judge = complaints.of_pod if kind == "Pod" else complaints.of_node
        return judge(found, events)

    return with_cluster(args, ask)


async def _find(door: "Door", kind: str, name: str, namespace: str) -> Mapping[str, Any]:
    found = await door.get(ObjectName("v1", kind, namespace if kind == "Pod" else "", name))
    if found is not None:
        return found
    where = f" in the namespace {namespace}" if kind == "Pod" else ""
    command = f"kubectl get {kind.lower()}s{' --all-namespaces' if kind == 'Pod' else ''}"
    raise UsageError(
        f"there is no {kind.lower()} {name}{where}",
        subject=f"{kind.lower()}/{name}",
        hint=f"`{command}` shows them" + (", and -n names the namespace" if where else ""),
    )


async def _events(door: "Door", namespace: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    try:
        for resource in await door.resources(("Event",)):
            async for value in door.objects(resource, namespace=namespace):
                found.append(value)  # noqa: PERF401 - what was read before a refusal counts
    except PermanentError as error:
        print(f"note: events are not read: {error.message}", file=sys.stderr)
    return found
