"""A record: frozen, declared by annotations like a dataclass, and made without generated code.

The base of every row of facts. A start reads a dozen tables, and writing and compiling methods for
each of them would cost more than all the work of most commands.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self, dataclass_transform, get_origin


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record:
    """Named values that never change; a column with a default may be left out."""

    columns: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "__dataclass_fields__"):
            raise TypeError(f"{cls.__name__} is a record: declare it without @dataclass")
        hints: dict[str, Any] = cls.__annotations__
        own = (name for name, hint in hints.items() if get_origin(hint) is not ClassVar)
        cls.columns = (*cls.columns, *own)

    def __init__(self, **values: Any) -> None:
        unknown = values.keys() - set(self.columns)
        missing = {name for name in self.columns if name not in values} - self.defaults().keys()
        if unknown or missing:
            raise TypeError(
                f"{type(self).__name__} has no {sorted(unknown)} and needs {sorted(missing)}"
            )
        self.__dict__.update(values)

    @classmethod
    def trusted(cls, values: Mapping[str, Any]) -> Self:
        """A record of values that were checked before."""
        record = cls.__new__(cls)
        record.__dict__.update(values)
        return record

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """The columns that may be left out, with what they are then."""
        return {name: getattr(cls, name) for name in cls.columns if hasattr(cls, name)}

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()[:1]))

    def __repr__(self) -> str:
        pairs = zip(self.columns, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.columns)
