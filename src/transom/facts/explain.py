"""What somebody may ask about, found among all facts: ids, fields, gates, versions, errors.

Used by `transom explain`. Answers with explanations or with a UsageError that names the nearest
things known; prints nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from typing import NoReturn

from transom.errors import UsageError
from transom.facts import api_paths, lifetimes, messages
from transom.facts.api import Kind
from transom.facts.catalogue import every_row
from transom.facts.describe import Explanation, explain_row
from transom.facts.gates import Gate
from transom.facts.kubelet import Field, Flag
from transom.facts.rows import Row, read
from transom.facts.rules import Rule
from transom.facts.windows import Release, Support
from transom.model.records import dataclass
from transom.model.version import Version, VersionRange

# An answer of more than this is a list to choose from, not an explanation.
MOST = 8

_MINOR = re.compile(r"v?1\.[0-9]{1,3}(\.[0-9]{1,4})?")
_KUBELET = frozenset(("kubelet", "kubeletconfiguration"))


@dataclass(frozen=True, slots=True)
class Answer:
    """Explanations of what was asked, best first, and the ids of those left out.

    `sureness` and `score` are set where an error's text was compared.
    """

    explanations: tuple[Explanation, ...]
    more: tuple[str, ...] = ()
    sureness: str = ""
    score: float = 0.0


def explain(words: Sequence[str]) -> Answer:
    """Answer a question; raise UsageError with suggestions where nothing is known."""
    first, rest = words[0].casefold(), words[1:]
    if first == "error" and rest:
        return _error(" ".join(rest)) or _no_failure(" ".join(rest))
    if first == "gate" and rest:
        return _named(Gate, rest[0])
    if first == "flag" and rest:
        return _named(Flag, rest[0].removeprefix("--"))
    query = " ".join(words).strip()
    for answer in (_version, _release, _rows, api_paths.field):
        found = answer(query)
        if found:
            return _answer(found)
    return _error(query) or _nothing(query, _names())


def _answer(found: Sequence[Explanation]) -> Answer:
    more = dict.fromkeys(told.id for told in found[MOST:])
    return Answer(tuple(found[:MOST]), tuple(more))


def _error(line: str) -> Answer | None:
    found = messages.matches(line)
    if not found:
        return None
    best = found[0]
    others = tuple(match.failure.id for match in found[1:MOST])
    return Answer((explain_row(best.failure),), others, best.sureness, round(best.score, 2))


def _no_failure(line: str) -> NoReturn:
    raise UsageError(
        "no known failure has such a message",
        subject=line[:200],
        hint="paste the line with the error itself, without cutting it; "
        "`transom facts --kubernetes 1.37` lists the known failures",
    )


def _named(table: type[Gate] | type[Flag], name: str) -> Answer:
    wanted = name.casefold()
    rows: list[Gate | Flag] = [*read(table)]
    found = [row for row in rows if wanted in (row.name.casefold(), row.id.casefold())]
    if not found:
        _nothing(name, [row.name for row in rows])
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


def _nothing(query: str, names: Sequence[str]) -> NoReturn:
    by_folded = {name.casefold(): name for name in names}
    near = get_close_matches(query.casefold()[:100], by_folded, n=3, cutoff=0.6)
    meant = " or ".join(by_folded[name] for name in near)
    raise UsageError(
        f"nothing is known about {query[:100]!r}",
        hint=(f"did you mean {meant}? " if meant else "")
        + "a pasted message is explained by `transom explain error TEXT`",
    )
