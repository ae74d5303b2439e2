"""YAML as a Python program with PyYAML's full loader reads it, with the place of every value.

Used for documents that such a program executes later, where Kubernetes' reading would tell the
wrong story. Tags that would make that loader run code are listed and never followed.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import yaml

_PYTHON = "tag:yaml.org,2002:python/"
_DEEPEST = 500
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Place(NamedTuple):
    """A line and a column, both from one; zero is nowhere."""

    line: int = 0
    column: int = 0


class PythonTag(NamedTuple):
    """A tag that makes a full loader import or call something."""

    tag: str
    place: Place


class Unreadable(Exception):  # noqa: N818 - what the document is
    """Text that is no YAML, or has values that cannot be made."""

    def __init__(self, reason: str, place: Place) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


class BadValue(Unreadable):
    """A value that Python refuses while it is made, as a day 31 of April: no error of YAML."""


class Reading:
    """One document: its value, where things are, and what it would have executed.

    With python tags there is no value: making it would mean to follow them.
    """

    def __init__(self, data: bytes) -> None:
        loader = _LOADER(data)
        try:
            _refuse_depth(data)
            self._root = loader.get_single_node()
            self.python_tags = tuple(_python_tags(self._root))
            self.value: Any = None
            if self._root is not None and not self.python_tags:
                self.value = loader.construct_document(self._root)
        except yaml.YAMLError as error:
            raise Unreadable(_reason(error), _place(error)) from error
        except RecursionError as error:
            raise Unreadable("it is nested too deeply", Place(1, 1)) from error
        except (TypeError, ValueError, AttributeError) as error:
            raise BadValue(str(error), Place(1, 1)) from error
        finally:
            loader.dispose()

    def locate(self, path: Sequence[str | int]) -> Place:
        """The place of a value; of the nearest thing above it where it has none of its own."""
        node, place = self._root, Place()
        if node is None:
            return place
        place = _mark(node)
        for step in path:
            found = _child(node, step)
            if found is None:
                break
            place, node = found
        return place

    def repeated(self) -> Iterator[tuple[str, Place]]:
        """Keys of the document itself that are there twice, at their later place."""
        if not isinstance(self._root, yaml.MappingNode):
            return
        seen: set[str] = set()
        for key, _value in self._root.value:
            name = str(key.value)
            if name in seen:
                yield name, _mark(key)
            seen.add(name)


def _refuse_depth(data: bytes) -> None:
    """Raise for what is nested so deeply that libyaml would end the whole process."""
    depth = 0
    for event in yaml.parse(data, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                raise RecursionError
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _child(node: yaml.Node, step: str | int) -> tuple[Place, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        item = node.value[step]
        return _mark(item), item
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):
            if isinstance(key, yaml.ScalarNode) and key.value == step:
                return _mark(key), value
    return None


def _python_tags(root: yaml.Node | None) -> Iterator[PythonTag]:
    """Every python tag in the document, each node once: aliases may lead back."""
    waiting, seen = [root] if root is not None else [], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.tag.startswith(_PYTHON):
            yield PythonTag(node.tag.removeprefix("tag:yaml.org,2002:"), _mark(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += reversed(node.value)
        elif isinstance(node, yaml.MappingNode):
            waiting += (part for pair in reversed(node.value) for part in reversed(pair))


def _mark(node: yaml.Node) -> Place:
    return Place(node.start_mark.line + 1, node.start_mark.column + 1)


def _reason(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    context = getattr(error, "context", None)
    return f"{context}, {problem}" if context else str(problem)


def _place(error: yaml.YAMLError) -> Place:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return Place(1, 1) if mark is None else Place(mark.line + 1, mark.column + 1)
