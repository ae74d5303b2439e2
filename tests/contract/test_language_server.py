"""`transom lint --server` as an editor meets it: the real process, spoken to in its protocol."""

import json
import subprocess
import sys
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

pytest.importorskip("pygls")

TIMEOUT_S = 60
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: wéb}
spec:
  os: {name: windows}
  nodeSelector: {kubernetes.io/os: windows}  # kept
  hostPID: true
  containers:
  - name: web
    image: mcr.microsoft.com/windows/nanoserver:ltsc2022
    resources: {limits: {cpu: 1, memory: 1Gi}}
    securityContext: {runAsUser: 1}
"""


class Editor:
    """An editor with one server."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "transom", "lint", "--server", *arguments]
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._late = Timer(TIMEOUT_S, self._process.kill)
        self._late.start()
        self._number = 0
        self.told: list[dict[str, Any]] = []
        about: dict[str, Any] = {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}}
        self.capabilities = self.ask("initialize", about)["capabilities"]
        self.tell("initialized", {})

    def tell(self, method, params):
        self._send({"method": method, "params": params})

    def ask(self, method, params):
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            answer = self._receive()
            if answer.get("id") == self._number and "method" not in answer:
                assert "error" not in answer, answer
                return answer["result"]
            self.told.append(answer)

    def open(self, path, text):
        item = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return self.diagnostics()

    def change(self, path, text):
        document = {"uri": path.as_uri(), "version": 2}
        params = {"textDocument": document, "contentChanges": [{"text": text}]}
        self.tell("textDocument/didChange", params)
        return self.diagnostics()

    def diagnostics(self):
        while True:
            told = self._receive()
            if told.get("method") == "textDocument/publishDiagnostics":
                return told["params"]["diagnostics"]
            self.told.append(told)

    def close(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        code = self._process.wait(TIMEOUT_S)
        self._late.cancel()
        for stream in (self._to, self._from):
            stream.close()
        return code

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._to.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._to.flush()

    def _receive(self):
        length = 0
        while line := self._from.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the server ended"
        return json.loads(self._from.read(length))


@pytest.fixture
def editor(tmp_path):
    made = Editor(tmp_path)
    yield made
    assert made.close() == 0


def applied(text, edits):
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda edit: edit["range"]["start"]["line"], reverse=True):
        start, end = (edit["range"][side]["line"] for side in ("start", "end"))
        assert edit["range"]["start"]["character"] == edit["range"]["end"]["character"] == 0
        lines[start:end] = edit["newText"].split("\n")[:-1]
    return "\n".join(lines)


def actions(editor, path, diagnostics):
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    params = {
        "textDocument": {"uri": path.as_uri()},
        "range": whole,
        "context": {"diagnostics": diagnostics},
    }
    return {action["title"]: action for action in editor.ask("textDocument/codeAction", params)}


def test_findings_follow_the_text_that_is_edited(editor, tmp_path):
    path = tmp_path / "web.yaml"  # never written: the editor has the text
    found = {item["code"]: item for item in editor.open(path, POD)}
    assert set(found) == {"WIN001", "WIN028"}
    assert found["WIN001"]["range"]["start"] == {"line": 6, "character": 2}
    assert (found["WIN001"]["severity"], found["WIN001"]["source"]) == (1, "transom")
    assert "rejected by the API server" in found["WIN001"]["message"]
    clean = POD.replace("  hostPID: true\n", "")
    assert [item["code"] for item in editor.change(path, clean)] == ["WIN028"]


def test_quick_fixes_are_those_of_fix(editor, tmp_path):
    path = tmp_path / "web.yaml"
    offered = actions(editor, path, editor.open(path, POD))
    removed = offered["WIN001: removed"]
    assert removed["isPreferred"] is True
    edits = removed["edit"]["changes"][path.as_uri()]
    assert applied(POD, edits) == POD.replace("  hostPID: true\n", "")
    doubtful = offered["WIN028: removed (may not be what was meant)"]
    assert doubtful["isPreferred"] is False
    everything = offered["transom: fix all that is safe in this file"]
    assert everything["kind"] == "source.fixAll.transom"
    assert applied(POD, everything["edit"]["changes"][path.as_uri()]) == applied(POD, edits)


def test_hover_explains_the_rule(editor, tmp_path):
    path = tmp_path / "web.yaml"
    editor.open(path, POD)
    place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 6, "character": 4}}
    told = editor.ask("textDocument/hover", place)["contents"]["value"]
    assert told.startswith("**WIN001: hostPID on a Windows pod**")
    assert "Remove it" in told
    place["position"]["line"] = 0
    assert editor.ask("textDocument/hover", place) is None


def test_what_cannot_be_read_and_what_is_no_manifest(editor, tmp_path):
    (broken,) = editor.open(tmp_path / "broken.yaml", "apiVersion: v1\nkind: Pod\nspec: [\n")
    assert broken["severity"] == 1
    assert "code" not in broken
    assert editor.open(tmp_path / "ci.yaml", "a: !reference [b]\n") == []
    assert editor.open(tmp_path / "template.yaml", "{{- if .x }}\na: 1\n{{- end }}\n") == []


def test_settings_beside_the_file_hold_and_their_mistakes_are_shown(editor, tmp_path):
    path = tmp_path / "web.yaml"
    (tmp_path / ".transom.toml").write_text('[lint]\ndisable = ["WIN028"]\n')
    assert [item["code"] for item in editor.open(path, POD)] == ["WIN001"]
    (tmp_path / ".transom.toml").write_text('[lint]\nkubernetes = "new"\n')
    assert editor.change(path, POD) == []
    (shown,) = [told for told in editor.told if told.get("method") == "window/showMessage"]
    assert shown["params"]["message"].startswith("transom: ")


def test_paths_are_for_the_editor_to_say(tmp_path):
    command = [sys.executable, "-m", "transom", "lint", "--server", "."]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 2
    assert "the language server is told its files by the editor" in done.stderr


SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, sessionAffinity: ClientIP, ipFamilyPolicy: SingleStack, ipFamilies: [IPv6], ports: [{port: 80}]}
"""


def rules(diagnostics):
    return {item["code"] for item in diagnostics}


def test_a_service_is_judged_by_the_pods_in_files_beside_it(editor, tmp_path):
    service = tmp_path / "service.yaml"
    alone = rules(editor.open(service, SERVICE))
    pod = tmp_path / "pods/pod.yaml"
    pod.parent.mkdir()
    pod.write_text(POD.replace("{name: wéb}", "{name: web, labels: {app: web}}"))
    assert rules(editor.change(service, SERVICE)) > alone
    pod.unlink()
    assert rules(editor.change(service, SERVICE)) == alone


def test_a_runtime_class_in_a_file_beside_a_pod_says_what_it_is_for(editor, tmp_path):
    pod = tmp_path / "pod.yaml"
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  runtimeClassName: second
  hostPID: true
  containers: [{name: web, image: example.com/web:1}]
"""
    assert editor.open(pod, text) == []
    (tmp_path / "class.yaml").write_text(
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: second}\nhandler: h\n"
        "scheduling: {nodeSelector: {kubernetes.io/os: windows}}\n"
    )
    editor.tell("textDocument/didSave", {"textDocument": {"uri": pod.as_uri()}})
    assert "WIN001" in rules(editor.diagnostics())
