"""What a person sees while the lab works."""

import io

import pytest

from transom_lab.progress import Progress


def test_a_failed_stage_says_so_and_lets_the_error_through():
    stream = io.StringIO()
    with pytest.raises(ValueError, match="no"), Progress(stream).stage("building x"):
        raise ValueError("no")
    assert stream.getvalue().startswith("building x: failed after ")


def test_a_stage_that_takes_no_time_is_not_mentioned():
    stream = io.StringIO()
    with Progress(stream).stage("looking"):
        pass
    assert stream.getvalue() == ""


def test_a_note_is_one_line():
    stream = io.StringIO()
    Progress(stream).note("hello")
    assert stream.getvalue() == "hello\n"
