"""The operators of data rows: each tells whether a value that is present offends.

Compiled once per row. Two operators, `absent` and `not_equals`, are true of missing values too;
the program asks them apart.
"""

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

from transom.facts.rules import Rule as Row

Test = Callable[[Any], bool]

# True of what is not there.
OF_MISSING = frozenset({"absent", "not_equals"})


def compile_test(row: Row) -> Test:
    """Make the test of a row; raise ValueError for an operator that is none."""
    makers = _MAKERS.get(row.op)
    if makers is None:
        raise ValueError(f"rule {row.id} has the unknown operator {row.op!r}")
    return makers(row)


def _set(row: Row) -> Test:
    if row.enforced_by == "apiserver":
        # The API server asks for nil, so that false, 0 and an empty list count.
        return lambda value: value is not None
    return lambda value: value is not None and value not in ("", [])


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, tuple) else (str(value),)


def _same(value: object) -> Test:
    # True equals 1 in Python, and not in JSON.
    return lambda found: type(found) is type(value) and found == value


def _equals_ci(row: Row) -> Test:
    wanted = str(row.value).lower()
    return lambda found: isinstance(found, str) and found.lower() == wanted


def _one_of(row: Row) -> Test:
    wanted = frozenset(_texts(row.value))
    return lambda found: isinstance(found, str) and found in wanted


def _not_one_of(row: Row) -> Test:
    wanted = frozenset(_texts(row.value))
    return lambda found: isinstance(found, str) and found not in wanted


def _starts(row: Row) -> Test:
    wanted = _texts(row.value)
    return lambda found: isinstance(found, str) and found.startswith(wanted)


def _starts_with_path(row: Row) -> Test:
    """Begins so and ends there, or goes on with a separator: `/run` is no prefix of `/runner`."""
    wanted = _texts(row.value)
    if not all(text.startswith("/") for text in wanted):
        return _starts(row)
    longer = tuple(f"{text}/" for text in wanted)
    return lambda found: isinstance(found, str) and (found in wanted or found.startswith(longer))


def _ends(row: Row) -> Test:
    wanted = _texts(row.value)
    return lambda found: isinstance(found, str) and found.endswith(wanted)


def _contains(row: Row) -> Test:
    wanted = str(row.value)
    return lambda found: isinstance(found, str) and wanted in found


def _greater(row: Row) -> Test:
    limit = row.value
    assert isinstance(limit, int)
    return lambda found: (
        isinstance(found, int | float) and not isinstance(found, bool) and found > limit
    )


def _length_outside(row: Row) -> Test:
    assert isinstance(row.value, tuple)
    least, most = row.value
    return lambda found: isinstance(found, str) and not least <= len(found.encode()) <= most


def _first_word(row: Row) -> Test:
    wanted = _texts(row.value)

    def test(found: Any) -> bool:
        word = found[0] if isinstance(found, list) and found else None
        return isinstance(word, str) and any(fnmatchcase(word, pattern) for pattern in wanted)

    return test


def _violates(row: Row) -> Test:
    pattern = str(row.value)
    # Compiled by `re` at the first value, which most documents do not have.
    return lambda found: isinstance(found, str) and re.fullmatch(pattern, found) is None


_MAKERS: dict[str, Callable[[Row], Test]] = {
    "absent": lambda _row: lambda value: value is None,
    "contains": _contains,
    "equals": lambda row: _same(row.value),
    "equals_ci": _equals_ci,
    "first_word_in": _first_word,
    "gt": _greater,
    "in": _one_of,
    "length_outside": _length_outside,
    "non_empty": lambda _row: lambda value: isinstance(value, list | dict | str) and bool(value),
    "not_equals": lambda row: lambda found: not _same(row.value)(found),
    "not_in": _not_one_of,
    "prefix": _starts,
    "prefix_any": _starts_with_path,
    "regex_violation": _violates,
    "set": _set,
    "suffix": _ends,
}
