"""New keys and items in a document's text, and scalars and keys written anew.

A new key stands behind the last one of its mapping, in the style of what is there.
"""

from collections.abc import Mapping
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from transom.yamlio.editing.change import ObjectPath
from transom.yamlio.editing.layout import CannotEdit, Layout, Splice, nodes_below
from transom.yamlio.editing.rendering import block, block_item, flow, scalar


def replace_scalar(layout: Layout, node: Node, value: Any) -> Splice:
    """Another value in the place of a scalar, quoted as it was."""
    layout.own(node)
    start, end = node.start_mark.index, node.end_mark.index
    if not isinstance(node, ScalarNode):
        raise CannotEdit("there is no scalar to replace")
    if node.style in ("|", ">") or layout.source[start:end].startswith(("&", "!")):
        raise CannotEdit("it is written as a block of text, or has an anchor or a tag")
    text = scalar(value, quote=node.style or "")
    if start == end:
        text = f" {text}"
    return Splice(start, end, text)


def set_key(layout: Layout, path: ObjectPath, value: Any) -> tuple[Node, Splice]:
    """A key at a path; gives the node that it touches too."""
    owner: Node = layout.root
    for depth, step in enumerate(path):
        layout.own(owner)
        if isinstance(step, int):
            below = layout.find(path[: depth + 1])
        else:
            entry = layout.entry(owner, step)
            below = entry.value if entry is not None else None
        if below is None or isinstance(below, ScalarNode):
            _check_names(path[depth + 1 :])
        if below is None:
            rest = nested(path[depth + 1 :], value)
            if not isinstance(owner, MappingNode) or not isinstance(step, str):
                raise CannotEdit("there is no mapping to put it in")
            return owner, _into_mapping(layout, owner, {step: rest})
        if isinstance(below, ScalarNode):
            rest = nested(path[depth + 1 :], value)
            if depth + 1 < len(path) or isinstance(rest, Mapping | list | tuple):
                return below, _in_place_of_null(layout, below, rest)
            return below, replace_scalar(layout, below, rest)
        owner = below
    raise CannotEdit("there is a collection in its place")


def append_item(layout: Layout, path: ObjectPath, item: Any) -> tuple[Node, Splice]:
    """An item at the end of the list at a path; gives the node that it touches too."""
    node = layout.find(path)
    if not isinstance(node, SequenceNode):
        return set_key(layout, path, [item])
    layout.own(node)
    if node.flow_style:
        return node, _into_brackets(layout, node, flow(item, as_json=_is_json(layout)))
    end = layout.item_end(node, len(node.value) - 1)
    column = node.start_mark.column
    lines = block_item(item, column=column, list_step=list_step(layout))
    return node, _lines_at(layout, end, list(lines))


def _check_names(path: ObjectPath) -> None:
    if any(isinstance(step, int) for step in path):
        raise CannotEdit("the list on the way to it is not there")


def nested(path: ObjectPath, value: Any) -> Any:
    """The value below the mappings of a path."""
    for step in reversed(path):
        value = {step: value}
    return value


def list_step(layout: Layout) -> int:
    """How far lists stand to the right of their key in this document; most often 0 or 2."""
    for node in nodes_below(layout.root):
        if isinstance(node, MappingNode) and not node.flow_style:
            for key, value in node.value:
                if isinstance(value, SequenceNode) and not value.flow_style and value.value:
                    return max(0, int(value.start_mark.column - key.start_mark.column))
    return 0


def _is_json(layout: Layout) -> bool:
    root = layout.root
    return isinstance(root, MappingNode) and bool(root.flow_style)


def _in_place_of_null(layout: Layout, node: ScalarNode, value: Any) -> Splice:
    layout.own(node)
    if node.style or node.value not in ("", "~", "null", "Null", "NULL"):
        raise CannotEdit("there is a scalar in the place of a mapping")
    text = flow(value, as_json=_is_json(layout))
    start, end = node.start_mark.index, node.end_mark.index
    return Splice(start, end, f" {text}" if start == end else text)


def _into_mapping(layout: Layout, owner: MappingNode, value: Mapping[str, Any]) -> Splice:
    if owner.flow_style:
        pair = flow(value, as_json=_is_json(layout))[1:-1]
        return _into_brackets(layout, owner, pair)
    key = owner.value[-1][0]
    lines = block(value, column=key.start_mark.column, list_step=list_step(layout))
    end = layout.entry_end(owner, len(owner.value) - 1)
    is_list = isinstance(owner.value[-1][1], SequenceNode)
    return _lines_at(
        layout, _behind_comments(layout, end, key.start_mark.column, is_list), [*lines]
    )


def _behind_comments(layout: Layout, end: int, column: int, is_list: bool) -> int:  # noqa: FBT001 - private
    """Where the comments end that belong to the last entry of a mapping.

    They stand right below it and further to the right than its key, or are items of its list that
    somebody commented out.
    """
    is_item = False
    while end < len(layout.source):
        following = layout.next_line(end)
        line = layout.source[end:following]
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        goes_on = is_item and text.startswith("#  ")
        is_item = (
            is_list and indent == column and (goes_on or text[1:].lstrip(" ").startswith("- "))
        )
        if not text.startswith("#") or not (indent > column or is_item):
            break
        end = following
    return end


def _lines_at(layout: Layout, index: int, lines: list[str]) -> Splice:
    text = layout.newline.join(lines)
    if layout.source[:index].endswith("\n"):
        return Splice(index, index, text + layout.newline)
    return Splice(index, index, layout.newline + text)


def _into_brackets(layout: Layout, owner: MappingNode | SequenceNode, text: str) -> Splice:
    """Text behind the last entry of a flow collection, on a line of its own where that one is."""
    source = layout.source
    if source[owner.start_mark.index] not in "{[":
        raise CannotEdit("it is a pair in a list without braces, or has an anchor or a tag")
    if not owner.value:
        return Splice(owner.start_mark.index + 1, owner.end_mark.index - 1, text)
    if isinstance(owner, MappingNode):
        begin, end = owner.value[-1][0].start_mark.index, layout.value_end(*owner.value[-1])
    else:
        begin, end = owner.value[-1].start_mark.index, owner.value[-1].end_mark.index
        if begin < owner.start_mark.index:
            raise CannotEdit("the last item of the list is an alias")
    before = source[layout.line_begin(begin) : begin]
    is_alone = not before.strip() and layout.line_begin(begin) > owner.start_mark.index
    return Splice(end, end, f",{layout.newline}{before}{text}" if is_alone else f", {text}")
