"""The command line as its user meets it: help, errors, exit codes, completion."""

import json
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import ClassVar

import pytest

from transom import __version__
from transom.cli.commands import COMMANDS
from transom.cli.main import main, parser_for

FLEETS = Path(__file__).parents[2] / "data" / "fleets"
FLEET = str(FLEETS / "k137-2022-containerd-flannel-overlay.yaml")


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"transom {__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["help"]])
def test_help_lists_every_command(arguments, capsys):
    assert main(arguments) == 0
    out = capsys.readouterr().out
    for command in COMMANDS:
        assert f"\n  {command.name} " in out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_explains_itself_with_an_example(command, capsys):
    with pytest.raises(SystemExit) as end:
        parser_for(command).parse_args(["--help"])
    out = capsys.readouterr().out
    assert end.value.code == 0
    assert f"transom {command.name}" in out
    assert "examples:" in out


WITH_VERBS = [
    (command, verb)
    for command in COMMANDS
    for verb in getattr(import_module(f"transom.cli.commands.{command.name}"), "VERBS", ())
]


@pytest.mark.parametrize(
    ("command", "verb"), WITH_VERBS, ids=lambda found: getattr(found, "name", found)
)
def test_every_verb_explains_itself(command, verb, capsys):
    with pytest.raises(SystemExit) as end:
        parser_for(command).parse_args([verb, "--help"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: transom {command.name} {verb} ")
    assert not {"ACTION", "VERB"} & set(out.split())


@pytest.mark.parametrize(
    ("words", "is_document"),
    [
        (["bundle", "create", "-f", "none.yaml", "-o", "json"], False),
        (["bundle", "verify", "none.bundle", "-o", "json"], True),
        (["lint", "none.yaml", "--disable", "WIN999", "-o", "sarif=x", "-o", "json"], True),
        (["lint", "none.yaml", "--disable", "WIN999", "-o", "json=findings.json"], False),
        (["recipe", "-o", "json", "--no-such-option"], True),
    ],
)
def test_an_error_is_a_document_where_json_is_the_form_and_not_where_it_is_a_file(
    words, is_document, capsys
):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert (bool(out), bool(err)) == (is_document, not is_document)


def test_an_unknown_command_is_answered_with_the_nearest(capsys):
    assert main(["recipy"]) == 2
    err = capsys.readouterr().err
    assert "did you mean recipe" in err


def test_a_missing_file_is_a_usage_error_with_a_next_step(capsys):
    assert main(["recipe", "-f", "no-such-file.yaml"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: cannot read no-such-file.yaml")
    assert "next:" in err
    assert "Traceback" not in err


def test_every_mistake_is_printed_with_its_place(tmp_path, capsys):
    path = tmp_path / "fleet.yaml"
    path.write_text("apiVersion: transom.dev/v1alpha1\nkind: Fleet\nmetadata: {nam: x}\nspec: {}\n")
    assert main(["recipe", "-f", str(path)]) == 2
    err = capsys.readouterr().err
    assert f"{path}:3:" in err
    assert "name" in err
    assert err.count(str(path)) > 2


def test_a_refusal_exits_with_3_and_as_json_is_one_document(tmp_path, capsys):
    path = tmp_path / "fleet.yaml"
    path.write_text(
        Path(FLEET).read_text("utf-8").replace("release: ltsc2022", "release: ltsc2019")
    )
    assert main(["recipe", "-f", str(path), "-o", "json"]) == 3
    document = json.loads(capsys.readouterr().out)
    (refusal,) = document["refused"]
    assert set(refusal) == {"id", "subject", "found", "reason", "fix", "source"}


def test_a_recipe_in_each_form(capsys):
    for form in ("text", "json", "yaml"):
        assert main(["recipe", "-f", FLEET, "-o", form]) == 0
        assert "win-01" in capsys.readouterr().out


def test_a_defect_exits_with_70_and_asks_for_a_report(monkeypatch, capsys):
    def explode(_args):
        raise RuntimeError("boom")

    monkeypatch.setattr("transom.cli.commands.recipe.run", explode)
    assert main(["recipe"]) == 70
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "boom" in err
    assert "please report" in err


def test_a_defect_that_many_hosts_met_is_told_as_the_first_met_it(monkeypatch, capsys):
    def explode(_args):
        met = [RuntimeError("boom at win-01"), RuntimeError("boom at win-02")]
        raise ExceptionGroup("unhandled errors in a TaskGroup", [ExceptionGroup("inner", met)])

    monkeypatch.setattr("transom.cli.commands.recipe.run", explode)
    assert main(["recipe"]) == 70
    assert "a defect of Transom: RuntimeError: boom at win-01" in capsys.readouterr().err


def test_an_interrupt_is_quiet(monkeypatch, capsys):
    def interrupt(_args):
        raise KeyboardInterrupt

    monkeypatch.setattr("transom.cli.commands.recipe.run", interrupt)
    assert main(["recipe"]) == 130
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_a_completion_script_for_each_shell_asks_transom_itself(shell, capsys):
    assert main(["completion", shell]) == 0
    assert "transom __complete" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["rec"], ["recipe"]),
        (["completion", ""], ["bash", "fish", "powershell", "zsh"]),
        (["recipe", "-o", "j"], ["json"]),
        (["recipe", "--in"], ["--inventory"]),
        (["nobody", ""], []),
        (["bundle", ""], ["create", "push", "serve", "sign", "verify"]),
        (["bundle", "verify", "--pr"], ["--print-manifest"]),
        (["verify", "import", "--sta"], ["--started"]),
        (["access", "install-ssh", "--so"], ["--source"]),
    ],
)
def test_completion_answers_from_the_parsers(words, expected, capsys):
    assert main(["__complete", *words]) == 0
    assert capsys.readouterr().out.split() == expected


def test_an_inventory_with_two_runtimes_and_no_choice_is_refused(tmp_path, capsys):
    fleet = tmp_path / "fleet.yaml"
    text = Path(FLEET).read_text("utf-8")
    runtime = text[text.index("    runtime:") : text.index("  hosts:")]
    fleet.write_text(text.replace(runtime, ""))
    inventory = tmp_path / "inventory.json"
    inventory.write_text(json.dumps({"win-01": {"runtimes": ["containerd", "docker"]}}))
    assert main(["recipe", "-f", str(fleet), "--inventory", str(inventory)]) == 3
    assert "containerd and docker" in capsys.readouterr().err
    inventory.write_text("[]")
    assert main(["recipe", "-f", str(fleet), "--inventory", str(inventory)]) == 2


def test_wrong_arguments_are_an_error_with_a_next_step(capsys):
    assert main(["facts", "--surprise"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "error: unrecognized arguments: --surprise\n"
        "  next:  `transom facts --help` shows what it takes\n"
    )


@pytest.mark.parametrize("option", ["-v", "--verbose"])
def test_the_trace_of_an_error_is_shown_to_who_asks(option, capsys):
    assert main(["recipe", "-f", "absent.yaml", option]) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "Expecting property name"),
        ("[]", "no map of hosts"),
        ('{"win-01": []}', "no list `runtimes` of host 'win-01'"),
        ('{"win-01": {"runtimes": "containerd"}}', "no list `runtimes` of host 'win-01'"),
    ],
)
def test_what_is_no_inventory_is_told(text, why, tmp_path, capsys):
    path = tmp_path / "inventory.json"
    path.write_text(text)
    assert main(["recipe", "-f", FLEET, "--inventory", str(path)]) == 2
    assert why in capsys.readouterr().err


def test_commands_of_other_distributions_are_listed_without_importing_them(monkeypatch, capsys):
    class Distribution:
        metadata: ClassVar = {"Summary": "Shake the fleet"}

    point = EntryPoint("shake", "no_such_module", "transom.commands")
    vars(point)["dist"] = Distribution()
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])  # noqa: ARG005 - as it is called
    assert main(["--help"]) == 0
    assert "shake        Shake the fleet" in capsys.readouterr().out
