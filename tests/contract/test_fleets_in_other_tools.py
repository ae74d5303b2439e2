"""A fleet is the same fleet after other tools have read and written it: text is text in every YAML reader."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from transom.spec.fleet import read_fleets

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    [
        *(ROOT / "tests/data/fleets").glob("*.yaml"),
        *(ROOT / "examples" / name for name in ("fleet.yaml", "small.yaml", "impossible.yaml")),
    ]
)
KUSTOMIZE = "sigs.k8s.io/kustomize/kustomize/v5@v5.7.1"
BUILD_TIMEOUT_S = 1100


def without_client(text):
    """The documents that may go to a cluster; kustomize leaves the Client out."""
    parts = text.split("\n---\n")
    return "\n---\n".join(part for part in parts if "kind: Client" not in part)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_pyyaml_reads_and_writes_the_same_fleet(path):
    text = path.read_text("utf-8")
    written = yaml.safe_dump_all(yaml.safe_load_all(text))
    assert read_fleets(written, name="written") == read_fleets(text, name=path.name)


@pytest.fixture(scope="module")
def kustomize():
    go = shutil.which("go")
    if go is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Go is needed to build kustomize")
        pytest.skip("Go is not installed")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "transom"
    folder = cache / KUSTOMIZE.rpartition("@")[2]
    if not (folder / "kustomize").exists():
        subprocess.run(
            [go, "install", KUSTOMIZE], check=True, timeout=BUILD_TIMEOUT_S, cwd="/",
            env={**os.environ, "GOBIN": str(folder), "GOWORK": "off"},
        )  # fmt: skip
    return folder / "kustomize"


@pytest.mark.go
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_kustomize_builds_the_same_fleet(path, kustomize, tmp_path):
    text = path.read_text("utf-8")
    (tmp_path / "fleet.yaml").write_text(text)
    (tmp_path / "kustomization.yaml").write_text("resources: [fleet.yaml]\n")
    built = subprocess.run(
        [kustomize, "build", tmp_path], check=True, capture_output=True, text=True, timeout=120
    ).stdout
    assert read_fleets(built, name="built") == read_fleets(without_client(text), name=path.name)
