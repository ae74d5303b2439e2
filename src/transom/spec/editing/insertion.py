"""New keys and items in a document's text, and scalars and keys written anew.

A new key stands behind the last one of its mapping, in the style of what is there. Called by
`text`, at most once per collection in one pass.
"""

from collections.abc import Mapping
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from transom.spec.editing.change import ObjectPath
from transom.spec.editing.outline import CannotEdit, Outline, Splice, nodes_below
from transom.spec.editing.rendering import block, block_item, flow, scalar


def replace_scalar(outline: Outline, node: Node, value: Any) -> Splice:
    """Another value in the place of a scalar, quoted as it was."""
    outline.own(node)
    start, end = node.start_mark.index, node.end_mark.index
    if not isinstance(node, ScalarNode):
        raise CannotEdit("there is no scalar to replace")
    if node.style in ("|", ">") or outline.source[start:end].startswith(("&", "!")):
        raise CannotEdit("it is written as a block of text, or has an anchor or a tag")
    text = scalar(value, quote=node.style or "")
    if start == end:
        text = f" {text}"
    return Splice(start, end, text)


def set_key(outline: Outline, path: ObjectPath, value: Any) -> tuple[Node, Splice]:
    """A key at a path; gives the node that it touches too."""
    owner: Node = outline.root
    for depth, step in enumerate(path):
        outline.own(owner)
        if isinstance(step, int):
            below = outline.find(path[: depth + 1])
        else:
            entry = outline.entry(owner, step)
            below = entry.value if entry is not None else None
        if below is None:
            rest = nested(path[depth + 1 :], value)
            if not isinstance(owner, MappingNode) or not isinstance(step, str):
                raise CannotEdit("there is no mapping to put it in")
            return owner, _into_mapping(outline, owner, {step: rest})
        if isinstance(below, ScalarNode):
            rest = nested(path[depth + 1 :], value)
            if depth + 1 < len(path) or isinstance(rest, Mapping | list | tuple):
                return below, _in_place_of_null(outline, below, rest)
            return below, replace_scalar(outline, below, rest)
        owner = below
    raise CannotEdit("there is a collection in its place")


def append_item(outline: Outline, path: ObjectPath, item: Any) -> tuple[Node, Splice]:
    """An item at the end of the list at a path; gives the node that it touches too."""
    node = outline.find(path)
    if not isinstance(node, SequenceNode):
        return set_key(outline, path, [item])
    outline.own(node)
    if node.flow_style:
        return node, _into_brackets(outline, node, flow(item, as_json=_is_json(outline)))
    end = outline.item_end(node, len(node.value) - 1)
    column = node.start_mark.column
    lines = block_item(item, column=column, list_step=list_step(outline))
    return node, _lines_at(outline, end, list(lines))


def nested(path: ObjectPath, value: Any) -> Any:
    """The value below the mappings of a path."""
    for step in reversed(path):
        value = {step: value}
    return value


def list_step(outline: Outline) -> int:
    """How far lists stand to the right of their key in this document; most often 0 or 2."""
    for node in nodes_below(outline.root):
        if isinstance(node, MappingNode) and not node.flow_style:
            for key, value in node.value:
                if isinstance(value, SequenceNode) and not value.flow_style and value.value:
                    return max(0, int(value.start_mark.column - key.start_mark.column))
    return 0


def _is_json(outline: Outline) -> bool:
    root = outline.root
    return isinstance(root, MappingNode) and bool(root.flow_style)


def _in_place_of_null(outline: Outline, node: ScalarNode, value: Any) -> Splice:
    outline.own(node)
    if node.style or node.value not in ("", "~", "null", "Null", "NULL"):
        raise CannotEdit("there is a scalar in the place of a mapping")
    text = flow(value, as_json=_is_json(outline))
    start, end = node.start_mark.index, node.end_mark.index
    return Splice(start, end, f" {text}" if start == end else text)


def _into_mapping(outline: Outline, owner: MappingNode, value: Mapping[str, Any]) -> Splice:
    if owner.flow_style:
        pair = flow(value, as_json=_is_json(outline))[1:-1]
        return _into_brackets(outline, owner, pair)
    key = owner.value[-1][0]
    lines = block(value, column=key.start_mark.column, list_step=list_step(outline))
    return _lines_at(outline, outline.entry_end(owner, len(owner.value) - 1), list(lines))


def _lines_at(outline: Outline, index: int, lines: list[str]) -> Splice:
    text = outline.newline.join(lines)
    if outline.source[:index].endswith("\n"):
        return Splice(index, index, text + outline.newline)
    return Splice(index, index, outline.newline + text)


def _into_brackets(outline: Outline, owner: MappingNode | SequenceNode, text: str) -> Splice:
    """Text behind the last entry of a flow collection, on a line of its own where that one is."""
    source = outline.source
    if source[owner.start_mark.index] not in "{[":
        raise CannotEdit("it is a pair in a list without braces, or has an anchor or a tag")
    if not owner.value:
        return Splice(owner.start_mark.index + 1, owner.end_mark.index - 1, text)
    if isinstance(owner, MappingNode):
        begin, end = owner.value[-1][0].start_mark.index, outline.value_end(*owner.value[-1])
    else:
        begin, end = owner.value[-1].start_mark.index, owner.value[-1].end_mark.index
        if begin < owner.start_mark.index:
            raise CannotEdit("the last item of the list is an alias")
    before = source[outline.line_begin(begin) : begin]
    is_alone = not before.strip() and outline.line_begin(begin) > owner.start_mark.index
    return Splice(end, end, f",{outline.newline}{before}{text}" if is_alone else f", {text}")
