"""Keys taken out of a mapping's text, in block and in flow style.

A comment behind a removed key goes with it; comments on lines of their own stay.
"""

import re
from collections.abc import Collection

from yaml.nodes import MappingNode, Node

from transom.yamlio.editing.layout import CannotEdit, Entry, Layout, Splice, nodes_below

_DASHES = re.compile(r"[ \t]*(?:-[ \t]+)+")


def check_removable(layout: Layout, entry: Entry) -> None:
    """Raise CannotEdit where something outside needs what the entry has."""
    begin = entry.key.start_mark.index
    for node in (*nodes_below(entry.value), entry.key):
        if layout.is_shared(node) and node.start_mark.index >= begin:
            line = layout.line_of(node)
            raise CannotEdit(f"an alias elsewhere needs its anchor on line {line}")


def remove_keys(
    layout: Layout, owner: MappingNode, numbers: Collection[int], *, parent: Node | None
) -> list[Splice]:
    """The splices that take keys out of a mapping; `parent` is the key that holds it, if any."""
    if owner.flow_style:
        return _from_flow(layout, owner, frozenset(numbers))
    for number in numbers:
        _check_line(layout, owner, number)
    if len(numbers) == len(owner.value):
        return _all_from_block(layout, owner, parent)
    return _from_block(layout, owner, frozenset(numbers))


def _begin(owner: MappingNode, number: int) -> int:
    return int(owner.value[number][0].start_mark.index)


def _check_line(layout: Layout, owner: MappingNode, number: int) -> None:
    begin = _begin(owner, number)
    before = layout.source[layout.line_begin(begin) : begin]
    if before.strip() and not (number == 0 and _DASHES.fullmatch(before)):
        raise CannotEdit("its key does not begin a line")


def _is_behind_dash(layout: Layout, owner: MappingNode) -> bool:
    begin = _begin(owner, 0)
    return bool(layout.source[layout.line_begin(begin) : begin].strip())


def _from_block(layout: Layout, owner: MappingNode, numbers: frozenset[int]) -> list[Splice]:
    kept = min(number for number in range(len(owner.value)) if number not in numbers)
    splices = []
    if kept and _is_behind_dash(layout, owner):
        # The first key that stays moves up behind the dash, and comments above it over the dash.
        begin = layout.line_begin(_begin(owner, 0))
        splices.append(Splice(begin, begin, _comments_between(layout, owner, kept)))
        splices.append(Splice(_begin(owner, 0), _begin(owner, kept), ""))
        numbers = frozenset(number for number in numbers if number > kept)
    splices += (
        Splice(
            layout.line_begin(_begin(owner, number)),
            layout.entry_end(owner, number),
            "",
        )
        for number in sorted(numbers)
    )
    return splices


def _comments_between(layout: Layout, owner: MappingNode, kept: int) -> str:
    """The comments on lines of their own between the first keys of a mapping."""
    lines = ""
    for number in range(kept):
        stop = layout.line_begin(_begin(owner, number + 1))
        between = layout.source[layout.entry_end(owner, number) : stop]
        lines += "".join(line for line in between.splitlines(keepends=True) if line.strip())
    return lines


def _all_from_block(layout: Layout, owner: MappingNode, parent: Node | None) -> list[Splice]:
    if _is_behind_dash(layout, owner):
        last = len(owner.value) - 1
        comments = _comments_between(layout, owner, last)
        end = layout.entry_end(owner, last)
        newline = layout.newline if layout.source[:end].endswith("\n") else ""
        return [Splice(_begin(owner, 0), end, f"{{}}{newline}{comments}")]
    if parent is None:
        raise CannotEdit("nothing would be left")
    colon = layout.after_colon(parent)
    if not layout.is_idle(colon, layout.next_line(colon)):
        raise CannotEdit("its mapping has an anchor or a tag")
    return [
        Splice(colon, colon, " {}"),
        *(
            Splice(layout.line_begin(_begin(owner, number)), layout.entry_end(owner, number), "")
            for number in range(len(owner.value))
        ),
    ]


def _from_flow(layout: Layout, owner: MappingNode, numbers: frozenset[int]) -> list[Splice]:
    source = layout.source
    if source[owner.start_mark.index] != "{":
        raise CannotEdit("it is a pair in a list without braces, or has an anchor or a tag")
    if len(numbers) == len(owner.value):
        return [Splice(owner.start_mark.index + 1, owner.end_mark.index - 1, "")]
    kept_last = max(number for number in range(len(owner.value)) if number not in numbers)
    splices = []
    for number in sorted(numbers):
        key, value = owner.value[number]
        end = layout.value_end(key, value)
        if number > kept_last:
            previous = layout.value_end(*owner.value[number - 1])
            has_comment = "#" in source[previous : _begin(owner, number)]
            # A comma may stay before the brace; a comment must not swallow the brace.
            splices.append(Splice(_begin(owner, number) if has_comment else previous, end, ""))
            continue
        following = _begin(owner, number + 1)
        if "#" in source[end:following]:
            following = source.index(",", end) + 1
        splices.append(Splice(_begin(owner, number), following, ""))
    return splices
