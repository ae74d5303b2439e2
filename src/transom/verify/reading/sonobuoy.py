"""A tarball of `sonobuoy retrieve`: results of its plugins, and the cluster they ran on.

Nothing is unpacked: members are read one after the other, as they come.
Layout: sonobuoy.io, "Snapshot layout" (plugins/NAME/results/…, resources/cluster/core_v1_nodes.json, serverversion.json).
"""

import tarfile
import zlib
from collections.abc import Callable
from typing import IO

from transom.verify.reading import ginkgo, junit
from transom.verify.reading.cluster import variant_of_nodes, variant_of_version
from transom.verify.reading.limits import ARCHIVE_BYTES, MEMBERS, Readable, refuse
from transom.verify.results import Results

_NODES = "resources/cluster/core_v1_nodes.json"
_VERSION = "serverversion.json"


class Snapshot:
    """What a tarball holds of a run."""

    def __init__(self, file: str) -> None:
        self.variant: dict[str, str] = {}
        self.timestamp = ""
        self._file = file
        self._junit = Results()
        self._report = Results()

    @property
    def results(self) -> Results:
        """Its tests. Ginkgo's own report counts where there is one: it knows retries."""
        return self._report or self._junit

    def take(self, name: str, stream: Readable) -> None:
        """Read a member, where it is one that matters."""
        place = name.removeprefix("./")
        reader = self._reader(place)
        if reader is not None:
            reader(stream, f"{self._file}!{place}")

    def _reader(self, place: str) -> Callable[[Readable, str], None] | None:
        if place == _NODES:
            return self._nodes
        if place == _VERSION:
            return self._version
        if not place.startswith("plugins/") or "/results/" not in place:
            return None
        last = place.rsplit("/", 1)[-1]
        if last.endswith(".xml") and "junit" in last:
            return self._take_junit
        return self._take_report if last.endswith("report.json") else None

    def _nodes(self, stream: Readable, file: str) -> None:
        self.variant |= variant_of_nodes(ginkgo.read_json(stream, file))

    def _version(self, stream: Readable, file: str) -> None:
        told = variant_of_version(ginkgo.read_json(stream, file))
        self.variant = told | self.variant

    def _take_junit(self, stream: Readable, file: str) -> None:
        document = junit.read(stream, file)
        self._junit.take(document.results)
        self.timestamp = self.timestamp or document.timestamp

    def _take_report(self, stream: Readable, file: str) -> None:
        self._report.take(ginkgo.read(stream, file))


def read(stream: IO[bytes], file: str) -> Snapshot:
    """Read a tarball; raise UsageError where it is damaged or something else."""
    snapshot = Snapshot(file)
    total = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|*") as archive:
            for number, member in enumerate(archive):
                total += member.size  # what is passed over is unpacked as well
                if number > MEMBERS or total > ARCHIVE_BYTES:
                    raise refuse(
                        file, f"it has over {MEMBERS} members or {ARCHIVE_BYTES >> 30} GiB"
                    )
                opened = archive.extractfile(member) if member.isreg() else None
                if opened is not None:
                    snapshot.take(member.name, opened)
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise refuse(file, f"the archive is damaged: {error}") from error
    return snapshot
