"""What is wrong with a document's shape: every mistake at once, in plain words.

The JSON Schema that editors get is the one that decides here; this module only puts its errors
into words that name the key, what was found and what to write. Never prints a value that could
be a secret's: those are found before, by `secret`, and their faults replace the ones from here.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from transom.errors import InternalError
from transom.spec import hints
from transom.spec.fault import Fault, Path
from transom.spec.schema import schema_of
from transom.spec.shape import Items, Object, Shape, Table
from transom.spec.syntax import BY_WORDS, FORMATS

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

_TYPES = {
    "object": "a map",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_LONGEST_QUOTE = 60


Written = Callable[[Path], str | None]


def faults_of(document: Object, value: Any, written: Written | None = None) -> list[Fault]:
    """Every mistake in the value's shape; `written` gives a scalar's characters as they are in the file."""
    validator, schema = _validator(document)
    errors = list(validator.iter_errors(value))
    # What is not even a map has no keys to be wrong.
    mistyped = {tuple(error.instance_path) for error in errors if error.kind.name == "type"}
    found: dict[tuple[Path, str], Fault] = {}
    for error in errors:
        if error.kind.name != "type" and tuple(error.instance_path) in mistyped:
            continue
        for fault in _faults(error, schema, document, written):
            found.setdefault((fault.path, fault.message), fault)
    misspelt = {(fault.path[:-1], fault.meant) for fault in found.values() if fault.meant}
    return [
        fault
        for fault in found.values()
        if not any((fault.path, key) in misspelt for key in fault.wanted)
    ]


@cache
def _validator(document: Object) -> "tuple[Draft202012Validator, dict[str, Any]]":
    from jsonschema_rs import Draft202012Validator

    schema = schema_of(document)
    checks = {name: syntax.matches for name, syntax in FORMATS.items()}
    return Draft202012Validator(schema, validate_formats=True, formats=checks), schema


def _faults(
    error: "ValidationError", schema: Mapping[str, Any], document: Object, written: Written | None
) -> Iterator[Fault]:
    path = tuple(error.instance_path)
    node = _node(schema, error.schema_path)
    kind: Any = error.kind
    value: Any = error.instance
    match kind.name:
        case "type":
            yield _type(path, value, kind.types, node, written)
        case "required":
            yield _missing(path, value, kind.property, schema, node)
        case "additionalProperties":
            title = _title(document, path)
            for key in kind.unexpected:
                # Hints are about v1alpha2; `written` is not given for what is converted first.
                hint = hints.unknown_key(title, (*path, key), value[key]) if written else ""
                yield _unknown(path, key, list(node["properties"]), hint)
        case "propertyNames":
            yield from _key(path, kind.error, node)
        case "oneOf":
            yield _exactly_one(path, value, [option["required"][0] for option in node["oneOf"]])
        case "anyOf":
            keys = [option["required"][0] for option in node["anyOf"]]
            yield Fault(
                path, f"at least one of {_listed(keys, 'and')} must be given", wanted=tuple(keys)
            )
        case "not":
            yield from _excluded(path, value, node["not"])
        case _:
            yield _word(path, value, kind, node)


def _node(schema: Mapping[str, Any], location: Sequence[str | int]) -> Any:
    node: Any = schema
    for part in location[:-1]:
        node = node[part]
    return node


def _title(document: Object, path: Path) -> str:
    """The title of the map at a path."""
    shape: Shape | None = document
    for part in path:
        match shape:
            case Object():
                shape = shape.keys.get(str(part))
            case Items() | Table():
                shape = shape.of
            case _:
                return ""
    return shape.title if isinstance(shape, Object) else ""


def _excluded(path: Path, value: Any, rule: Mapping[str, Any]) -> Iterator[Fault]:
    """Keys that do not go together: two places of one thing, or settings of another `type`."""
    keys = rule["required"]
    if "properties" in rule:
        given = value["type"]
        hint = f"Remove `{keys[1]}`, or choose its type."
        yield Fault(
            (*path, keys[1]), f"`type` is {given}, which has no `{keys[1]}`", hint, at_key=True
        )
    elif "type" not in value or "type" in keys:
        yield Fault(path, f"{_listed(keys, 'and')} exclude each other", "Keep one of them.")


def _type(
    path: Path,
    value: Any,
    types: Sequence[str],
    node: Mapping[str, Any],
    written: Written | None,
) -> Fault:
    wanted = " or ".join(_TYPES[name] for name in types)
    if "number" in types:  # of v1alpha1: a number is text there
        wanted = "text"
    if value is None:
        return Fault(path, "has no value", f"Give it {wanted}, or remove the key.", at_key=True)
    found = _TYPES[_type_name(value)]
    if isinstance(value, bool):
        found = "true" if value else "false"
    elif isinstance(value, float):
        found = "a fraction"
    if wanted == "text" and not isinstance(value, dict | list) and written is not None:
        text = written(path) or str(value)
        quoted = json.dumps(text)
        wants = BY_WORDS.get(node.get("patternErrorMessage", ""))
        near = wants.suggest(text) if wants is not None and wants.suggest else ""
        message = f"`{_cut(text)}` without quotes is {found} to YAML, and this must be text"
        if "enum" in node:
            return Fault(path, message, f"Write {_listed(node['enum'])}.")
        return Fault(path, message, f"Write {near or _cut(quoted)}.")
    hint = hints.wrong_type(path, value) or node.get("description", "")
    return Fault(path, f"must be {wanted}, not {found}", hint)


def _type_name(value: Any) -> str:
    match value:
        case dict():
            return "object"
        case list():
            return "array"
        case str():
            return "string"
        case bool():
            return "boolean"
        case _:
            return "number"


def _missing(
    path: Path, value: Any, key: str, schema: Mapping[str, Any], node: Mapping[str, Any]
) -> Fault:
    about = node.get("properties", {}).get(key, {})
    hint = about.get("description", "")
    if "$ref" in about:
        about = schema["$defs"][about["$ref"].rpartition("/")[2]]
    examples = about.get("examples", ())
    if examples:
        hint = f"{hint} For example: {_example(examples[0])}."
    elif len(about.get("enum", ())) > 1:
        hint = f"{hint} One of {_listed(about['enum'])}."
    because = [
        other
        for other, needs in node.get("dependentRequired", {}).items()
        if key in needs and other in value
    ]
    if because and key not in node.get("required", ()):
        return Fault(path, f"`{key}` is missing, which `{because[0]}` needs", hint, wanted=(key,))
    return Fault(path, f"`{key}` is missing", hint, wanted=(key,))


def _unknown(path: Path, key: str, known: Sequence[str], hint: str) -> Fault:
    near = [word for word in hints.named_in(hint) if word in known]
    if not hint:
        near = suggestions(key, known)
    if hint:
        pass
    elif near:
        hint = f"Did you mean {_listed(near)}?"
    else:
        hint = f"The keys here are {_listed(known, 'and')}." if known else "There are no keys here."
    return Fault(
        (*path, key),
        f"there is no key `{_cut(key)}` here",
        hint,
        at_key=True,
        meant=near[0] if near else "",
    )


def suggestions(word: str, known: Sequence[str]) -> list[str]:
    """The known words that were probably meant, likeliest first."""
    by_lower = {name.lower(): name for name in known}
    return [by_lower[name] for name in get_close_matches(word.lower(), by_lower, n=2)]


def _key(path: Path, error: "ValidationError", node: Mapping[str, Any]) -> Iterator[Fault]:
    key: Any = error.instance
    wanted = node.get("patternErrorMessage", "")
    if not wanted:
        wanted = f"not {FORMATS[node['format']].wanted}"
    yield Fault((*path, key), f"the key `{_cut(key)}` is {wanted}", at_key=True)


def _exactly_one(path: Path, value: Any, keys: Sequence[str]) -> Fault:
    given = [key for key in keys if key in value]
    if given:
        return Fault(
            path,
            f"{_listed(given, 'and')} are given, but only one of them can be",
            "Keep exactly one of them.",
        )
    return Fault(path, f"exactly one of {_listed(keys, 'and')} must be given", wanted=tuple(keys))


def _word(path: Path, value: Any, kind: Any, node: Mapping[str, Any]) -> Fault:
    """A single value that is of the right type and still wrong."""
    match kind.name:
        case "enum":
            options = [str(option) for option in kind.options]
            near = suggestions(str(value), options)
            hint = f"Did you mean {_listed(near)}?" if near and len(options) > 1 else ""
            wanted = options[0] if len(options) == 1 else f"one of {_listed(options)}"
            hint = hint or hints.WRONG_HEADS.get(path, "")
            return Fault(path, f"{_shown(value)} is not {wanted}", hint)
        case "const":
            return Fault(path, "can only be true", "Remove the key, or choose another.")
        case "pattern":
            if node.get("writeOnly"):
                value = None
            return _misspelt(path, value, node["patternErrorMessage"])
        case "format":
            return _misspelt(path, value, f"not {FORMATS[kind.format].wanted}")
        case "minimum" | "maximum":
            bounds = f"{node['minimum']} and {node['maximum']}"
            return Fault(path, f"{_shown(value)} is not between {bounds}")
        case "minItems":
            return Fault(path, "is an empty list", "It needs at least one value.")
        case _:
            raise InternalError(f"the schema uses `{kind.name}`, which has no words yet")


def _misspelt(path: Path, value: Any, what: str) -> Fault:
    """A text that is spelt wrong; None where it may be a secret and is not repeated."""
    if value is None:
        return Fault(path, f"this is {what}")
    syntax_ = BY_WORDS.get(what)
    near = syntax_.suggest(value) if syntax_ is not None and syntax_.suggest else ""
    return Fault(path, f"{_shown(value)} is {what}", hints.wrong_word(path, value, near))


def _shown(value: Any) -> str:
    return f"`{_cut(str(value))}`"


def _example(value: Any) -> str:
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _cut(text: str) -> str:
    line = text.replace("\n", " ")
    return line if len(line) <= _LONGEST_QUOTE else f"{line[: _LONGEST_QUOTE - 3]}..."


def _listed(words: Sequence[str], last: str = "or") -> str:
    quoted = [f"`{word}`" for word in words]
    if len(quoted) == 1:
        return quoted[0]
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"
