"""The node tree of one YAML document, made by libyaml: every place, and no values yet.

Uses PyYAML's parser only: its resolvers and constructors are never reached, so no tag can run code.
Without libyaml the same tree comes from PyYAML's own parser, slowly. Trees that would cost far more
to walk than they cost to write are refused here.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from transom.yamlio.scalar import MERGE_TAG
from transom.yamlio.unusual import MAX_DEPTH

if TYPE_CHECKING:
    from yaml.error import Mark

# Tags of nodes that carry none; compared by identity, so no tag in a document can pass for one.
PLAIN = "plain scalar"
QUOTED = "quoted scalar"
UNTAGGED = "collection"

# go-yaml refuses a document by the share of its values that aliases made: up to the first count
# of values 99 % may be, from the second on 10 %, and between them the share falls evenly.
_LAX_UNTIL = 400_000
_STRICT_FROM = 4_000_000
_LAX_SHARE = 0.99
_STRICT_SHARE = 0.10
_FREE_ALIASED = 100
_FREE_VALUES = 1_000


class RefusedNode(Exception):  # noqa: N818 - never leaves the loader, which gives it a file
    """A tree that is not read, and the place of the reason."""

    def __init__(self, message: str, hint: str, mark: "Mark") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.mark = mark


def _too_deep(mark: "Mark") -> RefusedNode:
    return RefusedNode(
        f"values are nested more than {MAX_DEPTH} deep",
        "Make the document flatter: no Kubernetes object is nested like this.",
        mark,
    )


class _Composer(Protocol):
    def __init__(self, stream: bytes) -> None: ...
    def check_node(self) -> bool: ...
    def get_node(self) -> Node | None: ...
    def dispose(self) -> None: ...


class _Hooks:
    """What a PyYAML composer asks at each node: here a cheap tag, and the depth is counted."""

    depth = 0

    def descend_resolver(self, parent: Node, _index: object) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _too_deep(parent.start_mark)

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def resolve(self, _kind: object, value: str | None, implicit: Any) -> str:
        if value is None:
            return UNTAGGED
        return PLAIN if implicit[0] else QUOTED


def _pure_composer() -> type[_Composer]:
    from transom.yamlio.pure import PureParser

    class PureComposer(_Hooks, PureParser):
        """PyYAML's parser and composer."""

    return PureComposer


def _libyaml_composer() -> type[_Composer]:
    from yaml._yaml import CParser

    class LibyamlComposer(_Hooks, CParser):
        """libyaml's parser and composer."""

    return LibyamlComposer


try:
    composer = _libyaml_composer()
except ImportError:
    composer = _pure_composer()


def compose(text: bytes) -> Node | None:
    """Make the tree of the one document in `text`; None where it has only comments.

    Raises:
        RefusedNode: the tree is refused.
        yaml.YAMLError: the text is not YAML.
    """
    parser = composer(text)
    try:
        if not parser.check_node():
            return None
        root = parser.get_node()
        assert root is not None
        if parser.check_node():
            second = parser.get_node()
            assert second is not None
            raise RefusedNode(
                "a second document follows without `---`, and Kubernetes would drop it",
                "Separate documents by a line with `---` alone.",
                second.start_mark,
            )
    finally:
        parser.dispose()
    if b"&" in text and b"*" in text:
        _AliasBudget().spend(root)
    return root


def is_merge(key: Node) -> bool:
    """Tell whether a key is `<<`, which takes over the keys of another mapping."""
    return (
        isinstance(key, ScalarNode)
        and key.value == "<<"
        and (key.tag is PLAIN or key.tag == MERGE_TAG)
    )


def merged_mappings(key: Node, value: Node) -> list[MappingNode]:
    """List the mappings that a `<<` key takes over, the strongest first."""
    # Kubernetes refuses an alias of a list here; what an alias stands for was written before it.
    is_list = isinstance(value, SequenceNode) and value.start_mark.index > key.start_mark.index
    mappings = value.value if is_list else [value]
    if all(isinstance(mapping, MappingNode) for mapping in mappings):
        return list(mappings)
    raise RefusedNode(
        "`<<` takes a mapping or a list of mappings",
        "Give it an alias of a mapping, or quote the key.",
        key.start_mark,
    )


class _AliasBudget:
    """How many values a document has once every alias is replaced by what it stands for."""

    def __init__(self) -> None:
        self.values = 1
        self.aliased = 0
        self.seen: set[int] = set()
        self.open: set[int] = set()

    def spend(self, node: Node, *, depth: int = 1, in_alias: bool = False) -> None:
        """Count a node and all below it; refuse what contains itself, or grows too large."""
        identity = id(node)
        if identity in self.open:
            raise RefusedNode(
                "an anchor's value contains itself",
                "Write the value out instead of the alias.",
                node.start_mark,
            )
        if depth > MAX_DEPTH:
            raise _too_deep(node.start_mark)
        self._count(node, in_alias=in_alias)
        if identity in self.seen:
            in_alias = True
            self._count(node, in_alias=True)
        self.seen.add(identity)
        if isinstance(node, ScalarNode):
            return
        self.open.add(identity)
        for child in _decoded_children(node):
            self.spend(child, depth=depth + 1, in_alias=in_alias)
        self.open.remove(identity)

    def _count(self, node: Node, *, in_alias: bool) -> None:
        self.values += 1
        self.aliased += in_alias
        if self.aliased <= _FREE_ALIASED or self.values <= _FREE_VALUES:
            return
        way = (self.values - _LAX_UNTIL) / (_STRICT_FROM - _LAX_UNTIL)
        share = _LAX_SHARE - (_LAX_SHARE - _STRICT_SHARE) * min(max(way, 0.0), 1.0)
        if self.aliased / self.values > share:
            raise RefusedNode(
                "aliases multiply into too many values, and Kubernetes refuses that",
                "Write the values out, or use fewer aliases.",
                node.start_mark,
            )


def _decoded_children(node: Node) -> Iterator[Node]:
    if isinstance(node, SequenceNode):
        yield from node.value
        return
    for key, value in node.value:
        if is_merge(key):
            yield from merged_mappings(key, value)
        else:
            yield key
            yield value
