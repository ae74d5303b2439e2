"""Reading fleets: from the bytes a person wrote to values, or to every mistake with its place.

Reads no file, asks no cluster, knows no fact: what is spelt right and still cannot work is refused
by the recipe.
"""

from collections.abc import Iterator
from typing import Any

from transom.errors import InvalidDocument
from transom.model.fleet import Cluster, Fleet
from transom.model.problem import Mistake
from transom.spec.fault import Fault, dotted
from transom.spec.hosts import host_faults, merged_hosts
from transom.spec.secret import Secrets, find_secrets
from transom.spec.shape import attribute, build
from transom.spec.shapes.document import API_VERSION, FLEET, KIND, SPEC
from transom.spec.shapes.host import HOST
from transom.spec.validation import faults_of
from transom.spec.written import as_written
from transom.yamlio.loader import Document, load

_GROUP = API_VERSION.partition("/")[0]
_LEVELS = ("defaults", "pools", "hosts")


def read_fleets(source: bytes | str, *, name: str) -> list[Fleet]:
    """Read every fleet of a stream; `name` is what the stream is called in messages.

    Raises:
        InvalidDocument: with every mistake of every document.
    """
    documents = load(source, name=name)
    mistakes: list[Mistake] = []
    fleets: dict[str, Fleet] = {}
    for document in documents:
        value = as_written(FLEET, document)
        secrets = find_secrets(document.value)
        faults = [*secrets.faults, *_faults(value, secrets)]
        if not faults:
            fleet = _fleet(value)
            if fleet.name in fleets:
                faults = [_same_name(fleet.name)]
            fleets.setdefault(fleet.name, fleet)
        mistakes += (secrets.mask(_placed(fault, document)) for fault in faults)
    if not documents:
        hint = "Write one; `transom schema --help` shows how editors can help."
        mistakes.append(Mistake(f"there is no {KIND} in here", hint=hint, file=name))
    if mistakes:
        mistakes.sort(key=lambda mistake: (mistake.line, mistake.column))
        raise InvalidDocument(mistakes, subject=name)
    return list(fleets.values())


def _faults(value: Any, secrets: Secrets) -> Iterator[Fault]:
    if _is_of_another_kind(value):
        yield Fault(
            ("kind",),
            f"this is a `{value['kind']}`, not a `{KIND}`",
            "Keep other documents in files of their own.",
        )
        return
    for fault in (*faults_of(FLEET, value), *host_faults(value)):
        if not secrets.covers(fault.path):
            yield fault


def _is_of_another_kind(value: Any) -> bool:
    """Whether a document is somebody else's, and not a fleet with a mistake in its head."""
    if not isinstance(value, dict):
        return False
    kind, version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or kind == KIND:
        return False
    return not (isinstance(version, str) and version.partition("/")[0] == _GROUP)


def _same_name(name: str) -> Fault:
    return Fault(
        ("metadata", "name"),
        f"an earlier document is the fleet `{name}` already",
        "Give each fleet a name of its own.",
    )


def _placed(fault: Fault, document: Document) -> Mistake:
    place = document.locate(fault.path, key=fault.at_key)
    return Mistake(
        message=fault.message,
        path=dotted(fault.path),
        line=place.line,
        column=place.column,
        hint=fault.hint,
        file=document.name,
    )


def _fleet(value: dict[str, Any]) -> Fleet:
    spec = value["spec"]
    parts = {
        attribute(key): build(SPEC.keys[key], below)
        for key, below in spec.items()
        if key not in _LEVELS
    }
    parts.setdefault("cluster", Cluster())
    hosts = tuple(build(HOST, host) for host in merged_hosts(spec))
    return Fleet(name=value["metadata"]["name"], hosts=hosts, **parts)
