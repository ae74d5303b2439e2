"""`transom fix` and `transom place`: files, diffs, standard input and exit codes."""

import io
import stat
import sys
from pathlib import Path

import pytest

from transom.cli.main import main

ROOT = Path(__file__).parents[4]

BAD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  os: {name: windows}
  nodeSelector: {kubernetes.io/os: windows}  # pinned
  containers:
  - name: web
    image: mcr.microsoft.com/windows/nanoserver:ltsc2022
    securityContext: {privileged: false}
"""
GOOD = BAD.replace("    securityContext: {privileged: false}\n", "")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "web.yaml"
    path.write_bytes(BAD.encode())
    return path


def test_a_file_is_fixed_in_place_and_stays_what_it_was_otherwise(file, capsys):
    file.chmod(0o640)
    assert main(["fix", str(file)]) == 0
    assert file.read_text("utf-8") == GOOD
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [path.name for path in file.parent.iterdir()] == ["web.yaml"]
    said = capsys.readouterr()
    assert said.out == ""
    assert "WIN025 spec.containers[0].securityContext.privileged: removed" in said.err


def test_a_link_stays_a_link(file, tmp_path):
    link = tmp_path / "link.yaml"
    link.symlink_to(file)
    assert main(["fix", str(link)]) == 0
    assert link.is_symlink()
    assert file.read_text("utf-8") == GOOD


def test_a_diff_is_shown_and_nothing_written(file, capsys):
    assert main(["fix", "--diff", str(file)]) == 1
    assert file.read_text("utf-8") == BAD
    shown = capsys.readouterr().out
    assert shown.startswith(f"--- {file}\n+++ {file}\n@@")
    assert "\n-    securityContext: {privileged: false}\n" in shown


def test_a_diff_of_nothing_is_success(file, capsys):
    file.write_text(GOOD, encoding="utf-8")
    assert main(["fix", "--diff", str(file)]) == 0
    assert capsys.readouterr().out == ""


def test_standard_input_goes_to_standard_output(monkeypatch):
    written = io.BytesIO()
    source = io.BytesIO(BAD.replace("\n", "\r\n").encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(source, encoding="utf-8"))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="utf-8"))
    assert main(["fix", "-"]) == 0
    assert written.getvalue() == GOOD.replace("\n", "\r\n").encode()


def test_a_fix_that_only_needs_unsafe_is_told_and_is_a_success(file, capsys):
    file.write_text(BAD.replace("privileged: false", "runAsUser: 1"), encoding="utf-8")
    assert main(["fix", str(file)]) == 0
    assert "not fixed: needs --unsafe" in capsys.readouterr().err
    assert main(["fix", "--diff", str(file)]) == 0
    assert main(["fix", "--unsafe", str(file)]) == 0
    assert file.read_text("utf-8") == GOOD


def test_a_fix_that_could_not_be_made_is_no_success(file, capsys):
    file.write_text(
        BAD.replace("privileged: false", "<<: *a, runAsNonRoot: true").replace(
            "metadata: {name: web}", "metadata: {name: web}\nx: &a {privileged: false}"
        ),
        encoding="utf-8",
    )
    assert main(["fix", str(file)]) == 1
    assert "not fixed: " in capsys.readouterr().err


def test_a_comment_that_ignores_a_rule_keeps_its_line(file):
    ignoring = BAD.rstrip("\n") + "  # transom: ignore WIN025 for the scanner\n"
    file.write_text(ignoring, encoding="utf-8")
    assert main(["fix", str(file)]) == 0
    assert file.read_text("utf-8") == ignoring


def test_unreadable_files_are_named_and_the_rest_is_fixed(file, tmp_path, capsys):
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: {{ b }}\n", encoding="utf-8")
    assert main(["fix", str(broken), str(file)]) == 2
    assert f"{broken}:1" in capsys.readouterr().err
    assert file.read_text("utf-8") == GOOD


def test_a_rule_without_a_fix_is_refused_by_name(file, capsys):
    assert main(["fix", "--rules", "WIN074", str(file)]) == 2
    assert "there is no fix for WIN074" in capsys.readouterr().err


def test_every_fix_can_be_listed(capsys):
    assert main(["fix", "--list"]) == 0
    shown = capsys.readouterr().out
    assert "WIN028" in shown
    assert "depends" in shown


def test_the_page_shows_what_the_command_prints(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs/fix.md").read_text("utf-8")
    command, _, printed = page.partition("$ transom ")[2].partition("```")[0].partition("\n")
    assert main(command.split()) == 1
    assert capsys.readouterr().out == printed


def test_place_tolerates_the_taint_that_is_named(file, capsys):
    assert main(["place", "--taint", "os=windows:NoSchedule", str(file)]) == 0
    assert file.read_text("utf-8").startswith(BAD)
    assert "effect: NoSchedule" in file.read_text("utf-8")
    assert "Pod web: tolerates os Equal windows NoSchedule" in capsys.readouterr().err
    assert main(["place", "--diff", "--taint", "os=windows:NoSchedule", str(file)]) == 0


def test_a_taint_that_is_none_is_refused(file, capsys):
    assert main(["place", "--taint", "os=windows", str(file)]) == 2
    assert "write it as os=windows:NoSchedule" in capsys.readouterr().err


def test_a_runtime_class_of_no_possible_name_is_refused(file, capsys):
    assert main(["place", "--runtime-class", "Bad Name", str(file)]) == 2
    assert "'Bad Name' cannot be the name of a RuntimeClass" in capsys.readouterr().err
    assert file.read_text("utf-8") == BAD


def test_place_says_which_field_it_wrote(file, capsys):
    file.write_text(BAD.replace("  os: {name: windows}\n", "").replace("false", "null"))
    main(["place", str(file)])
    assert "Pod web: os.name: windows" in capsys.readouterr().err


KUSTOMIZATION = "patches:\n- path: patches/web.yaml\n  target: {kind: Pod}\n"
PATCH = BAD.replace("  os: {name: windows}\n", "").replace(
    "  nodeSelector: {kubernetes.io/os: windows}  # pinned\n", ""
)


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
@pytest.mark.parametrize("whole", [True, False], ids=["folder", "file"])
def test_nothing_is_added_to_what_a_kustomization_lays_over_others(
    tmp_path, monkeypatch, capsys, name, whole
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(KUSTOMIZATION)
    (tmp_path / "patches").mkdir()
    patch = tmp_path / "patches" / "web.yaml"
    patch.write_text(PATCH)
    path = "." if whole else "patches/web.yaml"
    assert main(["place", path]) == 0
    assert patch.read_text() == PATCH
    assert main(["fix", path]) == 0
    # What is wrong in the patch itself goes; what it does not say stands elsewhere.
    assert patch.read_text() == PATCH.replace("    securityContext: {privileged: false}\n", "")
    main(["lint", "--no-render", path])
    assert "WIN070" not in capsys.readouterr().out


@pytest.mark.parametrize("command", [["fix"], ["place", "--linux"]])
def test_templates_values_and_foreign_yaml_are_counted_and_never_edited(
    tmp_path, monkeypatch, capsys, command
):
    monkeypatch.chdir(tmp_path)
    templates = tmp_path / "shop" / "templates"
    templates.mkdir(parents=True)
    (tmp_path / "shop" / "Chart.yaml").write_text("apiVersion: v2\nname: shop\n")
    # This one can be read as YAML, and means something else than it will once it is rendered.
    texts = {
        templates / "web.yaml": BAD.replace("name: web}", 'name: "{{ .Values.name }}"}'),
        templates / "if.yaml": "{{- if .Values.x }}\napiVersion: v1\nkind: Pod\n{{- end }}\n",
        tmp_path / "shop" / "values.yaml": BAD,
        tmp_path / "ci.yaml": "job: !reference [a, b]\n",
    }
    for path, text in texts.items():
        path.write_text(text)
    assert main([*command, "."]) == 0
    assert {path: path.read_text() for path in texts} == texts
    assert "shop: 2 templates not read" in capsys.readouterr().err
    assert main(["lint", ".", "--fail-on", "info"]) == 0
    assert "4 not read" in capsys.readouterr().out
    assert main([*command, str(templates / "web.yaml")]) == 2
    assert "This looks like a template" in capsys.readouterr().err


def test_excluded_files_are_not_edited(file, tmp_path, monkeypatch):
    (tmp_path / ".transom.toml").write_text('[lint]\nexclude = ["web.yaml"]\n')
    monkeypatch.chdir("/")
    assert main(["fix", str(tmp_path)]) == 0
    assert file.read_text("utf-8") == BAD
    assert main(["fix", "--config", "/dev/null", "--exclude", "*/web.yaml", str(tmp_path)]) == 0
    assert file.read_text("utf-8") == BAD
    assert main(["fix", "--config", "/dev/null", str(tmp_path)]) == 0
    assert file.read_text("utf-8") == GOOD


def test_a_family_can_be_fixed_alone(file):
    assert main(["fix", "--rules", "volumes", str(file)]) == 0
    assert file.read_text("utf-8") == BAD
    assert main(["fix", "--rules", "security", str(file)]) == 0
    assert file.read_text("utf-8") == GOOD
