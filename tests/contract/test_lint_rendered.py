"""`transom lint` of a chart and a kustomization with the real helm and kustomize, built from their modules."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from transom.cli.main import main

pytestmark = [pytest.mark.go, pytest.mark.timeout(1200)]

GENERATORS = Path(__file__).parents[1] / "data/generators"
PROGRAMS = {
    "helm": "helm.sh/helm/v3/cmd/helm@v3.19.0",
    "kustomize": "sigs.k8s.io/kustomize/kustomize/v5@v5.7.1",
}
BUILD_TIMEOUT_S = 1100


@pytest.fixture(scope="module", autouse=True)
def programs():
    """The folder of the programs, which alone is on the path."""
    go = shutil.which("go")
    if go is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Go is needed to build helm and kustomize")
        pytest.skip("Go is not installed")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "transom"
    for name, module in PROGRAMS.items():
        folder = cache / module.rpartition("@")[2]
        if not (folder / name).exists():
            subprocess.run(
                [go, "install", module], check=True, timeout=BUILD_TIMEOUT_S, cwd="/",
                env={**os.environ, "GOBIN": str(folder), "GOWORK": "off"},
            )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        folders = [str(cache / module.rpartition("@")[2]) for module in PROGRAMS.values()]
        patch.setenv("PATH", os.pathsep.join(folders))
        yield


def lint(capsys, *arguments):
    code = main(["lint", "-o", "json", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, json.loads(out)["findings"], err


def test_a_chart_is_linted_as_helm_renders_it(capsys):
    code, found, err = lint(capsys, GENERATORS / "shop")
    assert (code, err) == (1, "")
    (error,) = (item for item in found if item["severity"] == "error")
    template = GENERATORS / "shop/templates/deployment.yaml"
    assert (error["rule"], error["file"]) == ("WIN080", str(template))
    assert template.read_text().splitlines()[error["line"] - 1].strip() == "hostNetwork: true"


def test_a_chart_that_asks_for_a_newer_cluster_is_told(capsys, tmp_path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text(
        "apiVersion: v2\nname: a\nversion: 1.0.0\nkubeVersion: '>=1.30.0'\n"
    )
    assert lint(capsys, tmp_path, "--kubernetes", "1.33")[0] == 0
    code, _found, err = lint(capsys, tmp_path, "--kubernetes", "1.24")
    assert code == 2
    assert "incompatible with Kubernetes" in err


def test_a_kustomization_is_linted_as_kustomize_builds_it(capsys):
    code, found, err = lint(capsys, GENERATORS / "overlay")
    assert (code, err) == (1, "")
    (error,) = (item for item in found if item["severity"] == "error")
    assert (error["rule"], error["namespace"], error["name"]) == ("WIN001", "shop", "test-web")


def test_nothing_is_fetched(capsys, tmp_path):
    (tmp_path / "kustomization.yaml").write_text(
        "resources: [https://github.com/kubernetes-sigs/kustomize//examples/helloWorld?ref=v1.0.6]\n"
    )
    code, _found, err = lint(capsys, tmp_path)
    assert code == 2
    assert "kustomize build" in err
