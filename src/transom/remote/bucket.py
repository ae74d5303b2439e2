"""The door to a bucket by the S3 API, over HTTPS: put, list and get objects of bounded size.

Requests are signed (AWS Signature Version 4); the bucket is named in the path, as every server of the API
understands it.
"""

import hashlib
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from urllib.parse import quote, urlsplit

from transom.errors import PermanentError, UsageError
from transom.model.records import dataclass
from transom.node.vault.sigv4 import Credentials, Scope, signed
from transom.remote.https import Https

_TIMEOUT_S = 60.0
_LARGEST_PAGE = 8 * 2**20
_DEFAULT_REGION = "us-east-1"
_SCHEME = "s3"
# The most that a server lists at once; more pages than this are no folder of results.
_PAGE = 1000
_MOST_PAGES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketAddress:
    """A bucket and a folder in it, at a server of the S3 API."""

    name: str
    prefix: str
    endpoint: str
    region: str = _DEFAULT_REGION

    @staticmethod
    def parse(text: str, *, endpoint: str = "", region: str = "") -> "BucketAddress":
        """Read `s3://NAME/PREFIX`; without an endpoint it is Amazon's own."""
        parts = urlsplit(text)
        if parts.scheme != _SCHEME or not parts.netloc or parts.query or parts.fragment:
            raise UsageError(
                f"{text!r} is no bucket", subject="--bucket", hint="write s3://NAME/PREFIX"
            )
        place = region or _DEFAULT_REGION
        return BucketAddress(
            name=parts.netloc,
            prefix=parts.path.strip("/"),
            endpoint=(endpoint or f"https://s3.{place}.amazonaws.com").rstrip("/"),
            region=place,
        )

    def __str__(self) -> str:
        return f"{_SCHEME}://{self.name}/{self.prefix}".rstrip("/")


class Bucket:
    """One bucket; `now` tells the time that requests are signed with."""

    def __init__(
        self,
        address: BucketAddress,
        credentials: Credentials,
        https: Https,
        *,
        now: Callable[[], float] = time.time,
        page: int = _PAGE,
    ) -> None:
        self.address = address
        self._credentials = credentials
        self._https = https
        self._now = now
        self._keys_a_page = page

    def put(self, key: str, content: bytes) -> str:
        """Write an object below the folder; give its address."""
        name = self._below(key)
        url = f"{self._base}/{quote(name, safe='/-_.~')}"
        self._asked("PUT", url, content, largest=_LARGEST_PAGE)
        return f"{_SCHEME}://{self.address.name}/{name}"

    def objects(self) -> Iterator[tuple[str, int]]:
        """The objects below the folder with their sizes, by their names there."""
        folder = f"{self.address.prefix}/" if self.address.prefix else ""
        token = ""
        for _ in range(_MOST_PAGES):
            page = self._page(folder, token)
            for item in page.iter():
                if _plain(item.tag) == "Contents":
                    named = {_plain(part.tag): part.text or "" for part in item}
                    size = named.get("Size", "0")
                    yield named["Key"].removeprefix(folder), int(size) if size.isdigit() else 0
            told = {_plain(part.tag): part.text or "" for part in page}
            token = told.get("NextContinuationToken", "")
            if told.get("IsTruncated") != "true" or not token:
                return
        raise PermanentError(f"{self.address} has too many objects", subject=str(self.address))

    def get(self, key: str, *, largest: int) -> bytes:
        """Read an object below the folder."""
        url = f"{self._base}/{quote(self._below(key), safe='/-_.~')}"
        return self._asked("GET", url, b"", largest=largest)

    @property
    def _base(self) -> str:
        return f"{self.address.endpoint}/{quote(self.address.name, safe='-_.~')}"

    def _below(self, key: str) -> str:
        return f"{self.address.prefix}/{key}" if self.address.prefix else key

    def _page(self, folder: str, token: str) -> ET.Element:
        query = {"list-type": "2", "max-keys": str(self._keys_a_page), "prefix": folder}
        if token:
            query["continuation-token"] = token
        words = "&".join(f"{k}={quote(v, safe='-_.~')}" for k, v in sorted(query.items()))
        answer = self._asked("GET", f"{self._base}?{words}", b"", largest=_LARGEST_PAGE)
        if b"<!DOCTYPE" in answer or b"<!ENTITY" in answer:
            raise self._odd()
        try:
            return ET.fromstring(answer)  # noqa: S314 - bounded, and without declarations
        except ET.ParseError as error:
            raise self._odd() from error

    def _odd(self) -> PermanentError:
        return PermanentError(
            f"{self.address.endpoint} does not answer as a server of the S3 API",
            subject=str(self.address),
            hint="check --endpoint",
        )

    def _asked(self, method: str, url: str, body: bytes, *, largest: int) -> bytes:
        headers = {"x-amz-content-sha256": hashlib.sha256(body).hexdigest()}
        scope = Scope(region=self.address.region, service="s3", now=self._now())
        all_headers = signed(
            url, body, headers, credentials=self._credentials, scope=scope, method=method
        )
        del all_headers["host"]
        if method == "PUT":
            all_headers |= {
                "content-length": str(len(body)),
                "content-type": "application/octet-stream",
            }
        content = bytearray()
        with self._https.send(
            method,
            url,
            timeout_s=_TIMEOUT_S,
            headers=all_headers,
            body=[body] if method == "PUT" else None,
        ) as response:
            while chunk := response.read_some(1 << 16):
                content += chunk
                if len(content) > largest:
                    raise PermanentError(
                        f"an object of {self.address} is too large", subject=str(self.address)
                    )
        return bytes(content)


def _plain(tag: str) -> str:
    """A tag without its namespace."""
    return tag.rpartition("}")[2]
