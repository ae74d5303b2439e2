"""The matrix says what the rows say, cell by cell."""

from transom.facts.matrix import matrix
from transom.facts.rows import read
from transom.facts.windows import Support
from transom.model.version import Version, VersionRange

MATRIX = matrix()


def line(minor):
    version = Version.parse(minor)
    return next(line for line in MATRIX.lines if line.first <= version <= line.last)


def cell(minor, release):
    return next(cell for cell in line(minor).cells if cell.release.id == release)


def test_every_cell_is_that_of_the_support_row():
    for support in read(Support):
        minor = VersionRange.parse(support.kubernetes).since
        assert minor is not None
        for found in line(minor.minor_text).cells:
            assert found.supported == (found.release.build in support.builds)


def test_minors_are_newest_first_and_none_is_twice():
    firsts = [found.first for found in MATRIX.lines]
    assert firsts == sorted(firsts, reverse=True)
    assert all(found.first <= found.last for found in MATRIX.lines)


def test_a_cell_shows_what_differs_by_build():
    assert cell("1.35", "2025").marks.count("pause-image") == 1
    assert "pause-image" not in cell("1.37", "2025").marks
    assert "WIN160" in cell("1.30", "2019").marks
    assert "WIN160" not in cell("1.30", "2022").marks
    assert "KB4489899" in cell("1.30", "2019").marks


def test_every_mark_has_a_meaning():
    used = {mark for found in MATRIX.lines for c in found.cells for mark in c.marks}
    assert used == set(MATRIX.marks)
