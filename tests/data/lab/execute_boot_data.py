"""Execute boot data by the real cloudbase-init on this host, and write down what happened.

Runs on a host of the lab. Files are written, commands of cmd.exe are run, users are made; of their keys, of
groups, names and time zones, and of interpreters that the host has not, only the calls are noted.
"""

import base64
import builtins
import hashlib
import json
import ntpath
import os
import subprocess
import sys
import tempfile
import types

ROOT = r"C:\cloudbase-init"
LIBRARIES = ROOT + r"\pywin32_system32"
WAIT_S = 60
sys.path[:0] = [r"C:\k", ROOT, ROOT + r"\win32", ROOT + r"\win32\lib"]
os.add_dll_directory(LIBRARIES)
os.environ["PATH"] = LIBRARIES + ";" + os.environ["PATH"]

from cloudbaseinit import conf as configuration
from cloudbaseinit.osutils import factory
from cloudbaseinit.plugins.common import execcmd, userdata, userdatautils
from cloudbaseinit.plugins.common.userdataplugins.cloudconfigplugins import (
    users,
    write_files,
)
from cloudbaseinit.utils import classloader, encoding, hostname

from cloudbase_recorder import Ec2, Recorder, Service

REAL = factory.get_os_utils()
TEMPORARY = tempfile.gettempdir().lower()


class Host(Recorder):
    """This host: what is written and run here really is."""

    def __init__(self, machine):
        super().__init__(machine)
        self.codes = []
        self.written = []
        self.made = {}

    def create_user(self, name, password):
        super().create_user(name, password)
        if not REAL.user_exists(name):
            REAL.create_user(name, password)
        self.made[name] = REAL.user_exists(name)

    def execute_process(self, args, shell=False):
        program = {"bash": "bash", "python": "python"}.get(args[0], "cmd")
        return self._run(program, args)

    def execute_powershell_script(self, path, sysnative):
        return self._run("powershell" if sysnative else "powershell-x86", [path])

    def _run(self, interpreter, args):
        path = args[-1]
        # Temporary scripts are called by a UUID.
        is_attachment = ntpath.basename(path).count("-") != 4
        if is_attachment:
            script = ntpath.basename(path)
        else:
            with builtins.open(path, "rb") as file:
                script = file.read().decode(errors="replace")
        self._act("run", interpreter, interpreter=interpreter, script=script)
        code = 0
        if interpreter == "cmd" and not is_attachment:
            code = subprocess.call(
                path,
                shell=True,
                timeout=WAIT_S,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self.codes.append([script, code])
        return b"", b"", code

    def open(self, path, mode="r", **how):
        if "w" not in mode and "a" not in mode:
            return builtins.open(path, mode, **how)
        return Writing(self, path, mode)

    def chmod(self, path, mode):
        self.acts[-1][2]["mode"] = mode
        os.chmod(path, mode)


class Writing:
    """A file of this host that is open for writing; what was written is an act when it is closed."""

    def __init__(self, host, path, mode):
        self._host, self._mode = host, mode
        self._path = path.decode() if isinstance(path, bytes) else path
        self._file = builtins.open(path, mode if "b" in mode else mode + "b")
        self._content = b""

    def __enter__(self):
        return self

    def write(self, data):
        data = data.encode() if isinstance(data, str) else data
        self._content += data
        return self._file.write(data)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        self._file.flush()

    def __exit__(self, *_about):
        self._file.close()
        if self._path.endswith("authorized_keys"):
            self._host.now["keys"] = self._content.decode().splitlines()
        elif not self._path.lower().startswith(TEMPORARY):
            action = "append" if self._mode.startswith("a") else "write"
            digest = hashlib.sha256(self._content).hexdigest()
            self._host._act(action, self._path, sha256=digest)
            self._host.written.append(self._path)


def main(source, target):
    """Execute every document of a file."""
    with builtins.open(source, encoding="utf-8") as file:
        cases = json.load(file)
    configuration.CONF([], project="cloudbase-init", default_config_files=[])
    load = classloader.ClassLoader.load_module
    os.chdir(r"C:\Windows\System32")
    answers = [execute(case, load) for case in cases]
    with builtins.open(target, "w", encoding="utf-8") as file:
        json.dump(answers, file)


def execute(case, load):
    """Execute one document, and remove the files it wrote."""
    platform = types.SimpleNamespace(**case["platform"]) if case["platform"] else None
    machine = types.SimpleNamespace(**{**case["machine"], "platform": platform})
    host = Host(machine)
    shown = types.SimpleNamespace(**{name: getattr(os, name) for name in dir(os)})
    shown.chmod = host.chmod
    factory.get_os_utils = lambda: host
    write_files.os = shown
    write_files.open = users.open = encoding.open = host.open
    hostname.platform = types.SimpleNamespace(node=lambda: machine.computer_name)
    Ec2.windows = host
    userdatautils._SCRIPTS = tuple(
        script._replace(executor=Ec2) if script.executor in (execcmd.EC2Config, Ec2) else script
        for script in userdatautils._SCRIPTS
    )

    def loaded(loader, path):
        host._act("run", "python", interpreter="python", script=ntpath.basename(path))
        return load(loader, path)

    classloader.ClassLoader.load_module = loaded
    outcome, status, reboot = "done", 1, False
    try:
        data = base64.b64decode(case["data"])
        status, reboot = userdata.UserDataPlugin().execute(Service(data, machine), {})
    except Exception:
        outcome = "failed"
    seen = {}
    for path in host.written:
        with builtins.open(path, "rb") as file:
            seen[path] = hashlib.sha256(file.read()).hexdigest()
    for path in seen:
        os.chmod(path, 0o666)
        os.remove(path)
    return {
        "acts": host.told(), "outcome": outcome, "reboot": bool(reboot), "again": status == 2,
        "codes": host.codes, "files": seen, "users": host.made,
    }  # fmt: skip


main(*sys.argv[1:])
