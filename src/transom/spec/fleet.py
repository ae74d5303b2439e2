"""Reading fleets: from the bytes people wrote to values, or to every mistake with its place.

A fleet may be spread over documents and files: the Fleet, its WindowsHosts, and what a Client knows
of it. Reads no file, asks no cluster, knows no fact: what is spelt right and still cannot work is
refused by the recipe.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from transom import __version__
from transom.errors import InvalidDocument
from transom.model.fleet import Fleet
from transom.model.problem import Mistake
from transom.spec.ambiguous import ambiguous
from transom.spec.build import Access, fleet_of
from transom.spec.fault import Fault, dotted
from transom.spec.hosts import (
    Entry,
    PlacedFault,
    as_map,
    entries_of,
    entry_of,
    host_faults,
    repeated_faults,
)
from transom.spec.secret import Secrets, find_secrets
from transom.spec.shape import Object
from transom.spec.shapes import client, document
from transom.spec.v1alpha1.convert import convert
from transom.spec.v1alpha1.document import API_VERSION as V1ALPHA1
from transom.spec.v1alpha1.document import FLEET as OLD_FLEET
from transom.spec.v1alpha1.hosts import host_faults as old_host_faults
from transom.spec.v1alpha1.written import as_written
from transom.spec.validation import faults_of, suggestions
from transom.yamlio.loader import Document, load_what_is_whole

_SHAPES = {
    document.KIND: document.FLEET,
    document.HOST_KIND: document.WINDOWS_HOST,
    client.KIND: client.CLIENT,
}
_READ = {
    document.KIND: (document.API_VERSION, V1ALPHA1),
    document.HOST_KIND: (document.API_VERSION,),
    client.KIND: (client.API_VERSION,),
}
_GROUPS = (document.GROUP, client.GROUP)


class Source(NamedTuple):
    """One file's text: what it is called in messages, and where its relative paths lead.

    `place` is for what is read from here, `keep` for what is looked for beside the fleet.
    """

    name: str
    text: bytes | str
    place: Callable[[str], str] = str
    keep: Callable[[str], str] = str


class Reading(NamedTuple):
    """What was read: the fleets, and the sources that hold documents of v1alpha1."""

    fleets: tuple[Fleet, ...]
    outdated: tuple[str, ...] = ()


def read_fleets(source: bytes | str, *, name: str) -> list[Fleet]:
    """Read every fleet of a stream; `name` is what the stream is called in messages.

    Raises:
        InvalidDocument: with every mistake of every document.
    """
    return list(read([Source(name, source)]).fleets)


def read(
    sources: Sequence[Source], *, clients: Sequence[Source] = (), later: Sequence[Source] = ()
) -> Reading:
    """Read every fleet of some sources; `clients` and `later` hold Client documents.

    Of several Clients that speak of a fleet the first counts: `clients`, then the sources, then `later`.

    Raises:
        InvalidDocument: with every mistake of every document.
    """
    parts = _Parts()
    for source in clients:
        parts.add(source, only=client.KIND)
    for source in sources:
        parts.add(source)
    for source in later:
        parts.add(source, only=client.KIND)
    fleets = parts.fleets()
    called = ", ".join(dict.fromkeys(source.name for source in sources))
    if not parts.mistakes and not fleets:
        hint = "Write one; `transom init` makes a first one, docs/fleet.md has every key."
        parts.mistakes.append(
            Mistake(f"there is no {document.KIND} in here", hint=hint, file=called)
        )
    if parts.mistakes:
        order = {source.name: index for index, source in enumerate((*clients, *sources, *later))}
        parts.mistakes.sort(key=lambda found: (order.get(found.file, 0), found.line, found.column))
        raise InvalidDocument(parts.mistakes, subject=called)
    return Reading(tuple(fleets), tuple(dict.fromkeys(parts.outdated)))


class _Part(NamedTuple):
    """A Fleet as it is understood, and where it is written."""

    value: dict[str, Any]
    document: Document
    secrets: Secrets
    is_right: bool


class _Parts:
    """What the sources hold, as far as it was read."""

    def __init__(self) -> None:
        self.mistakes: list[Mistake] = []
        self.outdated: list[str] = []
        self._fleets: dict[str, _Part] = {}
        self._hosts: dict[str, list[Entry]] = {}
        self._access: dict[str, Access] = {}
        self._secrets: dict[Document, Secrets] = {}
        self._unread = False

    def add(self, source: Source, *, only: str = "") -> None:
        """Read the documents of one source."""
        documents, mistakes = load_what_is_whole(source.text, name=source.name)
        self.mistakes += mistakes
        for found in documents:
            self._secrets[found] = find_secrets(found.value)
            self._note(found, self._secrets[found].faults)
            self._add(found, source, only)

    def fleets(self) -> list[Fleet]:
        """The fleets of everything that was added; what contradicts itself is noted."""
        self._orphans()
        fleets = []
        for name, part in self._fleets.items():
            entries = [*entries_of(part.document, part.value), *self._hosts.get(name, ())]
            # What was converted was judged before, in its own words.
            alone = part.value is not part.document.value and name not in self._hosts
            found = [] if alone else host_faults(part.value, part.document, entries)
            self._note_all(found)
            self._note_all(self._local_faults(name, entries))
            if not self.mistakes and part.is_right:
                fleets.append(fleet_of(part.value, entries, self._access.get(name)))
        return fleets

    def _add(self, found: Document, source: Source, only: str) -> None:
        value = found.value
        kind = value.get("kind") if isinstance(value, dict) else None
        stranger = _stranger(value, only)
        if stranger is not None:
            self._note(found, [stranger])
        elif kind == client.KIND:
            if self._is_right(found, client.CLIENT):
                for access in value["fleets"]:
                    self._access.setdefault(
                        access["fleetName"], Access(access, source.place, source.keep)
                    )
        elif kind == document.HOST_KIND:
            self._is_right(found, document.WINDOWS_HOST)
            fleet = as_map(as_map(value).get("spec")).get("fleetName")
            if isinstance(fleet, str):
                self._hosts.setdefault(fleet, []).append(entry_of(found, value))
        elif as_map(value).get("apiVersion") == V1ALPHA1:
            self._add_old(found, source)
        else:
            is_right = self._is_right(found, document.FLEET)
            self._add_fleet(found, value, is_right=is_right)

    def _add_old(self, found: Document, source: Source) -> None:
        self.outdated.append(source.name)
        value = as_written(OLD_FLEET, found)
        faults = [*faults_of(OLD_FLEET, value), *old_host_faults(value)]
        self._note(found, faults)
        if faults or self._secrets[found].faults:
            self._unread = True
            return
        new = convert(value)
        self._add_fleet(found, new.fleet, is_right=True)
        for access in new.client["fleets"] if new.client else ():
            self._access.setdefault(access["fleetName"], Access(access, source.place, source.keep))

    def _is_right(self, found: Document, shape: Object) -> bool:
        if shape is not client.CLIENT:
            _forget_null_time(found.value)
        faults = [
            *faults_of(shape, found.value, found.text),
            *ambiguous(shape, found),
            *repeated_faults(shape, found.value),
        ]
        self._note(found, faults)
        return not faults and not self._secrets[found].faults

    def _add_fleet(self, found: Document, value: Any, *, is_right: bool) -> None:
        name = as_map(as_map(value).get("metadata")).get("name")
        if not isinstance(name, str):
            return
        if name in self._fleets:
            self._note(found, [_same_name(name)])
            return
        self._fleets[name] = _Part(value, found, self._secrets[found], is_right)

    def _orphans(self) -> None:
        """WindowsHosts of a fleet that is not there."""
        if self._unread or (not self._fleets and self.mistakes):
            return
        for name, entries in self._hosts.items():
            if name in self._fleets:
                continue
            near = suggestions(name, list(self._fleets))
            known = ", ".join(f"`{each}`" for each in self._fleets)
            hint = f"Did you mean `{near[0]}`?" if near else f"The fleets here are {known}."
            if not self._fleets:
                hint = "Name the file of the Fleet too: -f takes several files, and folders."
            for entry in entries:
                fault = Fault(("spec", "fleetName"), f"there is no fleet `{name}` here", hint)
                self._note(entry.document, [fault])

    def _local_faults(self, name: str, entries: Sequence[Entry]) -> Iterator[PlacedFault]:
        access = self._access.get(name)
        local = access.value.get("localHost") if access else None
        if local is None or any(entry.name == local for entry in entries):
            return
        known = ", ".join(f"`{entry.name}`" for entry in entries) or "none"
        text = f"the Client says that Transom runs on `{local}`, which is no host of this fleet"
        yield PlacedFault(
            self._fleets[name].document, Fault(("spec", "hosts"), text, f"Its hosts are {known}.")
        )

    def _note_all(self, found: Iterable[PlacedFault]) -> None:
        for document_, fault in found:
            self._note(document_, [fault])

    def _note(self, found: Document, faults: Sequence[Fault]) -> None:
        secrets = self._secrets[found]
        for fault in faults:
            if fault in secrets.faults or not secrets.covers(fault.path):
                self.mistakes.append(secrets.mask(_placed(fault, found)))


def _forget_null_time(value: Any) -> None:
    """What generators of objects write for a time that is not there."""
    meta = as_map(as_map(value).get("metadata"))
    if meta.get("creationTimestamp", "") is None:
        del meta["creationTimestamp"]


def _stranger(value: Any, only: str) -> Fault | None:
    """Why a document is not one that is read here; None where it is, or means to be."""
    kind, version = as_map(value).get("kind"), as_map(value).get("apiVersion")
    group, _, form = version.partition("/") if isinstance(version, str) else ("", "", "")
    if not isinstance(kind, str):
        return None
    if kind in _SHAPES and only and kind != only:
        return Fault(("kind",), f"this is a `{kind}`, and a `{only}` is wanted", "Name it with -f.")
    if kind not in _SHAPES:
        if group in _GROUPS:
            return None
        hint = "Keep other documents in files of their own."
        return Fault(("kind",), f"this is a `{kind}`, not a `{document.KIND}`", hint)
    expected = _READ[kind][0].partition("/")[0]
    if group == expected and version not in _READ[kind] and _is_newer(form):
        known = " and ".join(reversed(_READ[kind]))
        return Fault(
            ("apiVersion",),
            f"`{version}` is newer than this Transom, {__version__}, which reads {known}",
            f"Install the Transom that wrote it, or a later one: it is newer than {__version__}.",
        )
    return None


def _is_newer(form: str) -> bool:
    found = re.fullmatch(r"v(\d+)(?:(alpha|beta)(\d+))?", form)
    return found is not None and (found[1] != "1" or found[2] != "alpha" or int(found[3]) > 1)


def _same_name(name: str) -> Fault:
    return Fault(
        ("metadata", "name"),
        f"an earlier document is the fleet `{name}` already",
        "Give each fleet a name of its own.",
    )


def _placed(fault: Fault, found: Document) -> Mistake:
    place = found.locate(fault.path, key=fault.at_key)
    return Mistake(
        message=fault.message,
        path=dotted(fault.path),
        line=place.line,
        column=place.column,
        hint=fault.hint,
        file=found.name,
    )
