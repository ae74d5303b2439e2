"""Recognise known failures in a text people paste: a log, events, or one message.

Lines are matched one by one, because words of different lines say nothing together. Only a sign
decides: a phrase that one failure prints and no other. The sentences Windows has for its error
codes ("Access is denied.") decide nothing, however many of them a text has. Pure: the table of
failures and codes is handed in.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import pairwise
from math import log
from typing import NamedTuple


class Sureness(Enum):
    """How far an answer can be relied on, best first."""

    SURE = "sure"
    LIKELY = "likely"


class Rank(Enum):
    """What a failure says about the text it is found in, most telling first."""

    CAUSE = "cause"
    SYMPTOM = "symptom"
    HARMLESS = "harmless"


class Known(NamedTuple):
    """A known failure.

    A line that has one of `signs` is this failure; `*` in a sign stands for any text, and one that
    begins with `!` wins over all others, which otherwise the longest does. `messages`
    are what programs print, without what varies in it: a line that has most of one, and a token
    that only this failure has, is likely this failure.
    """

    id: str
    signs: tuple[str, ...]
    messages: tuple[str, ...]
    rank: Rank = Rank.CAUSE


class Code(NamedTuple):
    """An error code; `text` is the sentence Windows has for it.

    A code that `decides` names one cause wherever it is met. The others are stock: they only say
    what a call met, not why.
    """

    id: str
    value: int
    name: str
    text: str
    decides: bool


class Recognised(NamedTuple):
    """A failure or code, the line that shows it, and how sure that is."""

    id: str
    sureness: Sureness
    line: str
    rank: Rank = Rank.CAUSE


class Recognition(NamedTuple):
    """What a text has, most telling first.

    `stock` has the ids of codes that were met and decide nothing, `nearest` the failures that are
    most like the text where nothing was found.
    """

    found: tuple[Recognised, ...]
    stock: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()


# The share of a message's words, rare ones counting more, that a line must have to be likely it.
_LIKELY = 0.7
# Below this share a failure is not even near.
_NEAR = 0.25
_NEAREST = 2
# Longer lines are dumps of memory or of whole objects; what matters stands at their beginning.
_LONGEST = 20_000

_WINS = "!"
_SPACES = re.compile(r"\s+")
_QUOTES = str.maketrans("", "", "\"'`\u2018\u2019\u201c\u201d")
_BACKSLASHES = re.compile(r"\\+")
_WORD = re.compile(r"0x[0-9a-f]+|--[a-z][a-z-]+|[a-z][a-z0-9]*|[0-9]+(?:\.[0-9]+)*")
# Names of functions, flags and settings: what nobody writes in prose.
_TOKEN = re.compile(r"[A-Za-z]+[a-z0-9][A-Z]\w*|--[a-z][a-z-]+|\w+_\w+|[A-Za-z]+[0-9]+\w*")

_HEX = re.compile(r"\b0x([0-9a-f]{1,8})\b", re.IGNORECASE)
_BARE_HEX = re.compile(
    r"\b(?:code|error|hresult|status)\W+(?:is\W+)?([89a-f][0-9a-f]{7})\b", re.IGNORECASE
)
_DECIMAL = re.compile(r"(?<![\w.])(-?[0-9]{9,10})(?![\w.])")
_NAME = re.compile(r"\b[A-Z]{2,}(?:_[A-Z0-9]+)+\b")
_ONLY_CODE = re.compile(r"\(?(?:0x)?[0-9a-f]{1,8}\)?|-?[0-9]{1,10}", re.IGNORECASE)

_WIN32 = (0x8007, 0xC007)
_HCS, _HCS_STATUS = 0x8037, 0xC037
_WORD_BITS, _WORD_MASK = 16, 0xFFFF
_ALL_BITS = 0xFFFFFFFF


class Recogniser:
    """The failures and codes of one table, made ready to be met."""

    def __init__(self, known: Sequence[Known], codes: Sequence[Code]) -> None:
        self._ranks = {item.id: item.rank for item in known}
        self._signs = [(_Sign(sign), item) for item in known for sign in item.signs]
        self._codes = {code.value: code for code in codes}
        self._names = {code.name: code for code in codes}
        self._sentences = [
            (_plain(code.text).rstrip("."), code) for code in codes if code.decides and code.text
        ]
        stock = {_plain(code.text).rstrip(".") for code in codes if not code.decides}
        self._stock = sorted(filter(None, stock), key=len, reverse=True)
        self._messages = [
            (item.id, frozenset(self._words(message)))
            for item in known
            for message in item.messages
        ]
        self._tokens = _own_tokens(known)
        counts = Counter(word for _id, words in self._messages for word in words)
        total = len(self._messages) or 1
        self._weights = {word: 1 + log(total / count) for word, count in counts.items()}

    def recognise(self, text: str) -> Recognition:
        """Find what the text has; where that is nothing, what comes nearest."""
        lines = [line[:_LONGEST] for line in text.splitlines() if line.strip()]
        found = [*self._by_line(lines)] or [*self._by_line(_unwrapped(lines))]
        found = found or [*self._likely(lines)]
        stock = dict.fromkeys(code.id for line in lines for code in self.codes_in(line))
        decided = {item.id for item in found}
        return Recognition(
            tuple(found),
            tuple(code_id for code_id in stock if code_id not in decided),
            () if found else tuple(self._nearest(lines)),
        )

    def code(self, text: str) -> Code | None:
        """The code that a text is, written in any of the usual ways; None where it is more."""
        text = text.strip()
        named = self._names.get(text.upper())
        if named is not None or _ONLY_CODE.fullmatch(text) is None:
            return named
        bare = text.strip("()").lower()
        values = []
        if bare.lstrip("-").isdecimal():
            values.append(int(bare))
        if not bare.startswith("-"):
            values.append(int(bare.removeprefix("0x"), 16))
        if bare.startswith("0x"):
            values.reverse()
        return next((found for value in values if (found := self._code(value))), None)

    def codes_in(self, line: str) -> Iterator[Code]:
        """The known codes in a line: in hexadecimal, as exit codes, as numbers or by name."""
        for match in (*_HEX.finditer(line), *_BARE_HEX.finditer(line)):
            if code := self._code(int(match[1], 16)):
                yield code
        for match in _DECIMAL.finditer(line):
            if code := self._code(int(match[1])):
                yield code
        for match in _NAME.finditer(line):
            if code := self._names.get(match[0]):
                yield code

    def _code(self, value: int) -> Code | None:
        """The code of a value in any of its dresses: HRESULT and NTSTATUS wrap other codes."""
        value &= _ALL_BITS
        high, low = value >> _WORD_BITS, value & _WORD_MASK
        if high == _HCS:
            value = _HCS_STATUS << _WORD_BITS | low
        return self._codes.get(value) or (self._codes.get(low) if high in _WIN32 else None)

    def _by_line(self, lines: Sequence[str]) -> Iterator[Recognised]:
        """The best answer of each line, most telling first, each once."""
        hits = []
        for number, line in enumerate(lines):
            hit = self._in_line(line)
            if hit is not None:
                hits.append((_order(hit[1].rank), -hit[0], number, hit[1]))
        seen = set()
        for *_order_of_hit, found in sorted(hits, key=lambda hit: hit[:3]):
            if found.id not in seen:
                seen.add(found.id)
                yield found

    def _in_line(self, line: str) -> tuple[int, Recognised] | None:
        plain = _plain(line)
        best: tuple[int, Recognised] | None = None
        for sign, known in self._signs:
            if sign.is_in(plain):
                found = Recognised(known.id, Sureness.SURE, line.strip(), known.rank)
                score = (-_order(known.rank), sign.weight)
                if best is None or score > (-_order(best[1].rank), best[0]):
                    best = (sign.weight, found)
        if best is not None and best[1].rank is not Rank.SYMPTOM:
            return best
        code = self._deciding(line, plain)
        return (0, Recognised(code.id, Sureness.SURE, line.strip())) if code else best

    def _deciding(self, line: str, plain: str) -> Code | None:
        codes = (code for code in self.codes_in(line) if code.decides)
        sentences = (code for sentence, code in self._sentences if sentence in plain)
        return next(codes, None) or next(sentences, None)

    def _likely(self, lines: Sequence[str]) -> list[Recognised]:
        best: tuple[float, Recognised] | None = None
        for line in lines:
            words = frozenset(self._words(line))
            tokens = set(_tokens(line))
            for known_id, wanted in self._messages:
                share = self._share(wanted, words)
                if share >= _LIKELY and tokens & self._tokens.get(known_id, frozenset()):
                    found = Recognised(
                        known_id, Sureness.LIKELY, line.strip(), self._ranks[known_id]
                    )
                    if best is None or share > best[0]:
                        best = (share, found)
        return [best[1]] if best else []

    def _nearest(self, lines: Sequence[str]) -> Iterator[str]:
        shares: dict[str, float] = {}
        for line in lines:
            words = frozenset(self._words(line))
            for known_id, wanted in self._messages:
                shares[known_id] = max(shares.get(known_id, 0), self._share(wanted, words))
        near = [known_id for known_id, share in shares.items() if share >= _NEAR]
        yield from sorted(near, key=lambda known_id: (-shares[known_id], known_id))[:_NEAREST]

    def _share(self, wanted: frozenset[str], words: frozenset[str]) -> float:
        common = wanted & words
        if not common:
            return 0
        weights = self._weights
        return sum(weights[word] for word in common) / sum(weights[word] for word in wanted)

    def _words(self, text: str) -> list[str]:
        plain = _plain(text)
        for sentence in self._stock:
            plain = plain.replace(sentence, " ")
        return _WORD.findall(plain)


class _Sign:
    """The parts of a sign that must come one after the other; `weight` is how much they are."""

    __slots__ = ("_parts", "weight")

    def __init__(self, sign: str) -> None:
        parts = sign.removeprefix(_WINS).split("*")
        self._parts = [part for text in parts if (part := _plain(text))]
        self.weight = sum(map(len, self._parts)) + _LONGEST * sign.startswith(_WINS)

    def is_in(self, plain: str) -> bool:
        place = 0
        for part in self._parts:
            place = plain.find(part, place)
            if place < 0:
                return False
            place += len(part)
        return True


def _order(rank: Rank) -> int:
    return list(Rank).index(rank)


def _plain(text: str) -> str:
    """A text without what quoting and wrapping make of it."""
    folded = _BACKSLASHES.sub(r"\\", text).replace('\\"', "").translate(_QUOTES).casefold()
    return _SPACES.sub(" ", folded).strip()


def _unwrapped(lines: Sequence[str]) -> list[str]:
    """Each line with the next: consoles break long ones, between words or within one."""
    return [joined for first, second in pairwise(lines) for joined in _joined(first, second)]


def _joined(first: str, second: str) -> tuple[str, str]:
    return f"{first.rstrip()} {second.lstrip()}", f"{first.rstrip()}{second.lstrip()}"


def _tokens(text: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(text)]


def _own_tokens(known: Sequence[Known]) -> dict[str, frozenset[str]]:
    """The tokens that only one failure has."""
    by_id = {
        item.id: {token for text in item.messages for token in _tokens(text)} for item in known
    }
    counts = Counter(token for tokens in by_id.values() for token in tokens)
    return {
        known_id: frozenset(token for token in tokens if counts[token] == 1)
        for known_id, tokens in by_id.items()
    }
