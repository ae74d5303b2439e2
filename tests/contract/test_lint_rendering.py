"""`transom lint` of a chart or kustomization: what is rendered is linted, and told where it comes from.

The programs are scripts here; the real ones are asked in tests/contract/test_lint_rendered.py.
"""

import json
from pathlib import Path

import pytest

from transom.cli.main import main
from transom.remote import generators

GENERATORS = Path(__file__).parents[1] / "data/generators"
RENDERED = GENERATORS / "shop.helm-3.19.0.yaml"
SHOP = GENERATORS / "shop"


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A function that puts a program on the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def put(name, script):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    return put


def document(capsys, *arguments):
    code = main(["lint", "-o", "json", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_findings_stand_in_the_template_that_helm_names(programs, capsys):
    programs("helm", f"/bin/cat '{RENDERED}'")
    code, found, _err = document(capsys, SHOP)
    assert code == 1
    places = {
        item["rule"]: (item["file"], item["line"], item["column"]) for item in found["findings"]
    }
    template = SHOP / "templates/deployment.yaml"
    (line,) = (
        number
        for number, text in enumerate(template.read_text().splitlines(), start=1)
        if "hostNetwork: true" in text
    )
    assert places["WIN080"] == (str(template), line, 7)
    # A line that a value made stands nowhere in the template.
    assert places["WIN105"] == (str(template), 0, 0)
    assert found["summary"]["fixable"] == 0  # `fix` does not edit templates
    assert found["summary"]["files"] == 1


def test_helm_gets_values_and_version_and_no_way_out(programs, capsys, tmp_path):
    told = tmp_path / "told"
    programs("helm", f"echo \"$@|$HTTPS_PROXY|$KUBECONFIG|$GITHUB_TOKEN\" > '{told}'")
    main(["lint", str(SHOP), "--values", "a.yaml", "--kubernetes", "1.30"])
    arguments, proxy, kubeconfig, token = told.read_text().strip().split("|")
    assert arguments == f"template --values a.yaml --kube-version 1.30 {SHOP}"
    assert (proxy, kubeconfig, token) == ("http://127.0.0.1:9", "/dev/null", "")
    capsys.readouterr()


@pytest.mark.parametrize("name", ["kustomize", "kubectl"])
def test_what_kustomize_builds_is_in_the_kustomization(programs, capsys, name):
    programs(name, "/bin/cat <<'E'\n" + (GENERATORS / "overlay/web.yaml").read_text() + "E")
    _code, found, _err = document(capsys, GENERATORS / "overlay")
    files = {item["file"] for item in found["findings"]}
    assert files == {str(GENERATORS / "overlay/kustomization.yaml")}
    assert found["summary"]["files"] == 1


@pytest.mark.usefixtures("programs")
def test_without_the_programs_it_is_told_what_to_run(capsys):
    _code, _found, err = document(capsys, SHOP)
    assert f"`helm template {SHOP} | transom lint -`" in err
    _code, found, err = document(capsys, GENERATORS / "overlay")
    assert f"`kustomize build {GENERATORS / 'overlay'} | transom lint -`" in err
    assert found["summary"]["files"] == 2


def test_the_files_are_read_where_nothing_is_to_be_rendered(programs, capsys):
    programs("kustomize", "exit 1")
    _code, found, err = document(capsys, GENERATORS / "overlay", "--no-render")
    assert (found["summary"]["files"], err) == (2, "")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'Error: values needed' >&2; exit 1", "Error: values needed"),
        ("exec /bin/sleep 30", "it took more than 0 s"),
        ("exec /usr/bin/yes", "it printed more than 0 MiB"),
    ],
    ids=["fails", "hangs", "floods"],
)
def test_a_program_that_fails_is_told_and_its_files_are_read(
    programs, capsys, monkeypatch, script, said
):
    monkeypatch.setattr(generators, "_DEADLINE_S", 0.4)
    monkeypatch.setattr(generators, "_LARGEST", 10_000)
    programs("kustomize", script)
    code, found, err = document(capsys, GENERATORS / "overlay")
    assert code == 2
    assert said in err
    assert "--no-render" in err
    assert found["summary"]["files"] == 2


@pytest.mark.usefixtures("programs")
def test_values_without_a_chart_are_refused(capsys):
    assert main(["lint", str(GENERATORS / "overlay"), "--values", "a.yaml"]) == 2
    assert "no chart was rendered" in capsys.readouterr().err


def repository(tmp_path):
    """A folder with a chart, a chart within it, and a manifest beside them."""
    from shutil import copytree

    folder = tmp_path / "repository"
    copytree(SHOP, folder / "charts/shop")
    copytree(SHOP, folder / "charts/shop/charts/inner")
    copytree(GENERATORS / "overlay", folder / "deploy/overlay")
    (folder / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
        "spec: {os: {name: windows}, hostPID: true, containers: [{name: a, image: b}]}\n"
    )
    return folder


def test_a_chart_below_a_folder_is_rendered_once_and_its_files_are_not_read(
    programs, capsys, tmp_path
):
    folder = repository(tmp_path)
    told = tmp_path / "told"
    programs("helm", f"echo \"$@\" >> '{told}'; /bin/cat '{RENDERED}'")
    _code, found, err = document(capsys, folder)
    chart = folder / "charts/shop"
    assert told.read_text() == f"template {chart}\n"
    files = {Path(item["file"]).relative_to(folder).as_posix() for item in found["findings"]}
    assert {"charts/shop/templates/deployment.yaml", "pod.yaml"} <= files
    assert "not read" not in err
    assert f"`transom lint {folder / 'deploy/overlay'}`" in err


def test_a_chart_below_a_folder_that_cannot_be_rendered_is_named_and_no_error(
    programs, capsys, tmp_path
):
    folder = repository(tmp_path)
    programs("helm", "echo 'Error: values needed' >&2; exit 1")
    code, found, err = document(capsys, folder, "--exclude", "*/pod.yaml", "--fail-on", "never")
    assert code == 0
    assert "Error: values needed" in err
    assert f"`helm template {folder / 'charts/shop'} | transom lint -`" in err
    assert found["summary"]["skipped"] > 0


@pytest.mark.parametrize("option", [["--no-render"], ["--exclude", "*/charts"]])
def test_a_chart_below_a_folder_is_left_alone_if_asked(programs, capsys, tmp_path, option):
    programs("helm", "exit 9")
    _code, found, err = document(capsys, repository(tmp_path), *option)
    assert "failed" not in err
    assert not [item for item in found["findings"] if "templates" in item["file"]]
