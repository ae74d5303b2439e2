"""JSON that is no YAML to Kubernetes: escaped surrogate pairs, and escaped slashes.

Kubectl reads such a file as JSON first. Gives the same values as the YAML reading where both exist.
"""

import json
import re
from typing import Any, NoReturn

from yaml.error import YAMLError
from yaml.nodes import Node

from transom.yamlio.node import RefusedNode, compose
from transom.yamlio.scalar import read_plain
from transom.yamlio.unusual import UnusualError

_ESCAPE = re.compile(rb"\\(u[dD][89a-fA-F][0-9a-fA-F]{2}|.)")
_PLACEHOLDER = rb"\ufffd"


def read_json(text: bytes) -> tuple[Any, Node]:
    """Give the value, and a node tree for its places.

    Raises:
        UnusualError: it is no JSON, repeats a key, or has no place for each value.
    """
    if not text.lstrip().startswith(b"{"):
        raise UnusualError
    try:
        value = _DECODER.decode(text.decode())
        # A lone half of a surrogate pair is no text.
        json.dumps(value, ensure_ascii=False).encode()
        root = compose(_ESCAPE.sub(_mask, text))
    except (ValueError, RecursionError, YAMLError, RefusedNode) as error:
        raise UnusualError from error
    assert root is not None
    return value, root


def _mask(escape: re.Match[bytes]) -> bytes:
    """Put an escape of the same length in the place of one that YAML does not know."""
    return escape[0] if len(escape[1]) == 1 else _PLACEHOLDER


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise UnusualError
    return value


def _refuse_constant(_name: str) -> NoReturn:
    raise UnusualError


_DECODER = json.JSONDecoder(
    object_pairs_hook=_read_object,
    parse_float=read_plain,
    parse_int=read_plain,
    parse_constant=_refuse_constant,
)
