"""What boot data starts on a machine: Python and the node program by their hashes, or a report why not."""

import hashlib
import http.server
import importlib.util
import io
import json
import os
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.contract.web import Server, body

import transom.bootstrap.windows


class Files(http.server.BaseHTTPRequestHandler):
    """Serves what the server has; the first `stumbles` requests fail."""

    server: Any

    def do_GET(self):
        self.server.asked += 1
        content = self.server.content.get(self.path)
        if content is None or self.server.asked <= self.server.stumbles:
            self.send_error(503 if content else 404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_words):
        pass


@pytest.fixture
def served():
    server: Any = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    server.content, server.asked, server.stumbles = {}, 0, 0
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join(10)
    server.server_close()


def archive():
    """A Python whose interpreter is this one, under the name it has on Windows."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as opened:
        opened.writestr("python.exe", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    return content.getvalue()


PYTHON = archive()
PROGRAM = (
    b"import sys; open(sys.argv[0] + '.ran', 'w').write(repr(sys.argv[1:])); sys.exit(1003 % 256)\n"
)


@pytest.fixture
def bring(tmp_path, monkeypatch, served):
    """The module on a machine whose home is a folder here, with an icacls that notes what it closes."""
    home, tools = tmp_path / "transom", tmp_path / "tools"
    (home / "boot").mkdir(parents=True)
    tools.mkdir()
    icacls = tools / "icacls"
    icacls.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/closed\n')
    icacls.chmod(0o755)
    # The real one names what somebody else owns on its error stream, and ends with 1.
    owners = tools / "powershell"
    owners.write_text(
        f'#!/bin/sh\necho "$TRANSOM_HOME" >> {tmp_path}/looked\n'
        f"if [ -e {tmp_path}/foreign ]; then cat {tmp_path}/foreign >&2; exit 1; fi\n"
    )
    owners.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    source = Path(transom.bootstrap.windows.__file__).with_name("bring.py")
    spec = importlib.util.spec_from_file_location("bring", source)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.HERE, module.HOME = str(home / "boot"), str(home)
    module.PYTHON, module.PROGRAM = str(home / "python"), str(home / "node.pyz")
    module.REPORT = str(home / "boot" / "report.json")
    served.content = {"/python.zip": PYTHON, "/node.pyz": PROGRAM}
    address = f"http://127.0.0.1:{served.server_port}"
    wanted = {
        "python": {"url": f"{address}/python.zip", "sha256": hashlib.sha256(PYTHON).hexdigest()},
        "program": {"url": f"{address}/node.pyz", "sha256": hashlib.sha256(PROGRAM).hexdigest()},
        "close": [str(tmp_path / "run" / "kubeadm")],
        "arguments": ["--request", "r.json"],
    }
    module.write = lambda: (home / "boot" / "boot.json").write_text(json.dumps(wanted))
    module.wanted, module.home = wanted, home
    monkeypatch.setattr(sys, "argv", ["bring.py"])
    monkeypatch.setattr(module.time, "sleep", lambda _seconds: None)
    module.write()
    return module


def run(bring):
    executable = bring.home / "python" / "python.exe"
    real = bring.subprocess.call

    def call(command):
        executable.chmod(0o755)
        return real(command)

    bring.subprocess = type("Processes", (), {**vars(bring.subprocess), "call": staticmethod(call)})
    return bring.main()


def test_the_program_is_brought_and_its_exit_code_passed_on(bring, tmp_path):
    assert run(bring) == 1003 % 256
    assert (bring.home / "node.pyz.ran").read_text() == "['boot', '--request', 'r.json']"
    closed = (tmp_path / "closed").read_text().splitlines()
    assert closed == [str(bring.home), str(tmp_path / "run" / "kubeadm")]


def test_what_somebody_else_put_there_is_neither_believed_nor_started(bring, tmp_path):
    """A planted Python with the mark of the right one."""
    (bring.home / "python").mkdir()
    (bring.home / "python" / "sha256").write_text(bring.wanted["python"]["sha256"])
    (tmp_path / "foreign").write_text("C:\\k\\transom\\python belongs to S-1-5-21-7-7-7-1001")
    assert bring.main() == 1
    assert (tmp_path / "looked").read_text() == f"{bring.home}\n"
    assert "belongs to S-1-5-21-7-7-7-1001" in json.loads(Path(bring.REPORT).read_text())["message"]
    assert not (bring.home / "node.pyz").exists()


def test_a_second_boot_fetches_nothing(bring, served):
    run(bring)
    before = served.asked
    run(bring)
    assert served.asked == before == 2


def test_another_python_is_moved_aside_file_by_file(bring):
    run(bring)
    library = bring.home / "python" / "python312.dll"
    library.write_text("old")
    with (bring.home / "python" / "sha256").open("w") as mark:
        mark.write("another")
    with library.open() as running:
        assert run(bring) == 1003 % 256
        assert running.read() == "old"
    assert sorted(item.name for item in (bring.home / "python").iterdir()) == [
        "python.exe",
        "sha256",
    ]
    aside = bring.home / "old" / "boot-1"
    assert sorted(item.name for item in aside.iterdir()) == [
        "python.exe",
        "python312.dll",
        "sha256",
    ]


def test_a_server_that_stumbles_is_asked_again(bring, served):
    served.stumbles = 3
    assert run(bring) == 1003 % 256


@pytest.mark.parametrize("what", ["python", "program"])
def test_other_bytes_are_not_used(bring, what):
    bring.wanted[what]["sha256"] = "0" * 64
    bring.write()
    assert run(bring) == 1
    assert "has the SHA-256" in json.loads(Path(bring.REPORT).read_text())["message"]
    assert not (bring.home / "node.pyz.ran").exists()


def test_a_program_that_is_neither_there_nor_served_is_told(bring):
    bring.wanted["program"]["url"] = ""
    bring.write()
    assert run(bring) == 1
    report = json.loads(Path(bring.REPORT).read_text())
    assert report["kind"] == "BootReport"
    assert "is not the program this boot data was made for" in report["message"]


def test_what_cannot_be_fetched_is_told_after_the_deadline(bring, served):
    served.content.pop("/python.zip")
    bring.WAIT_S = 0
    assert run(bring) == 1
    assert "cannot fetch" in json.loads(Path(bring.REPORT).read_text())["message"]


@pytest.fixture
def secure(bring, start, context):
    """The same files from a site whose root this machine does not have."""
    site = start(Server(context))
    for what, content in (("python", PYTHON), ("program", PROGRAM)):
        bring.wanted[what]["url"] = site.serve(f"/{what}", body(content))
    bring.write()
    return site


@pytest.fixture
def curl(tmp_path):
    """Windows' own curl.exe, which has missing roots fetched: `curl(n)` ends with n."""

    def made(code):
        words = "curl: (60) schannel: SEC_E_UNTRUSTED_ROOT"
        program = tmp_path / "tools" / "curl.exe"
        copied = f"""import pathlib, shutil, sys
here = pathlib.Path({str(tmp_path)!r})
(here / "curled").open("a").write(sys.argv[-1] + "\\n")
if {code}: sys.exit(print({words!r}, file=sys.stderr) or {code})
shutil.copy(here / sys.argv[-1].rpartition("/")[2], sys.argv[sys.argv.index("--output") + 1])
"""
        (tmp_path / "curl.py").write_text(copied)
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {tmp_path}/curl.py "$@"\n')
        program.chmod(0o755)
        (tmp_path / "python").write_bytes(PYTHON)
        (tmp_path / "program").write_bytes(PROGRAM)
        return tmp_path / "curled"

    return made


def test_a_site_whose_root_is_missing_is_fetched_from_as_windows_does(bring, secure, curl):
    asked = curl(0)
    assert run(bring) == 1003 % 256
    assert asked.read_text().split() == [f"{secure.url}/python", f"{secure.url}/program"]


@pytest.mark.usefixtures("secure")
def test_a_site_that_windows_does_not_trust_either_is_reported_at_once(bring, curl):
    asked = curl(60)
    assert run(bring) == 1
    message = json.loads(Path(bring.REPORT).read_text())["message"]
    assert "unable to get local issuer certificate" in message
    assert "SEC_E_UNTRUSTED_ROOT" in message
    assert len(asked.read_text().split()) == 1


def test_a_site_that_curl_does_not_reach_is_asked_again(bring, secure, curl, monkeypatch):
    asked = curl(7)
    monkeypatch.setattr(bring.time, "sleep", lambda _seconds: curl(0))
    assert run(bring) == 1003 % 256
    assert asked.read_text().split().count(f"{secure.url}/python") == 2


@pytest.mark.usefixtures("strict_python")
def test_a_site_whose_authority_has_no_key_identifier_is_fetched_from(
    bring, start, bare, tmp_path, monkeypatch
):
    authority, context = bare
    (tmp_path / "roots.pem").write_text(authority)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "roots.pem"))
    site = start(Server(context))
    bring.fetch(site.serve("/f", body(b"content")), str(tmp_path / "f"))
    assert (tmp_path / "f").read_bytes() == b"content"
