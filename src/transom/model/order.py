"""The order: one call of the node program, whole on its standard input, where no shell reads it.

The node program on another machine is started by one fixed command without arguments. An order may hold
secrets, so it is never written to a file or a log. Standard library only: it ships to hosts.
"""

import base64
import binascii
import json
import zlib
from typing import Any

from transom.model.api_versions import written
from transom.model.codec import decode, encode
from transom.model.records import dataclass

# Half the work of the default, for one reader and a sixth more bytes.
_LEVEL = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A verb, its options as on a command line, and the document that the verb reads."""

    api_version: str = written("Order")
    kind: str = "Order"
    verb: str
    options: tuple[str, ...] = ()
    input: Any = None


def write_order(order: Order) -> bytes:
    """The order as it travels: JSON, deflated, in plain letters that every shell passes on."""
    text = json.dumps(encode(order), separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(text, _LEVEL)) + b"\n"


def read_order(text: str) -> Order:
    """Read an order, as it travels or as plain JSON; raise ValueError where it is none."""
    packed = text.strip()
    if not packed.startswith("{"):
        try:
            packed = zlib.decompress(base64.b64decode(packed, validate=True)).decode()
        except (binascii.Error, zlib.error) as error:
            raise ValueError(f"it is neither JSON nor packed: {error}") from error
    return decode(Order, json.loads(packed))
