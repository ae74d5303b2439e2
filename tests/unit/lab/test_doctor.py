"""What a machine lacks for the lab is told by name, before anything is started."""

import sys

from transom_lab.doctor import NEEDS


def need(name):
    """The need of that name."""
    (found,) = (need for need in NEEDS if need.name == name)
    return found


def test_a_python_below_the_temporary_folder_is_told_because_hosts_do_not_see_it(monkeypatch):
    seen = need("a place outside /tmp")
    monkeypatch.setattr(sys, "executable", "/opt/lab/bin/python")
    monkeypatch.setattr(sys, "prefix", "/opt/lab")
    monkeypatch.setattr("transom_lab.doctor.__file__", "/opt/lab/transom_lab/doctor.py")
    assert seen.present()
    monkeypatch.setattr(sys, "executable", "/tmp/clone/.venv/bin/python")  # noqa: S108 - only named
    assert not seen.present()


def test_every_need_says_what_for_and_how_to_get_it():
    assert all(need.purpose and need.remedy for need in NEEDS)
    assert len({need.name for need in NEEDS}) == len(NEEDS)
