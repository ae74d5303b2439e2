"""Official release files, each checked against the SHA-256 its publisher keeps beside it."""

import hashlib
import re
import urllib.error
import urllib.request
from pathlib import Path

from transom.errors import PermanentError

_CONNECT_TIMEOUT_S = 10.0
_CHUNK = 1 << 20
_SHA256 = re.compile(r"\b[0-9a-f]{64}\b")


class Unreachable(Exception):  # noqa: N818 - a state of the network, and never leaves this package
    """The publisher cannot be reached or does not have the file; the next source may."""


def download(url: str, target: Path) -> None:
    """Fetch `url` into `target`; raises Unreachable without it, PermanentError on other bytes."""
    if not url.startswith("https://"):
        raise PermanentError(f"cannot download {url}: only https is used", subject=url)
    digest = hashlib.sha256()
    try:
        wanted = _published_digest(f"{url}.sha256")
        with (
            urllib.request.urlopen(url, timeout=_CONNECT_TIMEOUT_S) as answer,  # noqa: S310 - https, above
            target.open("wb") as file,
        ):
            while chunk := answer.read(_CHUNK):
                digest.update(chunk)
                file.write(chunk)
    except (OSError, urllib.error.URLError) as error:
        raise Unreachable(f"{url}: {error}") from error
    if digest.hexdigest() != wanted:
        raise PermanentError(
            f"cannot use {url}: its SHA-256 is {digest.hexdigest()}, published is {wanted}",
            subject=url,
            hint="a proxy may have changed the file; try another network",
        )


def _published_digest(url: str) -> str:
    with urllib.request.urlopen(url, timeout=_CONNECT_TIMEOUT_S) as answer:  # noqa: S310 - https, by the caller
        text = answer.read(1000).decode("ascii", errors="replace")
    found = _SHA256.search(text)
    if found is None:
        raise Unreachable(f"{url}: no SHA-256 in the answer")
    return found.group()
