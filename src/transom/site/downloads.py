"""The doors to artifacts and images: through the fleet's proxies or the environment's, with headers and authorities.

Nothing is reached for before an artifact is asked for.
"""

from collections.abc import Sequence
from pathlib import Path

from transom.errors import InternalError, UsageError
from transom.image.bundle.oci import INDEXES, MANIFESTS
from transom.model.image_reference import Reference
from transom.model.lock import IMAGE
from transom.model.request import SourceAccess, SourceHeader
from transom.recipe.lock import PinnableArtifact
from transom.recipe.sources import mirrored
from transom.remote.download import Downloader, Progress
from transom.remote.file_sum import FileSum
from transom.remote.https import Header, Https, Proxy
from transom.remote.registry import Repository
from transom.site.environment import Environment


def source_access(
    environment: Environment, ca_file: str = "", headers: Sequence[Sequence[str]] = ()
) -> SourceAccess:
    """Give hosts that download for themselves the same trust and the same headers."""
    return SourceAccess(
        authorities=_authorities(ca_file),
        headers=tuple(
            SourceHeader(origin=item.origin, name=item.name, value=item.value)
            for item in _headers(environment, headers)
        ),
    )


def _authorities(file: str) -> str:
    if not file:
        return ""
    try:
        return Path(file).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read certificates from {file}", subject=file) from error


def _headers(environment: Environment, headers: Sequence[Sequence[str]]) -> list[Header]:
    """Give the headers, each as URL, name and the variable that has its value, with their values."""
    return [_header(environment, *header) for header in headers]


def _header(environment: Environment, url: str, name: str, variable: str) -> Header:
    if variable not in environment.variables:
        raise UsageError(
            f"the environment has no variable {variable!r} for header {name}",
            hint="name the variable that holds the value, never the value itself",
        )
    return Header(url, name, environment.variables[variable])


class Fetchers:
    """One downloader per proxy: fleets may have proxies of their own."""

    def __init__(
        self, environment: Environment, ca_file: str = "", headers: Sequence[Sequence[str]] = ()
    ) -> None:
        self.environment = environment
        self._ca_file = ca_file
        self._headers = _headers(environment, headers)
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
            lambda headers: self._made_with(self.environment.proxy(), headers), base, repository
        )

    def _open(self, pinnable: PinnableArtifact, headers: Sequence[Header]) -> Downloader:
        proxy = self.environment.proxy(url=pinnable.proxy, no_proxy=pinnable.no_proxy)
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
