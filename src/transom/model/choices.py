"""A text of few values, where a document keeps it as text: declared once, for its schema.

Standard library only: it ships to hosts.
"""

from collections.abc import Iterable
from enum import Enum


class OneOf(tuple[str, ...]):
    """The texts that a field has, as in `Annotated[str, OneOf(("safe", "unsafe"))]`.

    Whoever reads such a document should stand a value it does not know: a later version may have more.
    """

    __slots__ = ()

    @classmethod
    def values_of(cls, kind: Iterable[Enum], *more: str) -> "OneOf":
        """The values of an enumeration, and others."""
        return cls((*(str(member.value) for member in kind), *more))
