"""The journal on the host: what was changed, in order, written before each change.

An append-only file of lines, each with a checksum chained to the line before it, so that a tail
torn by a power cut is told from damage. It is a stack: undoing takes intents off its end. It
knows nothing of how a change is made or undone.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from transom import __version__
from transom.errors import PermanentError, UsageError
from transom.model.api_versions import UnknownVersionError, check, written
from transom.model.codec import decode, encode
from transom.model.journal import ADOPTED, SERVICE_STATE, Intent, Owner, Receipt
from transom.model.records import dataclass
from transom.node.host.files import SafeFiles
from transom.node.host.nouns.files import Disk
from transom.node.host.values import PathKind

KIND = "Journal"
_DIGEST_CHARACTERS = 16
_NODES = ("kubeadm-join", ADOPTED)


@dataclass(frozen=True, slots=True)
class Contents:
    """What a journal says: its owner, what is not undone, and how much of that is settled.

    `settled` counts the intents of runs that ended well.
    """

    owner: Owner
    intents: tuple[Intent, ...] = ()
    settled: int = 0

    def last_receipt(self, *, after: int) -> Receipt | None:
        """The intents of the step that changed something last, past the first so many intents."""
        groups = groupby(self.intents[after:], key=lambda intent: intent.step)
        receipts = [Receipt(step, tuple(group)) for step, group in groups]
        return receipts[-1] if receipts else None

    def made(self, act: str) -> bool:
        """Whether a change of that kind was recorded and not undone."""
        return self.last(act) is not None

    def last(self, act: str) -> Intent | None:
        """The newest change of that kind that was not undone."""
        return next((item for item in reversed(self.intents) if item.act == act), None)

    @property
    def is_node(self) -> bool:
        """Whether the host is a node that Transom answers for: joined or adopted."""
        return any(item.act in _NODES for item in self.intents)

    def rests(self, paths: Collection[str]) -> bool:
        """Whether it became a node in a run that ended well, and none since was about to change these files.

        The end of a run is written down when all it wrote is on the disk: no power cut tears that.
        """
        files = {path.lower() for path in paths}
        settled, begun = self.intents[: self.settled], self.intents[self.settled :]
        return any(item.act in _NODES for item in settled) and not any(
            item.act in _NODES or item.subject.lower() in files for item in begun
        )


class Journal:
    """A journal file, open for appending; every append is flushed before it returns."""

    def __init__(
        self, disk: Disk, path: str, contents: Contents, *, digest: str = "", lines: int = 0
    ) -> None:
        self._disk = disk
        self._path = path
        self._digest = digest
        self._lines = lines
        self._is_unsure = False
        self.contents = contents

    @staticmethod
    def open(disk: Disk, path: str) -> "Journal | None":
        """Read a journal, dropping a torn tail; None where the host has none."""
        if disk.kind(path) is PathKind.ABSENT:
            return None
        records, digest = _mended(disk, path)
        if not records:
            return None
        return Journal(disk, path, _replay(records, path), digest=digest, lines=len(records))

    @staticmethod
    def look(disk: Disk, path: str) -> Contents | None:
        """Read what a journal says and leave it as it is, torn tail and all."""
        if disk.kind(path) is PathKind.ABSENT:
            return None
        records, _, _ = _read(disk.read(path), path)
        return _replay(records, path) if records else None

    @staticmethod
    def create(disk: Disk, path: str, owner: Owner) -> "Journal":
        """Start the journal of a host that has none."""
        disk.create(path)
        journal = Journal(disk, path, Contents(owner))
        journal._append(_header(owner))
        return journal

    def claim(self, owner: Owner, pins: tuple[str, ...] = ()) -> None:
        """Refuse another owner; a host that was prepared or joined alone goes over to this one.

        So does one of an authority that its cluster still has: it is written down under today's.
        """
        mine = self.contents.owner
        if not mine.gives_way_to(owner, pins):
            raise PermanentError(
                f"the host belongs to fleet {mine.fleet!r} ({mine.who}), "
                f"cluster {mine.cluster or 'none yet'}",
                subject=self._path,
                hint="Reset it there first, or use the fleet it belongs to.",
            )
        bound = replace(mine, cluster=owner.cluster or mine.cluster, fleet=owner.fleet)
        if bound != mine:
            self._append({"record": "owner", "owner": encode(bound)})
            self.contents = replace(self.contents, owner=bound)

    def intend(self, intent: Intent) -> None:
        """Record a change that is about to be made."""
        self._append({"record": "intent", "intent": encode(intent)})
        self.contents = replace(self.contents, intents=(*self.contents.intents, intent))

    def settle(self) -> None:
        """Record that a run ended well: a later failure undoes only what came after."""
        count = len(self.contents.intents)
        if count != self.contents.settled:
            self._append({"record": "settled", "count": count})
            self.contents = replace(self.contents, settled=count)

    def pop(self, receipt: Receipt) -> None:
        """Record that the last receipt was undone."""
        count = len(self.contents.intents) - len(receipt.intents)
        self._append({"record": "undone", "count": count})
        self.contents = _undone(self.contents, count)

    def condense(self) -> None:
        """Write a settled journal anew with what a reset needs, unless it has no more than that.

        However often a host is upgraded, its journal stays as long as what was changed on it.
        """
        kept = lasting(self.contents.intents)
        records = [_header(self.contents.owner)]
        records += [{"record": "intent", "intent": encode(intent)} for intent in kept]
        records += [{"record": "settled", "count": len(kept)}] if kept else []
        if self.contents.settled != len(self.contents.intents) or len(records) >= self._lines:
            return
        lines, digest = [], ""
        for record in records:
            line, digest = _line(digest, record)
            lines.append(line)
        SafeFiles(self._disk).write(self._path, b"".join(lines))
        self._disk.flush(self._path)
        self._digest, self._lines = digest, len(lines)
        self.contents = replace(self.contents, intents=kept, settled=len(kept))

    def _append(self, record: Mapping[str, Any]) -> None:
        if self._is_unsure:
            self._look_again()
        self._is_unsure = True
        line, digest = _line(self._digest, record)
        self._disk.append(self._path, line)
        self._disk.flush(self._path)
        self._digest, self._lines, self._is_unsure = digest, self._lines + 1, False

    def _look_again(self) -> None:
        """Read what is on the disk: an append that failed may have left all, none or part of its line."""
        records, self._digest = _mended(self._disk, self._path)
        self._lines = len(records)
        self.contents = _replay(records, self._path) if records else self.contents


def lasting(intents: tuple[Intent, ...]) -> tuple[Intent, ...]:
    """Those that take a host back to how it was found: of each thing the first has what was there.

    The last start of a service stays too: undone first, it lets the service stand still while all
    the rest is put back.
    """
    first: dict[tuple[str, str], int] = {}
    last_start: dict[str, int] = {}
    for number, intent in enumerate(intents):
        first.setdefault((intent.act, intent.subject.lower()), number)
        if intent.act == SERVICE_STATE and not (intent.before or {}).get("running"):
            last_start[intent.subject.lower()] = number
    kept = {*first.values(), *last_start.values()}
    return tuple(intent for number, intent in enumerate(intents) if number in kept)


def _header(owner: Owner) -> dict[str, Any]:
    header = {"apiVersion": written(KIND), "kind": KIND, "transom": __version__}
    return {**header, "record": "owner", "owner": encode(owner)}


def _line(digest: str, record: Mapping[str, Any]) -> tuple[bytes, str]:
    body = json.dumps(record, separators=(",", ":"), ensure_ascii=True)
    chained = _chain(digest, body)
    return f"{chained} {body}\n".encode(), chained


def _chain(digest: str, body: str) -> str:
    return hashlib.sha256(f"{digest} {body}".encode()).hexdigest()[:_DIGEST_CHARACTERS]


def _mended(disk: Disk, path: str) -> tuple[list[dict[str, Any]], str]:
    """The records, after taking away a torn tail."""
    data = disk.read(path)
    records, whole, digest = _read(data, path)
    if whole < len(data):
        SafeFiles(disk).write(path, data[:whole])
        disk.flush(path)
    return records, digest


def _read(data: bytes, path: str) -> tuple[list[dict[str, Any]], int, str]:
    records: list[dict[str, Any]] = []
    whole, digest = 0, ""
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1]):
        sum_, _, body = line.decode("ascii", "replace").partition(" ")
        expected = _chain(digest, body)
        if sum_ != expected:
            if number < len(lines) - 2:
                raise PermanentError(
                    f"the journal {path} is damaged in line {number + 1}",
                    subject=path,
                    hint="Nothing was changed. Restore the file from a backup; or delete it, and a "
                    "reset with --force takes what can be known without it.",
                )
            break
        records.append(json.loads(body))
        whole += len(line) + 1
        digest = expected
    return records, whole, digest


def _replay(records: list[dict[str, Any]], path: str) -> Contents:
    _check_version(records[0], path)
    contents: Contents | None = None
    for record in records:
        contents = _step(contents, record)
    assert contents is not None
    return contents


def _check_version(header: dict[str, Any], path: str) -> None:
    """Refuse a journal of another version: what its lines mean may have changed, and they are what is undone."""
    try:
        check(KIND, header)
    except UnknownVersionError as error:
        raise UsageError(
            f"the journal {path} {error}",
            subject=path,
            hint="Nothing was changed. Use the Transom that wrote the journal, or a newer one.",
        ) from error


def _step(contents: Contents | None, record: dict[str, Any]) -> Contents:
    kind = record.get("record")
    if kind == "owner":
        owner = decode(Owner, record["owner"])
        return Contents(owner) if contents is None else replace(contents, owner=owner)
    if contents is None or kind not in ("intent", "settled", "undone"):
        raise UsageError(
            f"the journal has a record {kind!r} this version does not know",
            hint="Use the version of Transom that wrote it, or a newer one.",
        )
    if kind == "intent":
        intent = decode(Intent, record["intent"])
        return replace(contents, intents=(*contents.intents, intent))
    if kind == "settled":
        return replace(contents, settled=record["count"])
    return _undone(contents, record["count"])


def _undone(contents: Contents, count: int) -> Contents:
    settled = min(contents.settled, count)
    return replace(contents, intents=contents.intents[:count], settled=settled)
