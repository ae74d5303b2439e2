"""How commands download: proxies and headers from the environment, and progress on standard error.

Used by every command that pins or brings artifacts.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from transom.cli import lock_report, source_access
from transom.errors import InternalError
from transom.image.bundle.oci import INDEXES, MANIFESTS
from transom.model.image_reference import Reference
from transom.model.lock import IMAGE
from transom.recipe.lock import PinnableArtifact
from transom.recipe.sources import mirrored
from transom.remote.download import Downloader, Progress
from transom.remote.file_sum import FileSum
from transom.remote.https import Header, Https, Proxy
from transom.remote.registry import Repository


class Fetchers:
    """One downloader for each way out: fleets may have proxies of their own."""

    def __init__(self, ca_file: str = "", headers: Sequence[Sequence[str]] = ()) -> None:
        self._environ: Mapping[str, str] = os.environ  # noqa: TID251 - read here and handed down
        self._ca_file = ca_file
        self._headers = source_access.headers_of(headers)
        self._made: dict[tuple[str, tuple[str, ...]], Downloader] = {}

    def __call__(self, pinnable: PinnableArtifact) -> "Downloader | ImageDoor":
        """The downloader for an artifact, or the door to an image's manifest."""
        if pinnable.artifact.id == IMAGE:
            return ImageDoor(self.repository(pinnable), pinnable.artifact.version)
        return self.downloader(pinnable)

    def downloader(self, pinnable: PinnableArtifact) -> Downloader:
        """The downloader on an artifact's way out."""
        way = (pinnable.proxy, pinnable.no_proxy)
        if way not in self._made:
            self._made[way] = self._open(pinnable, ())
        return self._made[way]

    def repository(self, pinnable: PinnableArtifact) -> Repository:
        """The repository an image is in, or its mirror."""
        reference = Reference.parse(pinnable.artifact.version)
        base = mirrored(reference.base, pinnable.mirrors)
        return Repository(lambda headers: self._open(pinnable, headers), base, reference.repository)

    def registry(self, base: str, repository: str) -> Repository:
        """A repository of a registry that no fleet names."""
        return Repository(
            lambda headers: self._made_with(Proxy.of(self._environ), headers), base, repository
        )

    def _open(self, pinnable: PinnableArtifact, headers: Sequence[Header]) -> Downloader:
        proxy = Proxy.of(self._environ, url=pinnable.proxy, no_proxy=pinnable.no_proxy)
        return self._made_with(proxy, headers)

    def _made_with(self, proxy: Proxy, headers: Sequence[Header]) -> Downloader:
        return Downloader(
            Https(ca_file=self._ca_file, proxy=proxy, headers=[*self._headers, *headers])
        )


class ImageDoor:
    """An image's manifest as pinning asks for it: a file at an address."""

    def __init__(self, repository: Repository, reference: str) -> None:
        self._repository = repository
        self._reference = Reference.parse(reference)

    def text(self, url: str) -> str:
        """Registries publish no sums beside manifests."""
        raise InternalError(f"a registry has no text at {url}")

    def file(
        self,
        url: str,
        destination: Path,
        *,
        sha256: str | None = None,
        progress: Progress | None = None,
    ) -> FileSum:
        """The manifest, refused unless it has that sum."""
        del url
        wanted = f"sha256:{sha256}" if sha256 else self._reference.tag
        content, _, digest = self._repository.manifest(wanted, accept=(*INDEXES, *MANIFESTS))
        destination.write_bytes(content)
        if progress is not None:
            progress(len(content), len(content))
        return FileSum(digest.removeprefix("sha256:"), len(content))


class ProgressLine:
    """One file's progress on standard error: live on a terminal, else where it begins."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._live = sys.stderr.isatty()
        self._shown = ""

    def __call__(self, done: int, total: int | None) -> None:
        """Say how far it is."""
        of = f" of {lock_report.size(total)}" if total else ""
        line = f"{self._name}: {lock_report.size(done)}{of}"
        if self._live and line != self._shown:
            end = "\n" if done == total else ""
            print(f"\r\033[K{line}", end=end, file=sys.stderr, flush=True)
        elif not self._shown:
            print(f"{self._name}: downloading{of.replace(' of', '')}", file=sys.stderr)
        self._shown = line


def progress_of(pinnable: PinnableArtifact) -> ProgressLine:
    """The line of one artifact."""
    return ProgressLine(f"{pinnable.key.id} {pinnable.key.version}")
