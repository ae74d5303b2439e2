"""Promises that hold for every row of every table, whoever adds it."""

import itertools
import re
from collections import defaultdict
from datetime import date
from pathlib import Path

import pytest

from transom.facts import compile as facts_compile
from transom.facts.catalogue import GROUPS, every_row
from transom.facts.rows import COMPILED, At, Row, one, read
from transom.facts.windows import ImageMatch, PauseImage, Release, Support
from transom.model.version import Version, VersionRange

DIMENSIONS = ("kubernetes", "windows_build", "containerd")
EVERYTHING = VersionRange()


def variants() -> list[list[Row]]:
    """Rows of one id, by table and condition: they are the same fact in different versions."""
    found = defaultdict(list)
    for row in every_row():
        found[type(row), row.id, getattr(row, "when", ())].append(row)
    return [*found.values()]


def span(row, dimension):
    return VersionRange.parse(getattr(row, dimension))


@pytest.mark.parametrize("subject", facts_compile.subjects())
def test_compiled_facts_are_those_of_the_toml(subject):
    compiled = Path(COMPILED, f"{subject}.json").read_text("utf-8")
    assert compiled == facts_compile.compile_subject(subject)


def test_the_catalogue_has_every_table():
    listed = {table for group in GROUPS for table in group.tables}
    declared = {
        row_type
        for subject in facts_compile.subjects()
        for row_type in facts_compile.tables(subject).values()
    }
    assert listed == declared


def test_every_row_has_a_source_and_a_date():
    for row in every_row():
        assert row.source.strip(), row.id
        assert date.fromisoformat(row.checked).year >= 2026, row.id


def test_an_id_belongs_to_one_table():
    """A fact cited by its id is found without saying where to look."""
    tables = defaultdict(set)
    for row in every_row():
        tables[row.id].add(type(row).__name__)
    assert {name: found for name, found in tables.items() if len(found) > 1} == {}


def test_ranges_of_one_id_do_not_overlap():
    pairs = (pair for rows in variants() for pair in itertools.combinations(rows, 2))
    assert [
        (first.id, span(first, "kubernetes"), span(second, "kubernetes"))
        for first, second in pairs
        if all(span(first, name).overlaps(span(second, name)) for name in DIMENSIONS)
    ] == []


def test_ranges_of_one_id_leave_no_gap_between_them():
    gaps = []
    for rows in variants():
        varying = [name for name in DIMENSIONS if len({getattr(row, name) for row in rows}) > 1]
        if len(varying) == 1:
            spans = [span(row, varying[0]) for row in rows]
            spans.sort(key=lambda found: found.since or Version(0))
            neighbours = itertools.pairwise(spans)
            gaps += [(rows[0].id, a, b) for a, b in neighbours if a.until != b.since]
    assert gaps == []


@pytest.mark.parametrize("minor", range(5, 38))
def test_every_minor_has_one_row_of_support(minor):
    version = Version(1, minor)
    found = [row for row in read(Support) if row.holds(At(kubernetes=version))]
    assert len(found) == 1
    assert found[0].builds == tuple(sorted(found[0].builds))


def test_support_names_only_known_releases_and_their_builds():
    builds = {name: row.build for row in read(Release) for name in (row.id, *row.aliases)}
    for row in read(Support):
        assert set(row.builds) == {builds[name] for name in (*row.ltsc, *row.sac)}


@pytest.mark.parametrize("minor", range(14, 38))
def test_every_covered_minor_has_a_pause_image(minor):
    assert one(PauseImage, "pause-image", At(kubernetes=Version(1, minor))).builds


@pytest.mark.parametrize("text", ["1.4.0", "1.6.17", "1.6.18", "1.6.23", "1.7.0", "1.7.6", "2.2.1"])
def test_every_containerd_has_a_rule_for_images(text):
    assert one(ImageMatch, "image-match", At(containerd=Version.parse(text))).rule


def test_rows_say_nothing_of_where_they_were_written():
    """Sources are upstream's; a private note would mean nothing to a reader."""
    words = re.compile(r"\bseed\b|\bTODO\b|/work/", re.IGNORECASE)
    for row in every_row():
        assert not words.search(f"{row.source} {row.note}"), row.id


def test_a_row_without_ranges_holds_everywhere():
    row = Row(id="x", source="s", checked="2026-01-01")
    assert row.holds(At(Version(1, 37), 20348, Version(2, 2)))
    assert EVERYTHING.overlaps(VersionRange.parse(">=1.37"))
