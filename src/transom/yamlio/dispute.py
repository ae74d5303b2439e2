"""Texts that libyaml and Kubernetes' parser read differently, so that nobody should write them.

Each dispute is found in the source text of a node, and is a mistake of the document: a guess at
either reading would be wrong somewhere.
"""

import re
from collections.abc import Iterator

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from transom.yamlio.node import PLAIN, QUOTED, UNTAGGED, RefusedNode

_SLASH_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\/")
# An anchor may stand before the tag.
_LONE_TAG = re.compile(r"(?:&\S+\s+)?!(?![!<\w-])")
# A colon that touches a bracket or comma: part of the text, or the end of a key.
_TOUCHING_COLON = re.compile(r":[,\[\]{}]")
# A tab before the first text of a block whose indentation is not given.
_TAB_INDENT = re.compile(r"(?:[&!]\S*\s+)*[|>][-+]?(?:[ \t][^\n]*|\r)?\n(?: *\r?\n)* *\t")
_UNTAGGED = (PLAIN, QUOTED, UNTAGGED)
_BLOCK_STYLES = ("|", ">")
_SUSPECT = re.compile(rb"[?!\t]|\\/|:[,\[\]{}]|\\(?:u|U0000)[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def refuse_disputed(text: bytes, root: Node) -> None:
    """Raise RefusedNode at the first place where the parsers would part ways."""
    if _SUSPECT.search(text):
        source = text.decode()
        for node, in_flow in _walk(root):
            _judge(source, node, in_flow=in_flow)


def _judge(source: str, node: Node, *, in_flow: bool) -> None:
    if _LONE_TAG.match(source, node.start_mark.index) and node.tag in _UNTAGGED:
        raise RefusedNode(
            "a lone `!` is read in several ways", "Remove it, or quote the text.", node.start_mark
        )
    if not isinstance(node, ScalarNode):
        return
    if in_flow and not node.style and not node.value and node.tag not in _UNTAGGED:
        raise RefusedNode(
            "a tag without a value inside brackets is read in several ways",
            "Write the value, in quotes if it is empty.",
            node.start_mark,
        )
    written = source[node.start_mark.index : node.end_mark.index]
    if in_flow and not node.style and "?" in written:
        raise RefusedNode(
            "Kubernetes does not take a bare `?` inside brackets",
            "Quote the text.",
            node.start_mark,
        )
    if in_flow and not node.style and _TOUCHING_COLON.match(source, node.end_mark.index):
        raise RefusedNode(
            "a colon that touches a bracket or comma is read in several ways",
            "Put a space after the colon, or quote the text.",
            node.start_mark,
        )
    if node.style in _BLOCK_STYLES and _TAB_INDENT.match(written):
        raise RefusedNode(
            "the text is indented by a tab", "Use spaces for indentation.", node.start_mark
        )
    if _SURROGATE.search(node.value):
        raise RefusedNode(
            "an escape stands for half a character",
            "Write the character itself, or `\\U` and eight digits.",
            node.start_mark,
        )
    if node.style == '"' and _SLASH_ESCAPE.search(written):
        raise RefusedNode(
            "Kubernetes does not know the escape `\\/` in YAML",
            "Write the slash without the backslash.",
            node.start_mark,
        )


def _walk(root: Node) -> Iterator[tuple[Node, bool]]:
    """Give each node once, where it is written, and whether that is inside brackets."""
    seen: set[int] = set()
    waiting = [(root, False)]
    while waiting:
        node, in_flow = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node, in_flow
        if isinstance(node, MappingNode):
            inside = in_flow or bool(node.flow_style)
            children = [child for entry in node.value for child in entry]
            waiting += ((child, inside) for child in reversed(children))
        elif isinstance(node, SequenceNode):
            inside = in_flow or bool(node.flow_style)
            waiting += ((child, inside) for child in reversed(node.value))
