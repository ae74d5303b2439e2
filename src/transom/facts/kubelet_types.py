"""KubeletConfiguration by minor: which fields it has, of which type, and what is wrong with one.

`kubelet_types.json` has the fields, made by `make kubelet-types` from upstream's own types; the rows say
from which. What a field does on Windows is the matter of `kubelet`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from os.path import dirname, join
from typing import Any, ClassVar, NamedTuple

from transom.facts import rows
from transom.facts.kubelet_values import fits, shown, spelt, wanted
from transom.facts.rows import Row
from transom.model.version import Version, VersionRange

_FILE = join(dirname(__file__), "kubelet_types.json")  # noqa: PTH118, PTH120 - as in rows
# A value below these may be a credential.
_UNSHOWN = ("staticPodURLHeader",)
_FIELD, _TYPE = "kubelet-config-field", "kubelet-config-type"
_TYPE_META = ("apiVersion", "kind")


class TypesModule(Row):
    """The Go module that a minor's fields were read from; the row's range is that minor."""

    subject: ClassVar[str] = "kubelet_types"
    table: ClassVar[str] = "types_module"

    version: str


class Wrong(NamedTuple):
    """A field that a kubelet does not take as it is written; `path` is dotted, as in a message.

    `id` is `kubelet-config-field` where there is no such field, `kubelet-config-type` where its
    value is not of its type.
    """

    id: str
    path: str
    found: str
    reason: str
    fix: str


class _Field(NamedTuple):
    type: str
    since: int
    until: int
    values: tuple[str, ...]


_ALWAYS = 10**9


def nearest(modules: Iterable[TypesModule], version: Version) -> TypesModule:
    """The module of that minor, or of the nearest one that is known."""
    return min(modules, key=lambda row: abs(_minor(row) - version.minor))


def check(config: Mapping[str, Any], version: Version) -> list[Wrong]:
    """Everything that is wrong in a configuration for a kubelet of that version."""
    minor = _minor(nearest(rows.read(TypesModule), version))
    beside = "" if minor == version.minor else f" (judged by 1.{minor}, the nearest that is known)"
    return [
        wrong._replace(reason=wrong.reason + beside)
        for wrong in _object(config, "", minor=minor, shown_path="")
    ]


def _minor(row: TypesModule) -> int:
    since = VersionRange.parse(row.kubernetes).since
    assert since is not None
    return since.minor


@cache
def _fields() -> Mapping[str, tuple[_Field, ...]]:
    with open(_FILE, "rb") as file:  # noqa: PTH123 - as in rows
        document: dict[str, list[dict[str, Any]]] = json.loads(file.read())
    return {
        path: tuple(
            _Field(
                entry["type"],
                entry.get("since", 0),
                entry.get("until", _ALWAYS),
                tuple(entry.get("values", ())),
            )
            for entry in entries
        )
        for path, entries in document.items()
    }


def _object(value: Mapping[str, Any], path: str, *, minor: int, shown_path: str) -> Iterator[Wrong]:
    for key, item in value.items():
        below = f"{path}.{key}" if path else str(key)
        place = f"{shown_path}.{key}" if shown_path else str(key)
        field = _at(below, minor)
        if field is None:
            yield _unknown(path, str(key), place, minor)
        elif item is not None:
            yield from _value(item, field.type, field.values, below, place, minor)


def _at(path: str, minor: int) -> _Field | None:
    entries = _fields().get(path, ())
    return next((entry for entry in entries if entry.since <= minor < entry.until), None)


def _value(  # noqa: PLR0917 - where, in the table and in words, and what is wanted there
    value: Any, kind: str, values: tuple[str, ...], path: str, place: str, minor: int
) -> Iterator[Wrong]:
    outer, _, inner = kind.partition(" of ")
    if outer == "object" and isinstance(value, Mapping):
        yield from _object(value, path, minor=minor, shown_path=place)
    elif outer == "list" and isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _value(item, inner, values, f"{path}[]", f"{place}[{index}]", minor)
    elif outer == "map" and isinstance(value, Mapping):
        for key, item in value.items():
            below = f"{place}[{json.dumps(str(key))}]"
            yield from _value(item, inner, values, f"{path}{{}}", below, minor)
    elif not fits(value, kind):
        secret = path.startswith(_UNSHOWN)
        found, fix = (
            ("a value", f"Write {wanted(kind)}.") if secret else (shown(value), spelt(value, kind))
        )
        yield Wrong(_TYPE, place, found, f"this must be {wanted(kind)}", fix)
    elif values and value and value not in values:
        known = ", ".join(values)
        yield Wrong(
            _TYPE,
            place,
            shown(value),
            f"Kubernetes 1.{minor} has no such value",
            f"Use one of {known}.",
        )


def _unknown(path: str, key: str, place: str, minor: int) -> Wrong:
    below = f"{path}.{key}" if path else key
    if not path and key in _TYPE_META:
        return Wrong(_FIELD, place, key, "Transom writes this itself", "Remove it.")
    entries = _fields().get(below, ())
    later = [entry.since for entry in entries if entry.since > minor]
    if later:
        reason = f"the field begins with Kubernetes 1.{min(later)}; a kubelet of 1.{minor} does not have it"
        return Wrong(
            _FIELD, place, key, reason, f"Remove it, or use Kubernetes 1.{min(later)} or newer."
        )
    if entries:
        reason = f"the field ended with Kubernetes 1.{entries[-1].until}"
        return Wrong(_FIELD, place, key, reason, "Remove it.")
    reason = f"KubeletConfiguration of Kubernetes 1.{minor} has no such field, and its kubelet does nothing with it"
    return Wrong(_FIELD, place, key, reason, _near(path, key, minor) or "Remove it.")


def _near(path: str, key: str, minor: int) -> str:
    """What was perhaps meant: a field here that is spelt alike, or one of that name elsewhere."""
    # Only a mistake pays for this import.
    from difflib import get_close_matches

    known = [name for name in _fields() if _at(name, minor) is not None]
    here = {name.rpartition(".")[2]: name for name in known if name.rpartition(".")[0] == path}
    alike = {name.lower(): name for name in here}
    close = get_close_matches(key.lower(), alike, n=1, cutoff=0.75)
    if close:
        return f"Write {alike[close[0]]} if you mean that field."
    elsewhere = [name for name in known if name.rpartition(".")[2] == key]
    return f"Write {elsewhere[0]} if you mean that field." if len(elsewhere) == 1 else ""
