"""AWS Signature Version 4: what proves to a service of AWS who calls it. Pure.

The path of a URL must be escaped as it is sent; its query is sorted here.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime
from urllib.parse import urlsplit

from transom.model.records import dataclass

_ALGORITHM = "AWS4-HMAC-SHA256"
_END = "aws4_request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Those of the instance's role, valid for hours; their text form shows the key's id alone."""

    key: str
    secret: str = field(repr=False)
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which service of which region is called, and when, in seconds since the epoch."""

    region: str
    service: str
    now: float


def signed(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    credentials: Credentials,
    scope: Scope,
    method: str = "POST",
) -> dict[str, str]:
    """The headers of a request with those that sign it."""
    moment = datetime.fromtimestamp(scope.now, UTC)
    stamp, day = moment.strftime("%Y%m%dT%H%M%SZ"), moment.strftime("%Y%m%d")
    sent = {name.lower(): value.strip() for name, value in headers.items()}
    sent |= {"host": urlsplit(url).netloc, "x-amz-date": stamp}
    if credentials.token:
        sent["x-amz-security-token"] = credentials.token
    names = ";".join(sorted(sent))
    lines = [f"{name}:{sent[name]}\n" for name in sorted(sent)]
    parts = urlsplit(url)
    query = "&".join(
        sorted(part if "=" in part else f"{part}=" for part in parts.query.split("&") if part)
    )
    canonical = "\n".join([method, parts.path or "/", query, "".join(lines), names, _hash(body)])
    place = f"{day}/{scope.region}/{scope.service}/{_END}"
    text = "\n".join([_ALGORITHM, stamp, place, _hash(canonical.encode())])
    key = f"AWS4{credentials.secret}".encode()
    for part in (day, scope.region, scope.service, _END):
        key = _mac(key, part)
    signature = _mac(key, text).hex()
    claim = f"Credential={credentials.key}/{place}, SignedHeaders={names}, Signature={signature}"
    return {**sent, "authorization": f"{_ALGORITHM} {claim}"}


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _mac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
