"""What people ask about, found among all facts: ids, fields, gates, versions, codes, errors.

An answer that knows nothing names the nearest things that are known.
Prints nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache

from transom.facts import api_paths, lifetimes, messages
from transom.facts.api import Kind
from transom.facts.catalogue import every_row
from transom.facts.codes import ErrorCode
from transom.facts.describe import Explanation, explain_row
from transom.facts.failures import Failure
from transom.facts.gates import Gate
from transom.facts.kubelet import Field, Flag
from transom.facts.rows import Row, read
from transom.facts.rules import Rule
from transom.facts.windows import Release, Support
from transom.model.recognition import Recognition
from transom.model.records import dataclass
from transom.model.version import Version, VersionRange

# An answer of more than this is a list to choose from, not an explanation.
MOST = 8
# Of a pasted log: what is most telling, and what comes with it.
_SHOWN = 3
_WORDS_OF_MESSAGE = 4

_MINOR = re.compile(r"v?1\.[0-9]{1,3}(\.[0-9]{1,4})?")
_KUBELET = frozenset(("kubelet", "kubeletconfiguration"))


@dataclass(frozen=True, slots=True)
class Answer:
    """Explanations of what was asked, best first, and the ids of those left out.

    Of a pasted text `sureness` says how far the first can be relied on, `lines` has the line that
    each was found in, and `codes` what the codes beside them mean, which decide nothing. Without
    explanations the thing is not known, and `nearest` has what is most like it.
    """

    explanations: tuple[Explanation, ...]
    more: tuple[str, ...] = ()
    sureness: str = ""
    lines: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()


def explain(words: Sequence[str], own: Iterable[Explanation] = ()) -> Answer:
    """Answer a question; `own` are explanations that are no facts, found by their id."""
    first, rest = words[0].casefold(), words[1:]
    if first == "error" and rest:
        return _message(" ".join(rest))
    if first == "gate" and rest:
        return _named(Gate, rest[0])
    if first == "flag" and rest:
        return _named(Flag, rest[0].removeprefix("--"))
    query = " ".join(words).strip()
    is_fact = any(_by_id(query.casefold()))
    named = [] if is_fact else [told for told in own if told.id.casefold() == query.casefold()]
    for answer in (_version, _release, _rows, api_paths.field, _code):
        found = answer(query)
        if found:
            return _answer([*named, *found])
    if named:
        return _answer(named)
    answered = _message(query)
    return answered if _is_message(query) or answered.explanations else _unknown(query, _names())


def _answer(found: Sequence[Explanation]) -> Answer:
    more = dict.fromkeys(told.id for told in found[MOST:])
    return Answer(tuple(found[:MOST]), tuple(more))


def _is_message(query: str) -> bool:
    """Whether a text is too long for a name of something."""
    return len(query.split()) >= _WORDS_OF_MESSAGE


def _code(query: str) -> list[Explanation]:
    code = messages.recogniser().code(query)
    return [explain_row(row) for row in read(ErrorCode) if code and row.id == code.id]


def _message(text: str) -> Answer:
    seen = messages.recognise(text)
    rows = _rows_by_id()
    if not seen.found:
        return Answer((), codes=_meanings(seen), nearest=seen.nearest)
    shown = seen.found[:_SHOWN]
    return Answer(
        tuple(explain_row(rows[found.id]) for found in shown),
        tuple(found.id for found in seen.found[_SHOWN:]),
        shown[0].sureness.value,
        tuple(found.line for found in shown),
        _meanings(seen),
    )


def _meanings(seen: Recognition) -> tuple[str, ...]:
    codes = {row.id: row for row in read(ErrorCode)}
    return tuple(
        f"0x{row.value:x} {row.name}: {row.text or row.cause}"
        for row in (codes[code_id] for code_id in seen.stock)
    )


@cache
def _rows_by_id() -> dict[str, Row]:
    return {row.id: row for table in (Failure, ErrorCode) for row in read(table)}


def _named(table: type[Gate] | type[Flag], name: str) -> Answer:
    wanted = name.casefold()
    rows: list[Gate | Flag] = [*read(table)]
    found = [row for row in rows if wanted in (row.name.casefold(), row.id.casefold())]
    if not found:
        return _unknown(name, [row.name for row in rows])
    return _answer([explain_row(row) for row in found])


def _version(query: str) -> list[Explanation]:
    if _MINOR.fullmatch(query) is None:
        return []
    found = lifetimes.minor(Version.parse(query))
    return [] if found is None else [found]


def _release(query: str) -> list[Explanation]:
    wanted = query.casefold().removeprefix("10.0.")
    for row in read(Release):
        names = (row.id, str(row.build), row.name, *row.aliases, *row.tags)
        if wanted in (name.casefold() for name in names):
            return [lifetimes.release(row)]
    return []


def _rows(query: str) -> list[Explanation]:
    wanted = query.casefold()
    found = [*_by_id(wanted), *_by_path(wanted), *_by_word(wanted)] or [*_by_title(wanted)]
    return [explain_row(row) for row in {id(row): row for row in found}.values()]


def _by_id(wanted: str) -> Iterator[Row]:
    return (row for row in every_row() if row.id.casefold() == wanted)


def _by_word(wanted: str) -> Iterator[Row]:
    named = wanted.removeprefix("--")
    if not named:
        return
    for row in every_row():
        words: Iterable[str] = (getattr(row, "name", ""), *getattr(row, "words", ()))
        if named in (word.casefold() for word in words):
            yield row


def _by_path(wanted: str) -> Iterator[Row]:
    first, _, below = wanted.partition(".")
    if first in _KUBELET and below:
        yield from _kubelet_rows(below)
        return
    kind, path = api_paths.place(wanted)
    if not path:
        return
    yield from (row for row in read(Field) if row.path.casefold() == path)
    for rule in read(Rule):
        if kind and not _of_kind(rule, kind):
            continue
        known = [api_paths.canonical(one.casefold()) for one in rule.paths]
        if any(_fits(path, one) or (kind and one.startswith(f"{path}.")) for one in known):
            yield rule


def _kubelet_rows(name: str) -> Iterator[Row]:
    yield from (row for row in read(Field) if row.path.casefold() == name)
    yield from (row for row in read(Flag) if row.name == name.removeprefix("--"))


def _of_kind(rule: Rule, kind: str) -> bool:
    kinds = [name.casefold() for name in rule.kinds]
    return kind in kinds or (api_paths.POD in kinds and api_paths.has_pod(kind))


def _fits(path: str, known: str) -> bool:
    below = path.startswith(f"{known}.") or known.startswith(f"{path}.")
    if "." not in path:
        below = known.endswith(f".{path}")
    return path == known or below or ("*" in known and fnmatchcase(path, known))


def _by_title(wanted: str) -> Iterator[Row]:
    least = 3
    if len(wanted) < least:
        return
    for row in every_row():
        if wanted in str(getattr(row, "title", "")).casefold():
            yield row


@cache
def _names() -> list[str]:
    names = {since.minor_text for row in read(Support) if (since := _since(row)) is not None}
    names |= {name for row in every_row() for name in (row.id, getattr(row, "name", ""))}
    names |= {word for row in every_row() for word in getattr(row, "words", ())}
    for rule in read(Rule):
        for path in rule.paths:
            names |= {path, path.rpartition(".")[2], f"pod.{path}"}
    for field in read(Field):
        names |= {field.path, f"kubelet.{field.path}"}
    for kind in read(Kind):
        names |= {f"{kind.name.lower()}.{path}" for path in kind.fields}
    return sorted(filter(None, names))


def _since(row: Row) -> Version | None:
    return VersionRange.parse(row.kubernetes).since


def _unknown(query: str, names: Sequence[str]) -> Answer:
    by_folded = {name.casefold(): name for name in names}
    near = get_close_matches(query.casefold()[:100], by_folded, n=2, cutoff=0.6)
    return Answer((), nearest=tuple(by_folded[name] for name in near))
