"""The door to container registries: manifests and blobs of one repository, pulled and pushed.

Speaks the distribution protocol over HTTPS, with the token dance that a registry asks for.
Everything pulled by digest is checked against it; nothing here knows what an image is.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode, urljoin, urlsplit

from transom.errors import PermanentError
from transom.remote.download import Downloader, Progress
from transom.remote.https import Header, NotThere, Unauthorized, origin_of, shown

T = TypeVar("T")

OpenDownloader = Callable[[Sequence[Header]], Downloader]
"""A downloader that sends these headers beside its own."""

ChunksFrom = Callable[[int], Iterable[bytes]]
"""A blob's bytes from an offset on."""

_EMPTY: Mapping[str, str] = {"Content-Length": "0"}
_PARAMETER = re.compile(r'(\w+)="([^"]*)"')


class Repository:
    """One repository of a registry; `base` may be a mirror's address with a path."""

    def __init__(self, open_downloader: OpenDownloader, base: str, name: str) -> None:
        self._open = open_downloader
        self._root = f"{base.rstrip('/')}/v2/{name}"
        self._downloader = open_downloader(())

    def manifest(self, reference: str, *, accept: Iterable[str]) -> tuple[bytes, str, str]:
        """An index or a manifest by tag or digest: bytes, media type, and digest."""
        url = f"{self._root}/manifests/{reference}"
        headers = {"Accept": ", ".join(accept)}
        content, answer = self._known(lambda door: door.small(url, headers=headers))
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        if reference.startswith("sha256:") and digest != reference:
            raise PermanentError(
                f"{shown(url)} has the digest {digest}",
                subject=shown(url),
                hint="do not use it: the registry or the way to it changed the bytes",
            )
        return content, answer.get("content-type", "").partition(";")[0], digest

    def blob(self, digest: str, destination: Path, *, progress: Progress) -> None:
        """A blob to a file, resumed where a part of it is there."""
        url, sha256 = f"{self._root}/blobs/{digest}", digest.removeprefix("sha256:")
        self._known(lambda door: door.file(url, destination, sha256=sha256, progress=progress))

    def has(self, kind: str, reference: str, *, accept: Iterable[str] = ()) -> bool:
        """Whether there is such a blob (`blobs`) or manifest (`manifests`)."""
        url = f"{self._root}/{kind}/{reference}"
        headers = {"Accept": ", ".join(accept)} if accept else None
        try:
            self._known(lambda door: door.exchange("HEAD", url, headers=headers))
        except NotThere:
            return False
        return True

    def put_blob(self, digest: str, size: int, chunks: ChunksFrom) -> None:
        """Upload a blob, going on where the registry says that it was cut off; it checks the digest."""
        upload = _Upload(f"{self._root}/blobs/uploads/", digest, size, chunks)
        self._known(
            lambda door: door.persist(
                upload.url, lambda deadline: upload.go_on(door, deadline), lambda: upload.arrived
            )
        )

    def put_manifest(self, reference: str, media_type: str, content: bytes) -> None:
        """Put an index or a manifest under a tag or its digest."""
        url = f"{self._root}/manifests/{reference}"
        headers = {"Content-Length": str(len(content)), "Content-Type": media_type}
        self._known(
            lambda door: door.exchange("PUT", url, headers=headers, body=lambda: (content,))
        )

    def _known(self, ask: Callable[[Downloader], T]) -> T:
        """Ask; where the registry wants a token, get one and ask once more."""
        try:
            return ask(self._downloader)
        except Unauthorized as error:
            token = self._token(error)
        header = Header(origin_of(self._root), "Authorization", f"Bearer {token}")
        self._downloader = self._open((header,))
        return ask(self._downloader)

    def _token(self, refusal: Unauthorized) -> str:
        import json

        scheme, _, rest = refusal.challenge.partition(" ")
        asked: Mapping[str, str] = dict(_PARAMETER.findall(rest))
        if scheme.lower() != "bearer" or "realm" not in asked:
            raise refusal
        query = {key: asked[key] for key in ("service", "scope") if key in asked}
        url = f"{asked['realm']}?{urlencode(query)}"
        # Without the token that was refused: whoever has a name gives it with --header.
        content, _ = self._open(()).small(url)
        try:
            document = json.loads(content)
            token = document.get("token") or document.get("access_token")
        except (ValueError, AttributeError):
            token = None
        if not isinstance(token, str) or not token:
            raise PermanentError(f"{shown(url)} gave no token", subject=shown(url)) from refusal
        return token


class _Upload:
    """One blob on its way into a registry, over as many tries as it takes."""

    def __init__(self, url: str, digest: str, size: int, chunks: ChunksFrom) -> None:
        self.url = url
        self.arrived = 0
        self._digest, self._size, self._chunks = digest, size, chunks
        self._place = ""

    def go_on(self, door: Downloader, deadline: float) -> None:
        """Send what is missing, then name the whole."""
        self.arrived = self._asked(door, deadline) if self._place else 0
        if not self.arrived:
            begun = door.exchange_once("POST", self.url, deadline, headers=_EMPTY, body=(b"",))
            self._move(self.url, begun)
        if self.arrived < self._size:
            sent = door.exchange_once(
                "PATCH",
                self._place,
                deadline,
                headers=self._missing(),
                body=self._chunks(self.arrived),
            )
            self._move(self._place, sent)
        mark = "&" if urlsplit(self._place).query else "?"
        whole = f"{self._place}{mark}{urlencode({'digest': self._digest})}"
        door.exchange_once("PUT", whole, deadline, headers=_EMPTY, body=(b"",))

    def _asked(self, door: Downloader, deadline: float) -> int:
        """How many bytes the registry says it has; none where it knows nothing of them."""
        try:
            said = door.exchange_once("GET", self._place, deadline)
        except Unauthorized:
            raise
        except PermanentError:
            return 0
        self._move(self._place, said, needed=False)
        last = said.get("range", "").removeprefix("bytes=").rpartition("-")[2]
        # The last byte's number; 0 is what registries say of an upload without a byte.
        return int(last) + 1 if last.isascii() and last.isdigit() and int(last) else 0

    def _missing(self) -> Mapping[str, str]:
        headers = {
            "Content-Length": str(self._size - self.arrived),
            "Content-Type": "application/octet-stream",
        }
        if self.arrived:
            headers["Content-Range"] = f"{self.arrived}-{self._size - 1}"
        return headers

    def _move(self, url: str, answer: Mapping[str, str], *, needed: bool = True) -> None:
        """Each answer may name another place for what comes next."""
        if "location" in answer:
            self._place = urljoin(url, answer["location"])
        elif needed:
            raise PermanentError(f"{shown(url)} names no place for uploads", subject=shown(url))
