"""Walking the node tree of a document along a path."""

from yaml.nodes import MappingNode, Node, SequenceNode

from transom.yamlio.node import PLAIN, QUOTED, is_merge, merged_mappings
from transom.yamlio.scalar import read_plain_key, read_tagged_key


def child(node: Node, name: str | int) -> tuple[Node | None, Node] | None:
    """Find the key and value nodes that a step leads to."""
    if isinstance(node, SequenceNode) and isinstance(name, int):
        return (None, node.value[name]) if 0 <= name < len(node.value) else None
    if isinstance(node, MappingNode):
        return _entry(node, name)
    return None


def _entry(node: MappingNode, name: str | int) -> tuple[Node, Node] | None:
    # The last one wins, as in the value.
    for key, value in reversed(node.value):
        if is_merge(key):
            for mapping in merged_mappings(key, value):
                if (entry := _entry(mapping, name)) is not None:
                    return entry
        elif name_of_key(key) == name:
            return key, value
    return None


def name_of_key(key: Node) -> str:
    """Read a scalar key as the string it is in JSON."""
    if key.tag is PLAIN:
        return read_plain_key(key.value)
    if key.tag is QUOTED:
        return str(key.value)
    return read_tagged_key(key.value, key.tag)
