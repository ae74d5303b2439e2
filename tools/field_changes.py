"""What a change of each key of the Fleet document does to running nodes, found by trying: for `spec/changes.json`.

Called by generate.py. Each key of the declaration gets other values in fleets of the test data; what can be read and
resolved is compared with the fleet as it was. Nothing here names a key: a new one is tried as all others are.
"""

import json
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import chain
from typing import Any

from transom.errors import TransomError
from transom.site.change_effects import (
    ChangeEffect,
    Outcome,
    effect_between,
    outcome_of,
    together,
)
from transom.spec.fleet import read_fleets
from transom.spec.shape import Items, Object, Shape, Table
from transom.yamlio.loader import load

# Fleets of the test data that together have every runtime and network.
BASES = (
    "k137-2022-containerd-flannel-overlay",
    "k120-2019-docker-wins-overlay",
    "k137-2022-containerd-calico-manifest",
    "k137-2022-containerd-external-overlay",
    "k115-2019-docker-wincni",
    "k137-2022-containerd-azure-cni",
    "k137-2022-containerd-ovn-kubernetes",
    "k137-2022-containerd-win-bridge",
    "k137-2022-containerd-win-overlay",
)
Path = tuple[str, ...]
EACH = "[]"
_TRIES = 6
# By the name of a syntax, values that differ from what the fleets of the test data have.
_BY_SYNTAX: dict[str, tuple[str, ...]] = {
    "cidr": ("10.208.0.0/16", "10.96.0.0/16"),
    "address": ("10.96.0.53", "10.7.7.7"),
    "host": ("10.7.7.7", "10.7.7.8"),
    "endpoint": ("10.7.7.7:6443", "10.7.7.8:6443"),
    "url": ("https://one.corp.example", "https://two.corp.example"),
    "no-proxy": (".one.example", ".two.example"),
    "release": ("ltsc2025", "ltsc2022", "2025", "2022", "2019"),
    "sha256": ("b" * 64, "c" * 64),
    "ca-hash": (f"sha256:{'b' * 64}", f"sha256:{'c' * 64}"),
    "thumbprint": ("b" * 40, "c" * 40),
    "host-key": ("ssh-ed25519 AAAAone", "ssh-ed25519 AAAAtwo"),
    "windows-path": ("E:\\one", "E:\\two"),
    "artifact": ("containerd", "kubelet"),
    "registry": ("one.example", "two.example"),
    "gate": ("WinOverlay", "WinDSR"),
    "duration": ("7m", "8m"),
    "count": ("2", "3"),
    "qualified-name": ("example.com/one", "example.com/two"),
    "label-value": ("one", "two"),
    "pointer": ("/labels/one", "/labels/two"),
    "dns-name": ("one.example", "two.example"),
    "variable": ("ONE", "TWO"),
    "member": ("kubernetes/node/bin/kubelet.exe", "kubernetes/node/bin/kubeadm.exe"),
}


def leaves(shape: Shape, path: Path = ()) -> Iterator[tuple[Path, Shape]]:
    """Every key that has a value of its own, with the way to it."""
    if isinstance(shape, Object):
        for key, below in shape.keys.items():
            yield from leaves(below, (*path, key))
    elif isinstance(shape, Items | Table) and isinstance(shape.of, Object):
        yield from leaves(shape.of, (*path, EACH))
    else:
        yield path, shape


def dotted(path: Path) -> str:
    """`spec.pools[].name`."""
    return ".".join(path).replace(f".{EACH}", EACH)


def field_changes(document: Object, sources: Sequence[bytes]) -> dict[str, ChangeEffect]:
    """By key, what a change of it does; a key for which no value could be tried is left out."""
    bases = [base for source in sources if (base := _base(document, source)) is not None]
    found: dict[str, ChangeEffect] = {}
    for path, _ in leaves(document):
        for stream, before in chain(bases, _switched(document, path, bases)):
            effects = [*_tried(document, path, stream, before)]
            if effects:
                found[dotted(path)] = together(effects)
                break
    return found


def _switched(
    document: Object, path: Path, bases: Sequence[tuple[list[Any], Outcome]]
) -> Iterator[tuple[list[Any], Outcome]]:
    """The fleets with the branch of the document that a key belongs to, where they have another."""
    for stream, _ in bases:
        changed = [
            _with_branch(document, path, item) if item.get("kind") == document.title else item
            for item in deepcopy(stream)
        ]
        before = _read(changed)
        if before is not None:
            yield changed, before


def _with_branch(shape: Shape, path: Path, value: Any) -> Any:
    """The value with every map on the way to a key, none of which excludes it."""
    if len(path) <= 1 and not isinstance(shape, Object):
        return value
    if isinstance(shape, Items):
        entries = value or [_sample(shape.of)]
        return [_with_branch(shape.of, path[1:], entries[0]), *entries[1:]]
    if isinstance(shape, Table):
        entries = value or {_text_of(shape.keys.name): _sample(shape.of)}
        first = next(iter(entries))
        return {**entries, first: _with_branch(shape.of, path[1:], entries[first])}
    assert isinstance(shape, Object)
    key, inside = path[0], dict(value or {})
    for other in _excluded(shape, key):
        inside.pop(other, None)
        for needed in shape.needs.get(other, ()):
            inside.pop(needed, None)
    inside |= _type_of(shape, key)
    for needed in shape.needs.get(key, ()):
        inside.setdefault(needed, _sample(shape.keys[needed]))
    below = inside.get(key, _sample(shape.keys[key]))
    return {**inside, key: _with_branch(shape.keys[key], path[1:], below) if path[1:] else below}


def _excluded(shape: Object, key: str) -> list[str]:
    """The keys that cannot stand beside one."""
    union = getattr(shape, "union", None)
    groups = [shape.exactly_one, tuple(union.members.values()) if union is not None else ()]
    found = [other for group in groups if key in group for other in group if other != key]
    return found + [
        other for pair in shape.not_both if key in pair for other in pair if other != key
    ]


def _type_of(shape: Object, key: str) -> dict[str, str]:
    """The discriminator that belongs to a key."""
    union = getattr(shape, "union", None)
    members = union.members if union is not None else {}
    found = [type_ for type_, member in members.items() if member == key]
    return {"type": found[0]} if found else {}


def _base(document: Object, source: bytes) -> tuple[list[Any], Outcome] | None:
    """A fleet with a pool that its first host belongs to, as documents and as a value."""
    stream = [item.value for item in load(source, name="base")]
    value = next(item for item in stream if item.get("kind") == document.title)
    spec = value["spec"]
    shapes: Any = document.keys["spec"]
    pool = next(key for key in shapes.keys["hosts"].of.keys if key.startswith("pool"))
    labels = {"labels": {"example.com/pool": "other"}}
    of_pools = shapes.keys["pools"].of.keys
    other = labels if "labels" in of_pools else {"host": labels}
    spec.setdefault("pools", [{"name": "probe"}]).append({"name": "other", **other})
    for host in spec.get("hosts", [])[:1]:
        host.setdefault(pool, spec["pools"][0]["name"])
    before = _read(stream)
    return None if before is None else (stream, before)


def _read(stream: Sequence[Any]) -> Outcome | None:
    try:
        (fleet,) = read_fleets("\n---\n".join(map(json.dumps, stream)), name="probe")
        return outcome_of(fleet)
    except (TransomError, ValueError):
        return None


def _tried(
    document: Object, path: Path, stream: Sequence[Any], before: Outcome
) -> Iterator[ChangeEffect]:
    number = next(n for n, item in enumerate(stream) if item.get("kind") == document.title)
    for value in _placed(document, path, stream[number]):
        after = _read([*stream[:number], value, *stream[number + 1 :]])
        if after is not None:
            yield effect_between(before, after)


def _placed(shape: Shape, path: Path, value: Any) -> Iterator[Any]:
    """The value with others at the end of the path, as far as there is a place for them."""
    if not path:
        yield from _others(shape, value)
    elif path[0] == EACH:
        assert isinstance(shape, Items | Table)
        yield from _in_list(shape, path[1:], value)
    else:
        assert isinstance(shape, Object)
        inside = value if isinstance(value, dict) else {}
        below = shape.keys[path[0]]
        for other in _placed(below, path[1:], inside.get(path[0])):
            yield {**inside, path[0]: other}


def _in_list(shape: Items | Table, path: Path, value: Any) -> Iterator[Any]:
    if isinstance(shape, Table):
        (key, first), *_ = (value or {_text_of(shape.keys.name): _sample(shape.of)}).items()
        for other in _placed(shape.of, path, deepcopy(first)):
            yield {**(value or {}), key: other}
        return
    entries = value or [_sample(shape.of)]
    for other in _placed(shape.of, path, deepcopy(entries[0])):
        yield [other, *entries[1:]]


def _others(shape: Shape, now: Any) -> list[Any]:
    """Values that the key may have and does not have now; more than are tried are left out."""
    found: list[Any] = []
    for value in _values(shape, now):
        if value != now and value not in found:
            found.append(value)
    return found[:_TRIES]


def _values(shape: Shape, now: Any) -> Iterator[Any]:
    name = type(shape).__name__
    if name == "Flag":
        yield from (True, False)
    elif name in ("Number", "Count"):
        known = [*(now,) * isinstance(now, int), *shape.examples]  # type: ignore[union-attr]
        yield from (item + 1 for item in known if isinstance(item, int))
        yield from (2, 3)
    elif name == "Text":
        yield from _texts(shape, now)
    elif isinstance(shape, Items):
        inside = [*_values(shape.of, None)]
        yield from shape.examples
        for value in inside:
            yield from ([value], [*(now or []), value])
    elif isinstance(shape, Table):
        key = _text_of(shape.keys.name)
        yield from shape.examples
        yield from ({**(now or {}), key: value} for value in _values(shape.of, None))
    else:
        yield from getattr(shape, "examples", ())
        yield from ({**item, "maxPods": 77} for item in getattr(shape, "examples", ()))


def _texts(shape: Any, now: Any) -> Iterator[str]:
    yield from shape.choices
    yield from _BY_SYNTAX.get(shape.syntax.name if shape.syntax else "", ())
    for text in (now, *shape.examples):
        if isinstance(text, str):
            yield re.sub(r"\d+(?=\D*$)", lambda match: str(int(match[0]) + 1), text)
    yield from shape.examples
    yield "other"


def _text_of(syntax: str) -> str:
    return _BY_SYNTAX.get(syntax, ("other",))[0]


def _sample(shape: Shape) -> Any:
    """A value that the key may have, with no more in it than it must have."""
    if isinstance(shape, Object):
        needed = [*shape.required, *shape.exactly_one[:1], *shape.at_least_one[:1]]
        needed += [other for key in needed for other in shape.needs.get(key, ())]
        return {key: _sample(shape.keys[key]) for key in dict.fromkeys(needed)}
    if isinstance(shape, Items):
        return [_sample(shape.of)]
    if isinstance(shape, Table):
        return {_text_of(shape.keys.name): _sample(shape.of)}
    return next(iter(_values(shape, None)), "other")
