"""The order: one call of the node program, whole on its standard input, where no shell reads it.

Written by whoever starts the node program on another machine, by one fixed command without arguments.
It may hold secrets, so it is never written to a file or a log. Standard library only: it ships to hosts.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Iterable
from dataclasses import fields
from functools import lru_cache
from typing import Any

from transom.model.codec import camel_case, decode, encode, encode_one
from transom.model.recipe import API_VERSION, OWN_PARTS, Recipe
from transom.model.records import dataclass
from transom.model.request import Request

_COMPACT = (",", ":")
_QUICK, _RAW, _SMALL = (
    1,
    -12,
    5,
)  # deflated for one reader; without a head and a sum of its own; in little memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A verb, its options as on a command line, and the document that the verb reads."""

    api_version: str = API_VERSION
    kind: str = "Order"
    verb: str
    options: tuple[str, ...] = ()
    input: Any = None


def write_order(order: Order) -> bytes:
    """The order as it travels: JSON, deflated, in plain letters that every way carries.

    A request's recipe begins with what hosts that are alike share, which is written and deflated once.
    """
    request = order.input
    if not isinstance(request, Request):
        text = json.dumps(encode(order), separators=_COMPACT).encode()
        return base64.b64encode(zlib.compress(text)) + b"\n"
    begun, adler = _shared(_Alike(request.recipe))
    rest = "".join(
        (
            *(",", _members(request.recipe, OWN_PARTS), "}"),
            *(",", _members(request, _BESIDE_RECIPE), "}"),
            *(",", _members(order, _BESIDE_INPUT), "}"),
        )
    ).encode()
    # A stream of its own that looks back at nothing goes on where the shared one paused; their sum ends it.
    deflate = zlib.compressobj(_QUICK, zlib.DEFLATED, _RAW, _SMALL)
    ended = deflate.compress(rest) + deflate.flush()
    total = zlib.adler32(rest, adler).to_bytes(4, "big")
    return base64.b64encode(b"".join((begun, ended, total))) + b"\n"


def read_order(text: str) -> Order:
    """Read an order, as it travels or as plain JSON; raise ValueError where it is none."""
    packed = text.strip()
    if not packed.startswith("{"):
        try:
            packed = zlib.decompress(base64.b64decode(packed, validate=True)).decode()
        except (binascii.Error, zlib.error) as error:
            raise ValueError(f"it is neither JSON nor packed: {error}") from error
    order = decode(Order, json.loads(packed))
    if order.api_version != API_VERSION or order.kind != "Order":
        raise ValueError(f"it is a {order.api_version} {order.kind}, not a {API_VERSION} Order")
    return order


_SHARED = tuple(part.name for part in fields(Recipe) if part.name not in OWN_PARTS)
_BESIDE_RECIPE = tuple(part.name for part in fields(Request) if part.name != "recipe")
_BESIDE_INPUT = tuple(part.name for part in fields(Order) if part.name != "input")


class _Alike:
    """A recipe by its parts that name no host: hosts that are alike have the very same ones."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._parts = tuple(id(getattr(recipe, name)) for name in _SHARED)

    def __hash__(self) -> int:
        return hash(self._parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Alike) and other._parts == self._parts


@lru_cache(maxsize=8)
def _shared(alike: _Alike) -> tuple[bytes, int]:
    """The beginning of an order, deflated so far, and its sum; no secret is in it."""
    deflate = zlib.compressobj()
    text = f'{{"input":{{"recipe":{{{_members(alike.recipe, _SHARED)}'.encode()
    return deflate.compress(text) + deflate.flush(zlib.Z_FULL_FLUSH), zlib.adler32(text)


def _members(record: object, names: Iterable[str]) -> str:
    """Fields of a record as JSON has them inside its braces."""
    return ",".join(f'"{camel_case(name)}":{_value(getattr(record, name))}' for name in names)


def _value(value: Any) -> str:
    if type(value) is tuple:
        return f"[{','.join(_item(_Very(item)) for item in value)}]"
    return _JSON.encode(value)


class _Very:
    """A value by its identity: hosts that are alike have many of the very same ones."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Very) and other.value is self.value


@lru_cache(maxsize=256)
def _item(very: _Very) -> str:
    return _JSON.encode(very.value)


_JSON = json.JSONEncoder(separators=_COMPACT, default=encode_one, check_circular=False)
