"""The command's arguments."""

import argparse

import pytest

from transom.errors import PermanentError, UsageError
from transom_lab import cli, doctor
from transom_lab.doctor import Need
from transom_lab.lab import Lab
from transom_lab.progress import Progress


def _parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="transom lab")
    cli.configure(parser)
    return parser.parse_args(arguments)


@pytest.mark.parametrize(
    ("words", "hosts"),
    [
        (["up"], 2),
        (["up", "--hosts", "1"], 1),
        (["up", "--components", "etcd,apiserver"], 0),
        (["up", "--components", "scheduler,controller-manager,apiserver,etcd"], 2),
    ],
)
def test_up_makes_two_hosts_and_a_partial_control_plane_none(monkeypatch, words, hosts):
    asked = []
    monkeypatch.setattr(cli, "lacking", lambda **_: [])

    def up(_lab, args):
        asked.append(args)
        return 0

    monkeypatch.setitem(cli._ACTIONS, "up", up)
    assert cli.run(_parse(*words)) == 0
    assert (asked[0].hosts, asked[0].kubernetes, asked[0].windows) == (hosts, None, None)


def test_a_fleet_can_be_of_several_versions_for_upgrades():
    args = _parse("fleet", "--kubernetes", "1.36.4", "--kubernetes", "1.37.1")
    assert args.kubernetes == ["1.36.4", "1.37.1"]
    assert _parse("fleet").kubernetes == []


def test_the_words_after_the_host_are_the_command():
    args = _parse("exec", "win1", "--", "sc", "query", "--name", "x")
    assert cli._command(args) == ["sc", "query", "--name", "x"]


def test_a_command_must_be_given():
    with pytest.raises(UsageError, match="no command"):
        cli._command(_parse("exec", "win1"))


def test_unknown_components_are_refused_together():
    with pytest.raises(UsageError, match="kubelet, proxy"):
        cli._components("etcd,proxy,kubelet")


def test_components_keep_the_order_they_start_in():
    assert cli._components("apiserver, etcd") == ("etcd", "apiserver")


def test_a_machine_that_lacks_something_is_told_what(monkeypatch):
    wine = Need("wine64", "Windows", "apt-get install wine64", lambda: False)
    monkeypatch.setattr(cli, "lacking", lambda **_: [wine])
    with pytest.raises(PermanentError, match="wine64") as refused:
        cli.run(_parse("up"))
    assert "doctor" in refused.value.hint


@pytest.mark.parametrize("action", ["down", "status", "logs", "kubectl"])
def test_a_control_plane_alone_can_be_used_without_wine(monkeypatch, action):
    """What starts no host asks for nothing that only hosts need."""
    wine = Need("wine64", "Windows", "apt-get install wine64", lambda: False, windows_only=True)
    monkeypatch.setattr(doctor, "NEEDS", (wine,))
    monkeypatch.setitem(cli._ACTIONS, action, lambda _lab, _args: 0)
    assert cli.run(_parse(action)) == 0


def test_the_cache_of_a_lab_that_runs_is_not_purged(monkeypatch, tmp_path):
    monkeypatch.setattr(cli, "labs_directory", lambda: tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "lab.json").touch()
    lab = Lab(tmp_path / "mine", cache=tmp_path / "cache", progress=Progress())
    with pytest.raises(UsageError, match="other runs from it") as refused:
        cli._down(lab, _parse("down", "--purge"))
    assert "--name other" in refused.value.hint


def test_doctor_prints_the_command_that_installs_what_is_missing(monkeypatch, capsys):
    wine = Need("wine64", "Windows", "apt-get install wine64", lambda: False)
    monkeypatch.setattr(cli, "NEEDS", (wine,))
    monkeypatch.setattr(cli, "lacking", lambda **_: [wine])
    assert cli.run(_parse("doctor")) == 1
    assert "apt-get install wine64" in capsys.readouterr().out


def test_every_action_has_a_line_of_help():
    parser = argparse.ArgumentParser(prog="transom lab")
    cli.configure(parser)
    text = parser.format_help()
    for action in cli._ACTIONS:
        assert f"    {action} " in text
    assert "transom lab up --components" in text
