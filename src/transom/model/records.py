"""`dataclass` for what is frozen, whose methods are made when they are first needed.

Python writes six methods of such a class as source text and compiles it while the module is imported: a millisecond
a class, and a command or the node program imports a hundred before it does anything. Here `__init__` is compiled
when the first record is made, and what few records are ever asked for is the same function for all of them.
Everything else (`fields`, `replace`, slots, matching) is Python's own. Standard library only: it ships to hosts.
"""

import dataclasses
from collections.abc import Callable
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - types are checked as of Python's own
else:

    def dataclass(
        *, frozen: bool, slots: bool = False, kw_only: bool = False
    ) -> Callable[["K"], "K"]:
        """Make a frozen record of a class."""
        assert frozen, "only what is frozen compares and hashes by its fields"
        return partial(_record, slots=slots, kw_only=kw_only)


K = TypeVar("K", bound=type[Any])
_set = object.__setattr__


def _record(kind: K, *, slots: bool, kw_only: bool) -> K:
    own = vars(kind)
    bare = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)
    record: Any = bare(kind)
    shared: dict[str, Any] = {
        "__init__": _beginning(record),
        "__repr__": _repr,
        "__eq__": _eq,
        "__hash__": _hash,
        "__setattr__": _refuse_setting,
        "__delattr__": _refuse_deleting,
        "__getstate__": _getstate,
        "__setstate__": _setstate,
    }
    for name, function in shared.items():
        if name not in own:
            setattr(record, name, function)
    return record  # type: ignore[no-any-return]


def _beginning(record: Any) -> Callable[..., None]:
    """An `__init__` that puts the real one into its place and lets it do the work."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807 - becomes one
        record.__init__ = _init(record)
        record.__init__(self, *values, **named)

    return __init__


def _init(record: Any) -> Callable[..., None]:
    """The `__init__` that Python's own dataclass would have."""
    known: dict[str, Any] = {"_set": _set, "_unset": dataclasses.MISSING}
    by_place, by_name, body = ["self"], list[str](), list[str]()
    for field in dataclasses.fields(record):
        name, value = field.name, field.name
        parameter = name
        if field.default is not dataclasses.MISSING:
            known[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            known[f"_make_{name}"] = field.default_factory
            parameter = f"{name}=_unset"
            value = f"_make_{name}() if {name} is _unset else {name}"
        (by_name if field.kw_only else by_place).append(parameter)
        body.append(f"_set(self, {name!r}, {value})")
    if hasattr(record, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*by_place, *(["*", *by_name] if by_name else [])])
    lines = "\n ".join(body or ["pass"])
    exec(f"def __init__({parameters}):\n {lines}\n", known)  # noqa: S102 - names of fields, as Python's own does it
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{record.__qualname__}.__init__"
    return made


@cache
def _reader(record: Any) -> Callable[[Any], Any]:
    """What reads those fields of a record that make it equal to another."""
    names = [field.name for field in dataclasses.fields(record) if field.compare]
    return attrgetter(*names) if names else lambda _: ()


def _compared(self: Any) -> Any:
    return _reader(self.__class__)(self)


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self is other or _compared(self) == _compared(other)


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _repr(self: Any) -> str:
    shown = (field.name for field in dataclasses.fields(self) if field.repr)
    named = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({named})"


def _refuse_setting(self: Any, name: str, value: object) -> None:
    del self, value
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: Any, name: str) -> None:
    del self
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, field.name) for field in dataclasses.fields(self))


def _setstate(self: Any, state: tuple[Any, ...]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        _set(self, field.name, value)
