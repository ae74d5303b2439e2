"""Boot data of others made safe: the real cloudbase-init does the same with it, without the traps."""

import base64
import hashlib
import tomllib
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.cloudbase import execute

from transom.bootstrap.lint import Origin, lint
from transom.bootstrap.machine import Machine
from transom.bootstrap.safe.rewrite import rewrite
from transom.cli.main import main
from transom.errors import UsageError

ROOT = Path(__file__).parents[3]
CASES = tomllib.loads((ROOT / "tests/data/userdata/cases.toml").read_text("utf-8"))["case"]
MACHINE = Machine()
ORIGIN = Origin("user-data")
EXAMPLE = (ROOT / "examples/user-data.yaml").read_bytes()
# Traps that a document still has where nobody can know what was meant.
MENDED = {
    "BOOT003", "BOOT004", "BOOT006", "BOOT007", "BOOT012", "BOOT013", "BOOT022", "BOOT023", "BOOT026",
    "BOOT028", "BOOT031", "BOOT033", "BOOT034", "BOOT038", "BOOT039", "BOOT043", "BOOT044", "BOOT046",
    "BOOT047", "BOOT048",
}  # fmt: skip


def rewritable():
    for case in CASES:
        data = base64.b64decode(case["base64"]) if "base64" in case else case["text"].encode()
        if case.get("code"):
            continue
        try:
            rewrite(data, MACHINE)
        except UsageError:
            continue
        yield pytest.param(data, id=case["name"])


def rules(data):
    return {finding.rule for finding in lint(data, MACHINE, ORIGIN).findings}


def files(executed):
    return {
        subject: detail["sha256"]
        for action, subject, detail in executed.acts
        if action in ("write", "append")
    }


def test_most_cloud_configs_can_be_rewritten():
    assert len(list(rewritable())) >= 60


@pytest.mark.parametrize("data", list(rewritable()))
def test_what_was_written_is_still_written_and_no_trap_is_new(data):
    made = rewrite(data, MACHINE).data
    before, after = execute(data, MACHINE), execute(made, MACHINE)
    assert before.outcome == "failed" or after.outcome == "done"
    assert files(before).items() <= files(after).items()
    assert rules(made) <= rules(data) - MENDED | {"BOOT045"}


@pytest.mark.parametrize("data", list(rewritable()))
def test_a_rewritten_document_needs_no_change(data):
    made = rewrite(data, MACHINE).data
    again = rewrite(made, MACHINE)
    assert (again.data, again.changes) == (made, ())


@given(st.text(st.sampled_from("{}%#.a'\"\\ \n\t-:"), max_size=30), st.booleans())
@example("{{.Foo}}\n{%\n{{\n{# x", True)
@example("\t{%\n", True)
@example("\n{%", False)
@example('\t{{ x }} {{ ds.meta_data.hostname }} "', True)
@settings(max_examples=120, deadline=None)
def test_text_with_any_braces_is_written_as_it_stands(text, at_end):
    """Cluster API makes every document a template and escapes nothing."""
    go = "{{.Go}}"
    entry = {"path": "C:\\k\\f", "content": f"{text}{go}" if at_end else f"{go}{text}"}
    data = (
        b"## template: jinja\n#cloud-config\n\n" + yaml.safe_dump({"write_files": [entry]}).encode()
    )
    wanted = entry["content"].replace("{{ ds.meta_data.hostname }}", MACHINE.hostname)
    executed = execute(rewrite(data, MACHINE).data, MACHINE)
    assert files(executed) == {"C:\\k\\f": hashlib.sha256(wanted.encode()).hexdigest()}


def script(data):
    (run,) = [detail for action, _, detail in execute(data, MACHINE).acts if action == "run"]
    return run["script"].splitlines()[1:]


def test_the_join_runs_once_and_what_follows_only_after_it():
    lines = script(rewrite(EXAMPLE, MACHINE).data)
    sentinel = r"C:\run\cluster-api\bootstrap-success.complete"
    assert lines[0].startswith(r'icacls "C:\run\kubeadm\kubeadm-join-config.yaml" /inheritance:r')
    assert lines[1].startswith(f"if not exist {sentinel} kubeadm join ")
    assert lines[2:] == [
        f"if not exist {sentinel} exit 1",
        r"del C:\run\kubeadm\kubeadm-join-config.yaml",
        "nssm set kubelet start SERVICE_AUTO_START",
    ]


def test_a_restart_without_another_run_is_what_it_says():
    data = b"#cloud-config\nruncmd: [a.exe, 'if errorlevel 1 exit /b 1001']\n"
    assert script(rewrite(data, MACHINE).data) == [
        r"if exist C:\run\cluster-api\boot-data.done exit 0",
        "a.exe",
        r"if errorlevel 1 (echo done> C:\run\cluster-api\boot-data.done & exit 1003)",
    ]


def test_no_join_before_the_new_name():
    data = b"#cloud-config\nhostname: win-01\nruncmd: [kubeadm join 10.0.0.4]\n"
    assert script(rewrite(data, MACHINE).data)[0] == (
        'if /i not "%COMPUTERNAME%"=="win-01" exit 1003'
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"#ps1\nGet-Item .", "no cloud-config"), (b"#cloud-config\na: [", "no YAML"),
     (b"#cloud-config\n- a", "no sections"), (b"#cloud-config\na: !!python/name:os.system x", "Python"),
     (b"\xff\xfe", "not UTF-8"), (b"\x1f\x8bxx", "damaged")],
)  # fmt: skip
def test_what_is_no_cloud_config_is_not_rewritten(data, reason):
    with pytest.raises(UsageError, match=reason):
        rewrite(data, MACHINE)


def test_the_command_writes_the_document_and_shows_the_differences_without_secrets(
    tmp_path, capsys
):
    out = tmp_path / "safe.yaml"
    options = ["--from-secret", str(ROOT / "examples/user-data.yaml"), "--out", str(out)]
    assert main(["userdata", "compile", *options]) == 0
    said = capsys.readouterr().out
    assert "abcdef.0123456789abcdef" not in said
    assert "-    passwd: [hidden]" in said
    assert "still there: warning BOOT045" in said
    assert out.read_bytes() == rewrite(EXAMPLE, MACHINE).data
    assert main(["userdata", "compile", "--from-secret", str(out)]) == 0
    captured = capsys.readouterr()
    assert captured.out.encode() == out.read_bytes()
    assert "nothing to change" in captured.err


def test_a_document_that_is_still_wrong_is_told_by_the_exit_code(tmp_path, capsys):
    file = tmp_path / "user-data"
    file.write_text("#cloud-config\nruncmd: ['sudo reboot']\n")
    assert main(["userdata", "compile", "--from-secret", str(file)]) == 1
    assert "still there: error BOOT049" in capsys.readouterr().err
    assert main(["userdata", "compile", "--from-secret", str(file), "--format", "script"]) == 2
