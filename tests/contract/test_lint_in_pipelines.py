"""What the repository offers to pipelines works as its definition says, run as its caller runs it."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from transom.yamlio.loader import load

ROOT = Path(__file__).parents[2]
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  os: {name: windows}
  nodeSelector: {kubernetes.io/os: windows}
  hostPID: true
  containers: []
"""
CLEAN = POD.replace("  hostPID: true\n", "")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bad pod.yaml").write_text(POD)
    (tmp_path / "good.yaml").write_text(CLEAN)
    return tmp_path


def document(name):
    return document_of((ROOT / name).read_bytes())


def document_of(text):
    (found,) = load(text, name="document")
    return found.value


def run(arguments, folder, **environment):
    programs = str(Path(sys.executable).parent)
    return subprocess.run(
        arguments,
        cwd=folder,
        env={"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class TestAction:
    """`action.yml`, by the shell of its steps."""

    def lint(self, folder, **inputs):
        action = document("action.yml")
        given = {name: about["default"] for name, about in action["inputs"].items()} | inputs
        install, step = action["runs"]["steps"]
        assert install["run"] == 'python3 -m pip install --quiet "$GITHUB_ACTION_PATH"'
        environment = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], text)
            for name, text in step["env"].items()
        }
        assert not any("${{" in text for text in environment.values())
        # As the runner starts `shell: bash`.
        bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        return run(bash, folder, **environment)

    def test_its_findings_are_annotations_and_it_fails(self, folder):
        done = self.lint(folder)
        assert done.returncode == 1, done.stderr
        assert "::error file=bad pod.yaml,line=7,col=3,title=WIN001::hostPID on" in done.stdout

    def test_clean_paths_pass(self, folder):
        assert self.lint(folder, paths="good.yaml").returncode == 0

    def test_every_input_reaches_the_command(self, folder):
        inputs = {"kubernetes": "1.22", "windows": "2022", "sarif": "out.sarif"}
        done = self.lint(folder, **inputs, **{"fail-on": "never", "paths": "*.yaml good.yaml"})
        assert done.returncode == 0, done.stderr
        log = json.loads((folder / "out.sarif").read_text())
        # Before 1.24 nobody refuses it.
        levels = {result["ruleId"]: result["level"] for result in log["runs"][0]["results"]}
        assert levels["WIN001"] == "warning"

    def test_a_wrong_input_is_told(self, folder):
        done = self.lint(folder, windows="95")
        assert done.returncode == 2
        assert "no known Windows release" in done.stderr


class TestHook:
    """`.pre-commit-hooks.yaml`, by its entries."""

    def names(self, hook, folder):
        return sorted(path.name for path in folder.iterdir() if re.search(hook["files"], path.name))

    def test_it_fixes_the_files_it_is_for(self, folder):
        _lint, hook = document(".pre-commit-hooks.yaml")
        assert hook["id"] == "transom-fix"
        done = run([*shlex.split(hook["entry"]), *self.names(hook, folder)], folder)
        # pre-commit itself fails where a hook changes a file.
        assert done.returncode == 0, done.stderr
        assert (folder / "bad pod.yaml").read_text() == CLEAN
        assert (folder / "good.yaml").read_text() == CLEAN

    def test_it_lints_the_files_it_is_for(self, folder):
        hook, _fix = document(".pre-commit-hooks.yaml")
        names = self.names(hook, folder)
        assert names == ["bad pod.yaml", "good.yaml"]
        done = run([*shlex.split(hook["entry"]), *names], folder)
        assert done.returncode == 1, done.stderr
        assert "[WIN001]" in done.stdout

    def test_files_that_are_no_manifests_do_not_fail_a_commit(self, folder):
        templates = folder / "shop" / "templates"
        templates.mkdir(parents=True)
        (folder / "shop" / "Chart.yaml").write_text("apiVersion: v2\nname: shop\n")
        (templates / "web.yaml").write_text("{{- if .a }}\nkind: Pod\n{{- end }}\n")
        (folder / "ci.yaml").write_text("job: !reference [a, b]\n")
        for hook in document(".pre-commit-hooks.yaml"):
            names = ["good.yaml", "ci.yaml", "shop/templates/web.yaml"]
            done = run([*shlex.split(hook["entry"]), *names], folder)
            assert done.returncode == 0, done.stderr

    def test_files_are_not_shared_out_because_they_belong_together(self):
        for hook in document(".pre-commit-hooks.yaml"):
            assert hook["require_serial"] is True


class TestPage:
    """The snippets of docs/lint.md that people paste."""

    def snippets(self):
        page = (ROOT / "docs" / "lint.md").read_text()
        return [
            document_of(text) for text in re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
        ]

    def test_the_hooks_it_names_exist(self):
        ids = {hook["id"] for hook in document(".pre-commit-hooks.yaml")}
        (used,) = [snippet for snippet in self.snippets() if "repos" in snippet]
        assert {hook["id"] for repo in used["repos"] for hook in repo["hooks"]} == ids

    def test_the_workflow_gives_the_action_what_it_takes(self):
        inputs = document("action.yml")["inputs"]
        (workflow,) = [snippet for snippet in self.snippets() if "jobs" in snippet]
        (job,) = workflow["jobs"].values()
        (step,) = [step for step in job["steps"] if "transom" in step.get("uses", "")]
        assert set(step["with"]) <= set(inputs)


class TestProblemMatcher:
    """`tools/problem-matcher.json`, on what lint prints."""

    def test_it_finds_file_line_column_severity_and_rule(self, folder):
        (matcher,) = json.loads((ROOT / "tools" / "problem-matcher.json").read_text())[
            "problemMatcher"
        ]
        (pattern,) = matcher["pattern"]
        done = run([sys.executable, "-m", "transom", "lint", "."], folder)
        matches = filter(None, (re.search(pattern["regexp"], x) for x in done.stdout.splitlines()))
        found = [
            {part: match[pattern[part]] for part in ("file", "line", "column", "severity", "code")}
            for match in matches
        ]
        assert found == [
            {
                "file": "bad pod.yaml",
                "line": "7",
                "column": "3",
                "severity": "error",
                "code": "WIN001",
            }
        ]
