"""Windows path forms, as SFTP clients send them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom_lab.winpath import HOME, NoSuchDriveError, canonical, display, locate


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("C:\\k\\x.exe", "/C:/k/x.exe"),
        ("C:/k/x.exe", "/C:/k/x.exe"),
        ("/C:/k/x.exe", "/C:/k/x.exe"),
        ("/c:/k", "/C:/k"),
        ("c:", "/C:"),
        ("C:\\", "/C:"),
        ("/k/x", "/C:/k/x"),
        (".", HOME),
        ("x.txt", f"{HOME}/x.txt"),
        ("..\\Public", "/C:/Users/Public"),
        ("C:/k/../../..", "/C:"),
        ("/", "/"),
        ("C:/k//x/./y", "/C:/k/x/y"),
    ],
)
def test_every_form_has_one_canonical_spelling(form, expected):
    assert canonical(form) == expected


@pytest.mark.parametrize("form", ["Z:/etc/passwd", "/z:/etc", "D:\\"])
def test_only_the_system_drive_exists(form):
    with pytest.raises(NoSuchDriveError):
        canonical(form)


def test_names_are_found_in_any_case(tmp_path):
    (tmp_path / "Users" / "Public").mkdir(parents=True)
    assert locate("c:/users/PUBLIC", tmp_path) == tmp_path / "Users" / "Public"


def test_an_exact_name_wins_over_one_in_another_case(tmp_path):
    for name in ("a", "A"):
        (tmp_path / name).touch()
    assert locate("C:/a", tmp_path).name == "a"
    assert locate("C:/A", tmp_path).name == "A"


def test_what_does_not_exist_is_kept_as_written(tmp_path):
    (tmp_path / "K").mkdir()
    assert locate("C:/k/New/File.txt", tmp_path) == tmp_path / "K" / "New" / "File.txt"


def test_a_file_is_shown_by_its_windows_path(tmp_path):
    assert display(tmp_path / "k" / "x", tmp_path) == "/C:/k/x"
    assert display(tmp_path, tmp_path) == "/C:"


@given(st.text(alphabet="abc./\\: ", max_size=30))
def test_no_form_leaves_the_drive(tmp_path_factory, form):
    """Whatever a client sends, the file is below the system drive, or the drive does not exist."""
    drive = tmp_path_factory.getbasetemp() / "drive"
    drive.mkdir(exist_ok=True)
    try:
        found = locate(form, drive)
    except NoSuchDriveError:
        return
    assert found.is_relative_to(drive)
    assert ".." not in found.relative_to(drive).parts


@given(st.text(alphabet="aB1./\\", max_size=30))
def test_the_canonical_spelling_is_stable(form):
    assert canonical(canonical(form)) == canonical(form)
