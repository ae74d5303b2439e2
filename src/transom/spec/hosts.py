"""The hosts of a fleet, from its own list and from WindowsHost documents, consistent with each other.

What a schema cannot say: names and addresses given twice, pools that do not exist, a release that
no level gives. Works on documents that have other mistakes too, and then passes over those.
"""

import ipaddress
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from transom.spec.fault import Fault, Path, dotted
from transom.spec.levels import laid_over, unset_faults
from transom.spec.shape import Items, Object, Shape
from transom.spec.validation import suggestions

if TYPE_CHECKING:
    from transom.yamlio.loader import Document

_ARTICLES = {"name": "a name", "address": "an address", "nodeName": "a nodeName"}
_ONE_HOST = (("connection", "ssh", "host"), ("connection", "winrm", "host"))


class Entry(NamedTuple):
    """One host as it is written: where, and the keys of a WindowsHost's `spec`."""

    document: "Document"
    path: Path
    name_path: Path
    name: str
    spec: Mapping[str, Any]

    @property
    def settings(self) -> Mapping[str, Any]:
        """What it says at its own level."""
        return as_map(self.spec.get("host"))


class PlacedFault(NamedTuple):
    """A fault and the document it is in."""

    document: "Document"
    fault: Fault


def entries_of(document: "Document", value: Any) -> list[Entry]:
    """The hosts in a Fleet's own list."""
    spec = as_map(as_map(value).get("spec"))
    return [
        Entry(document, path, (*path, "name"), str(item.get("name", "")), item)
        for index, item in _maps(spec.get("hosts"))
        for path in (("spec", "hosts", index),)
    ]


def entry_of(document: "Document", value: Any) -> Entry:
    """The host that a WindowsHost document is."""
    name = str(as_map(as_map(value).get("metadata")).get("name", ""))
    return Entry(document, ("spec",), ("metadata", "name"), name, as_map(as_map(value).get("spec")))


def host_faults(
    value: Any, document: "Document", entries: Sequence[Entry]
) -> Iterator[PlacedFault]:
    """Every way in which a fleet's hosts and pools contradict each other."""
    spec = as_map(as_map(value).get("spec"))
    pools = _maps(spec.get("pools"))
    defaults = as_map(spec.get("defaults"))
    named = {pool["name"]: pool for _, pool in pools if isinstance(pool.get("name"), str)}
    levels = {name: as_map(pool.get("host")) for name, pool in named.items()}
    for path, level in (
        (("spec", "defaults"), defaults),
        *((("spec", "pools", index, "host"), as_map(pool.get("host"))) for index, pool in pools),
    ):
        yield from (PlacedFault(document, fault) for fault in _one_host_faults(path, level))
    for index, pool in pools:
        path = ("spec", "pools", index, "host")
        for fault in unset_faults(defaults, as_map(pool.get("host")), path):
            yield PlacedFault(document, fault)
    yield from _repeated(entries, "name", lambda entry: entry.name.lower())
    yield from _repeated(entries, "address", _address(entries))
    yield from _repeated(entries, "nodeName", lambda entry: str(entry.spec.get("nodeName", "")))
    for entry in entries:
        for fault in _entry_faults(entry, defaults, levels):
            yield PlacedFault(entry.document, fault)


def _entry_faults(
    entry: Entry, defaults: Mapping[str, Any], levels: Mapping[str, Mapping[str, Any]]
) -> Iterator[Fault]:
    pool = entry.spec.get("poolName")
    if isinstance(pool, str) and pool not in levels:
        yield _no_pool((*entry.path, "poolName"), pool, list(levels))
        return
    base = laid_over(defaults, levels.get(pool, {})) if isinstance(pool, str) else defaults
    yield from unset_faults(base, entry.settings, (*entry.path, "host"))
    if "windows" not in laid_over(base, entry.settings):
        yield Fault(
            entry.path,
            "nothing says which Windows Server release this host runs",
            "Write `windows: {release: ltsc2022}` in `spec.defaults`, in its pool's `host`, or in its own.",
        )


def _one_host_faults(path: Path, level: Mapping[str, Any]) -> Iterator[Fault]:
    for keys in _ONE_HOST:
        found: Any = level
        for key in keys:
            found = as_map(found).get(key)
        if found is not None:
            yield Fault(
                (*path, *keys),
                "this is where one machine is, and many hosts would get it",
                "Write it in the `host` of that machine.",
                at_key=True,
            )


def repeated_faults(shape: Shape | None, value: Any, path: Path = ()) -> Iterator[Fault]:
    """A fault for each map of a list that is told apart by keys which an earlier one has too."""
    match shape, value:
        case Object(), dict():
            for key, below in value.items():
                yield from repeated_faults(shape.keys.get(key), below, (*path, key))
        case Items(), list():
            seen: dict[tuple[str, ...], int] = {}
            for index, item in enumerate(value):
                found = tuple(str(as_map(item).get(key)) for key in shape.by)
                if shape.by and None not in (as_map(item).get(key) for key in shape.by):
                    earlier = seen.setdefault(found, index)
                    if earlier != index and path != ("spec", "hosts"):
                        same = " and ".join(
                            f"`{key}: {word}`" for key, word in zip(shape.by, found, strict=True)
                        )
                        yield Fault(
                            (*path, index),
                            f"{dotted((*path, earlier))} has {same} too",
                            "Keep one of them.",
                        )
                yield from repeated_faults(shape.of, item, (*path, index))
        case _:
            return


def as_map(value: Any) -> dict[str, Any]:
    """A map, or an empty one where another type stands."""
    return value if isinstance(value, dict) else {}


def _maps(value: Any) -> list[tuple[int, dict[str, Any]]]:
    items = value if isinstance(value, list) else []
    return [(index, item) for index, item in enumerate(items) if isinstance(item, dict)]


def _address(entries: Sequence[Entry]) -> Callable[[Entry], str]:
    """The address by which hosts are the same: a name counts where another one has it as its address."""
    given = [entry.spec.get("address") for entry in entries]
    texts = {text for text in given if isinstance(text, str)}

    def same(entry: Entry) -> str:
        text = entry.spec.get("address", entry.name if entry.name in texts else "")
        if not isinstance(text, str):
            return ""
        try:
            return str(ipaddress.ip_address(text))
        except ValueError:
            return text.lower().rstrip(".")

    return same


def _repeated(
    entries: Sequence[Entry], key: str, same: Callable[[Entry], str]
) -> Iterator[PlacedFault]:
    first: dict[str, Entry] = {}
    for entry in entries:
        text = same(entry)
        earlier = first.setdefault(text, entry) if text else entry
        if earlier is not entry:
            path = entry.name_path if key == "name" else (*entry.path, key)
            shown = entry.name if key == "name" else entry.spec.get(key, entry.name)
            where = _where(earlier, entry)
            hint = f"Give each host {_ARTICLES[key]} of its own, or remove one of them."
            text = f"{where} has the same {key}, `{shown}`"
            yield PlacedFault(entry.document, Fault(path, text, hint))


def _where(entry: Entry, seen_from: Entry) -> str:
    if entry.document is seen_from.document:
        return dotted(entry.path)
    line = entry.document.locate(entry.path).line
    return f"{entry.document.name}:{line}"


def _no_pool(path: Path, pool: str, known: list[str]) -> Fault:
    near = suggestions(pool, known)
    if near:
        hint = f"Did you mean {' or '.join(f'`{name}`' for name in near)}?"
    elif known:
        hint = f"The pools are {', '.join(f'`{name}`' for name in known)}."
    else:
        hint = "Add it to `spec.pools`, or remove the key."
    return Fault(path, f"there is no pool `{pool}`", hint)
