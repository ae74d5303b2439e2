"""The lab's mirror: the artifacts of a recipe on the lab's own network, at their upstream paths.

Archives are made of cached programs, the same bytes each time. Most are the real programs; those the
lab cannot have, or cannot run, are its stand-ins under the real names: `STAND_INS` lists them.
`python -m transom_lab.mirror` is the server, started in the ground room.
"""

import argparse
import gzip
import hashlib
import io
import os
import tarfile
from collections.abc import Iterable, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from transom.errors import UnsupportedError
from transom.model.lock import LockEntry, SumFrom, key_of
from transom.model.recipe import Artifact, Unpack
from transom_lab.binaries import Binaries
from transom_lab.embedpython import lab_python
from transom_lab.native import NativeParts
from transom_lab.programs import Goos, program

PORT = 8080
SITES = ("https://dl.k8s.io", "https://github.com", "https://www.python.org")

# containerd.exe cannot make a container without Windows; the others are never started in the lab.
RUNTIME_NAME = "containerd.exe"
STAND_INS = frozenset((RUNTIME_NAME, "ctr.exe", "containerd-shim-runhcs-v1.exe", "flannel.exe"))

_MODE = 0o755


class Shelf:
    """Fills a folder with artifacts."""

    def __init__(
        self, folder: Path, *, binaries: Binaries, parts: NativeParts, python: Path
    ) -> None:
        self._folder = folder
        self._binaries = binaries
        self._parts = parts
        self._python = python

    def put(self, artifacts: Iterable[Artifact]) -> list[LockEntry]:
        """Have each artifact in its place and give its lock entry."""
        return [self._entry(artifact) for artifact in artifacts]

    def place(self, artifact: Artifact) -> Path:
        """Where an artifact lies: the host of its address, then the path."""
        parts = urlsplit(artifact.url)
        return self._folder / (parts.hostname or "") / parts.path.lstrip("/")

    def _entry(self, artifact: Artifact) -> LockEntry:
        content = self._content(artifact)
        place = self.place(artifact)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        key = key_of(artifact)
        return LockEntry(
            id=key.id,
            version=key.version,
            url=key.url,
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
            sum_from=SumFrom.FIRST_USE,
        )

    def _content(self, artifact: Artifact) -> bytes:
        if artifact.unpack is Unpack.ZIP:
            return lab_python(self._python.read_bytes())
        if artifact.unpack is Unpack.FILE:
            name = artifact.path.rpartition("\\")[2]
            return self._program(name, artifact.version)
        members = {
            member.name: self._program(PurePosixPath(member.name).name, artifact.version)
            for member in artifact.members
        }
        return tar_gz(members)

    def _program(self, file: str, version: str) -> bytes:
        if file == RUNTIME_NAME:
            return self._parts.runtime.read_bytes()
        if file in STAND_INS:
            return self._parts.stand_ins.read_bytes()
        wanted = program(file.removesuffix(".exe"), Goos.WINDOWS, version)
        try:
            return self._binaries.fetch([wanted])[wanted].read_bytes()
        except UnsupportedError as error:
            error.hint = f"the lab's mirror has no {file} {version}"
            raise


def tar_gz(members: Mapping[str, bytes]) -> bytes:
    """A gzipped tar of these files, the same bytes each time."""
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0, compresslevel=1) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name in sorted(members):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(members[name]), _MODE
            archive.addfile(entry, io.BytesIO(members[name]))
    return buffer.getvalue()


def main() -> None:
    """Serve a folder until killed."""
    parser = argparse.ArgumentParser(prog="python -m transom_lab.mirror")
    parser.add_argument("--directory", required=True)
    parser.add_argument("--address", required=True)
    args = parser.parse_args()
    handler = partial(SimpleHTTPRequestHandler, directory=os.fspath(args.directory))
    with ThreadingHTTPServer((args.address, PORT), handler) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
