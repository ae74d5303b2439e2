"""The door for downloads to this machine: a file whole and checked, or nothing.

Retries what may pass, under one deadline for the
whole file; continues a partial file where the server can; gives the file its name only after its
sum was checked.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import TypeVar

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.model.records import dataclass
from transom.node.host.clock import RealClock
from transom.node.host.nouns.system import Clock
from transom.remote.file_sum import FileSum
from transom.remote.https import Https, RangeRefused, Response, shown

T = TypeVar("T")

Progress = Callable[[int, int | None], None]
"""Called with the bytes there are and the bytes there will be, where the server says."""

_CHUNK = 256 * 1024
_LONGEST_TEXT = 4 * 1024 * 1024
_FIRST_BACKOFF_S = 0.5
_LONGEST_BACKOFF_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to try: one file in all, a silent server, and tries in a row without a byte."""

    deadline_s: float = 1800.0
    idle_s: float = 30.0
    tries: int = 6


class _Unfit(PermanentError):  # noqa: N818 - named for what it is
    """A whole file with the wrong sum; after a resume it may be the old part that is wrong."""


class Downloader:
    """Gets files and short texts through one client."""

    def __init__(
        self, https: Https, *, clock: Clock | None = None, patience: Patience | None = None
    ) -> None:
        self._https = https
        self._clock = clock or RealClock()
        self._patience = patience or Patience()

    def text(self, url: str) -> str:
        """A short text, such as a published sum."""
        content, _ = self.small(url)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise PermanentError(f"{shown(url)} is not text", subject=shown(url)) from error

    def small(
        self, url: str, *, headers: Mapping[str, str] | None = None
    ) -> tuple[bytes, Mapping[str, str]]:
        """A short answer whole, with its headers."""
        return self.persist(url, lambda deadline: self._small_once(url, deadline, headers))

    def exchange(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: Callable[[], Iterable[bytes]] | None = None,
    ) -> Mapping[str, str]:
        """Make a request whose answer is in its headers; the body is made anew for each try."""
        return self.persist(
            url,
            lambda deadline: self.exchange_once(
                method, url, deadline, headers=headers, body=body() if body is not None else None
            ),
        )

    def exchange_once(
        self,
        method: str,
        url: str,
        deadline: float,
        *,
        headers: Mapping[str, str] | None = None,
        body: Iterable[bytes] | None = None,
    ) -> Mapping[str, str]:
        """One try of an exchange, for whoever persists in something longer."""
        timeout_s = self._timeout(deadline)
        with self._https.send(
            method, url, timeout_s=timeout_s, headers=headers, body=body
        ) as response:
            while response.read_some(_CHUNK):
                self._watch(url, deadline)
            return response.headers

    def file(
        self,
        url: str,
        destination: Path,
        *,
        sha256: str | None = None,
        progress: Progress | None = None,
    ) -> FileSum:
        """Download to a path; with `sha256` only a file of that sum gets there.

        What has arrived is kept beside as `.part` and continued by the next try. Without a sum
        to judge the result by, a part of an earlier run is not trusted.
        """
        transfer = _Transfer(url, destination, sha256, progress or _silent)
        done = self.persist(
            url, lambda deadline: self._file_once(transfer, deadline), lambda: transfer.received
        )
        with _writing(destination):
            transfer.part.replace(destination)
        return done

    def persist(
        self, url: str, attempt: Callable[[float], T], received: Callable[[], int] = lambda: 0
    ) -> T:
        """Try until it works, fails for good, or there is no patience left."""
        deadline = self._clock.monotonic() + self._patience.deadline_s
        before, tries, backoff_s = 0, 0, _FIRST_BACKOFF_S
        while True:
            try:
                return attempt(deadline)
            except TemporaryError as error:
                if received() > before:
                    before, tries, backoff_s = received(), 0, _FIRST_BACKOFF_S
                tries += 1
                wait_s = max(backoff_s, error.delay_s)
                if tries >= self._patience.tries:
                    said = f"{tries} tries without a byte"
                    raise _given_up(url, error, said, wait_s) from error
                if self._clock.monotonic() + wait_s >= deadline:
                    said = f"{self._patience.deadline_s:g} s"
                    raise _given_up(url, error, said, wait_s) from error
                self._clock.sleep(wait_s)
                backoff_s = min(backoff_s * 2, _LONGEST_BACKOFF_S)

    def _small_once(
        self, url: str, deadline: float, headers: Mapping[str, str] | None
    ) -> tuple[bytes, Mapping[str, str]]:
        timeout_s = self._timeout(deadline)
        with self._https.get(url, timeout_s=timeout_s, headers=headers) as response:
            body = b""
            while chunk := response.read_some(_CHUNK):
                self._watch(url, deadline)
                body += chunk
                if len(body) > _LONGEST_TEXT:
                    raise PermanentError(
                        f"{shown(url)} is too long to be what was asked for", subject=shown(url)
                    )
            _refuse_short(url, len(body), _length(response))
        return body, response.headers

    def _file_once(self, transfer: "_Transfer", deadline: float) -> FileSum:
        resumed = transfer.offset() > 0
        try:
            return self._receive(transfer, deadline)
        except (_Unfit, RangeRefused):
            transfer.part.unlink(missing_ok=True)
            if not resumed:
                raise
        return self._receive(transfer, deadline)

    def _receive(self, transfer: "_Transfer", deadline: float) -> FileSum:
        url, timeout_s = transfer.url, self._timeout(deadline)
        with self._https.get(url, timeout_s=timeout_s, headers=transfer.asking()) as response:
            size, total = transfer.begin(response)
            digest = transfer.digest(size)
            with _writing(transfer.part), transfer.part.open("ab" if size else "wb") as part:
                while chunk := response.read_some(_CHUNK):
                    self._watch(url, deadline)
                    part.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
                    transfer.received += len(chunk)
                    transfer.progress(size, total)
                part.flush()
                os.fsync(part.fileno())
        _refuse_short(url, size, total)
        return transfer.judged(FileSum(digest.hexdigest(), size))

    def _timeout(self, deadline: float) -> float:
        return max(0.001, min(self._patience.idle_s, deadline - self._clock.monotonic()))

    def _watch(self, url: str, deadline: float) -> None:
        if self._clock.monotonic() >= deadline:
            raise TemporaryError(
                f"{shown(url)} sends too slowly",
                subject=shown(url),
                hint="name a mirror that is nearer, or try again later",
                delay_s=0.0,
            )


class _Transfer:
    """One file on its way: what has arrived and how the server is asked for the rest."""

    def __init__(self, url: str, destination: Path, sha256: str | None, progress: Progress) -> None:
        self.url = url
        self.part = destination.with_name(destination.name + ".part")
        self.progress = progress
        self.received = 0
        self._sha256 = sha256
        self._validator = ""

    def offset(self) -> int:
        """How many bytes there are to continue from."""
        usable = self._validator or self._sha256 is not None
        return self.part.stat().st_size if usable and self.part.exists() else 0

    def asking(self) -> Mapping[str, str]:
        """The headers that ask for what is missing, provided the file has not changed."""
        offset = self.offset()
        if not offset:
            return {}
        headers = {"Range": f"bytes={offset}-"}
        if self._validator:
            headers["If-Range"] = self._validator
        return headers

    def begin(self, response: Response) -> tuple[int, int | None]:
        """Where the answer's bytes belong, and the size of the whole file where it is known."""
        etag = response.headers.get("etag", "")
        # A weak tag does not promise the same bytes.
        self._validator = "" if etag.startswith("W/") else etag
        length = _length(response)
        if response.status != HTTPStatus.PARTIAL_CONTENT:
            return 0, length
        offset = self.part.stat().st_size if self.part.exists() else 0
        if not response.headers.get("content-range", "").startswith(f"bytes {offset}-"):
            raise RangeRefused(f"{shown(self.url)} continues elsewhere than it was asked to")
        return offset, None if length is None else offset + length

    def digest(self, size: int) -> "hashlib._Hash":
        """The hash of what is there already, to be carried on."""
        if not size:
            return hashlib.sha256()
        with self.part.open("rb") as part:
            return hashlib.file_digest(part, "sha256")

    def judged(self, found: FileSum) -> FileSum:
        """What arrived, unless its sum is not the expected one."""
        if self._sha256 is not None and found.sha256 != self._sha256:
            raise _Unfit(
                f"{shown(self.url)} has the SHA-256 {found.sha256}, not {self._sha256}",
                subject=shown(self.url),
                hint="do not use it: the server, the mirror or the way to it changed the bytes",
            )
        return found


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """What this machine's disk refuses is no fault of the server."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}",
            subject=str(path),
            hint="look at the disk's room and your rights there",
        ) from error


def _length(response: Response) -> int | None:
    text = response.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else None


def _given_up(url: str, error: TemporaryError, after: str, delay_s: float) -> TemporaryError:
    return TemporaryError(
        f"{error.message}; gave up after {after}",
        subject=shown(url),
        hint=error.hint,
        delay_s=delay_s,
    )


def _refuse_short(url: str, size: int, total: int | None) -> None:
    if total is not None and size < total:
        raise TemporaryError(
            f"{shown(url)} ended after {size} of {total} bytes",
            subject=shown(url),
            hint="try again: the download continues where it ended",
            delay_s=0.0,
        )


def _silent(_done: int, _total: int | None) -> None:
    """Tell nobody."""
