"""One setting of the kubelet over another: maps merge, everything else replaces. Pure."""

from collections.abc import Mapping
from typing import Any


def merged(ours: Any, theirs: Any) -> Any:
    """What holds where both are said; `theirs` wins."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return {**ours, **theirs}
    return theirs
