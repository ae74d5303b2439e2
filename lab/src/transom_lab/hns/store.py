"""The objects of one host's HNS, kept in one JSON file that survives the service.

Objects are stored in the v2 schema; the v1 schema is a view of them (see `schema`). What the lab
must remember about an object but Windows would not show is kept apart, in `Entry.private`.
"""

import json
import uuid
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from transom_lab.hns.errors import Code, HnsFailureError

Json = dict[str, Any]

NULL_ID = "00000000-0000-0000-0000-000000000000"
SCHEMA_V2: Json = {"Major": 2, "Minor": 0}


class Kind(StrEnum):
    """What HNS keeps; the value is the word in the names of the v2 functions."""

    NETWORK = "Network"
    ENDPOINT = "Endpoint"
    NAMESPACE = "Namespace"
    LOAD_BALANCER = "LoadBalancer"
    SDN_ROUTE = "SdnRoute"


_MISSING = {Kind.NETWORK: Code.NETWORK_NOT_FOUND, Kind.ENDPOINT: Code.ENDPOINT_NOT_FOUND}


@dataclass(slots=True)
class Entry:
    """One object: its document as callers see it, and what only the lab knows of it."""

    document: Json
    private: Json = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The object's GUID, in lower case."""
        return str(self.document["ID"])


class Store:
    """All objects by kind and id, and the counter that numbers namespaces and adapters."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._objects: dict[Kind, dict[str, Entry]] = {kind: {} for kind in Kind}
        self.counter = 0
        self.accelerated_network: Json = {}
        if file is not None and file.exists():
            self._load(json.loads(file.read_text()))

    def _load(self, state: Json) -> None:
        for kind in Kind:
            self._objects[kind] = {
                id_: Entry(entry["document"], entry["private"])
                for id_, entry in state["objects"][kind].items()
            }
        self.counter = state["counter"]
        self.accelerated_network = state["accelnet"]

    def snapshot(self) -> Json:
        """Everything, as plain JSON values."""
        objects = {
            str(kind): {
                id_: {"document": entry.document, "private": entry.private}
                for id_, entry in entries.items()
            }
            for kind, entries in self._objects.items()
        }
        return {"objects": objects, "counter": self.counter, "accelnet": self.accelerated_network}

    def save(self) -> None:
        """Write the state file, whole or not at all."""
        if self._file is None:
            return
        temporary = self._file.with_suffix(".tmp")
        temporary.write_text(json.dumps(self.snapshot(), indent=1))
        temporary.replace(self._file)

    def all(self, kind: Kind) -> list[Entry]:
        """Every object of a kind, oldest first."""
        return list(self._objects[kind].values())

    def get(self, kind: Kind, wanted: str) -> Entry:
        """The object with this id, in either case.

        Raises:
            HnsFailureError: there is none.
        """
        try:
            return self._objects[kind][wanted.lower()]
        except KeyError:
            raise HnsFailureError(_MISSING.get(kind, Code.NOT_FOUND)) from None

    def add(
        self, kind: Kind, document: Json, *, wanted: str = "", private: Json | None = None
    ) -> Entry:
        """Store a new object under the caller's id (argument or member), or a made-up one."""
        given = (i.lower() for i in (wanted, document.get("ID") or "") if i and i != NULL_ID)
        id_ = next(given, "") or str(uuid.uuid4())
        if id_ in self._objects[kind]:
            raise HnsFailureError(Code.FILE_EXISTS)
        entry = Entry({**document, "ID": id_}, private or {})
        self._objects[kind][id_] = entry
        return entry

    def remove(self, kind: Kind, entry: Entry) -> None:
        """Forget an object."""
        del self._objects[kind][entry.id]

    def number(self) -> int:
        """A number not given before."""
        self.counter += 1
        return self.counter


def parse(text: str) -> Json:
    """Read a JSON object; nothing is an empty one.

    Raises:
        HnsFailureError: the text is not a JSON object.
    """
    try:
        document = json.loads(text or "{}")
    except ValueError:
        raise HnsFailureError(Code.INVALID_JSON) from None
    if not isinstance(document, dict):
        raise HnsFailureError(Code.INVALID_JSON)
    return document
