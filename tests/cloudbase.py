"""The real cloudbase-init on Linux, with the operating system below it simulated and recorded.

Its modules run unchanged. What they ask of Windows goes to a stand-in: paths, files, line ends,
temporary scripts, users, groups, names. `execute` gives what was done, in the shape of a story.
"""

import email
import hashlib
import importlib.util
import io
import logging
import ntpath
import os
import sys
import types
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from cloudbaseinit import conf as configuration
from cloudbaseinit.osutils import factory as osutils_factory
from cloudbaseinit.plugins.common import execcmd, userdata, userdatautils
from cloudbaseinit.plugins.common.userdataplugins import heat, parthandler, shellscript
from cloudbaseinit.plugins.common.userdataplugins.cloudconfigplugins import (
    runcmd,
    users,
    write_files,
)
from cloudbaseinit.utils import encoding, hostname
from tests.cloudbase_recorder import Ec2, Recorder, Service

from transom.bootstrap.machine import Machine

DIRECTORY = r"C:\Windows\System32"
TEMPORARY = r"C:\Windows\Temp"
_FORBIDDEN = set('<>"|?*') | {chr(code) for code in range(32)}
_C_INT = 2**31

logging.getLogger("cloudbaseinit").setLevel(logging.CRITICAL)
configuration.CONF([], project="cloudbase-init", default_config_files=[])


@dataclass
class Executed:
    """What happened: acts as (action, subject, detail), how the plugin ended, and its two answers."""

    acts: list[tuple[str, str, dict[str, Any]]]
    outcome: str
    reboot: bool = False
    again: bool = False


class Windows(Recorder):
    """What cloudbase-init asks of the operating system, remembered; files and programs are simulated."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.files: dict[str, bytes] = {}

    def execute_process(self, args, *, shell=False):
        program = {"bash": "bash", "python": "python"}.get(args[0], "cmd")
        assert shell is (program == "cmd")
        return self._run(program, args[-1])

    def execute_powershell_script(self, path, sysnative):
        return self._run("powershell" if sysnative else "powershell-x86", path)

    # Files, as the modules open them.

    def open(self, path, mode="r", **_how):
        name = path.decode() if isinstance(path, bytes) else path
        if mode == "rb":
            return io.BytesIO(self.files[name])
        base = ntpath.basename(name)
        if not base or set(base) & _FORBIDDEN:
            raise OSError(22, "Invalid argument", name)
        return _Writing(self, name, mode)

    def makedirs(self, path):
        text = path.decode() if isinstance(path, bytes) else path
        if set(ntpath.splitdrive(text)[1]) & _FORBIDDEN:
            raise OSError(123, "The filename, directory name, or volume label syntax is incorrect")

    def chmod(self, path, mode):
        del path
        self.acts[-1][2]["mode"] = mode
        if not -_C_INT <= mode < _C_INT:
            raise OverflowError("Python int too large to convert to C int")

    def remove(self, path):
        self.files.pop(path, None)

    def _run(self, interpreter, path):
        if path.startswith(TEMPORARY) and "__attachment__" not in path:
            script = self.files[path].decode(errors="replace")
        else:
            script = ntpath.basename(path.replace("__attachment__", ""))
        self._act("run", interpreter, interpreter=interpreter, script=script)
        return b"", b"", self.machine.exit_code(script)


class _Writing(io.BytesIO):
    """A file that is open for writing: what it is told becomes an act when it is closed."""

    def __init__(self, windows, path, mode):
        super().__init__()
        self._windows, self._path, self._mode = windows, path, mode

    def write(self, data):
        return super().write(data.encode() if isinstance(data, str) else data)

    def close(self):
        if self.closed:
            return
        content = self.getvalue()
        super().close()
        self._windows.files[self._path] = content
        if self._path.endswith("authorized_keys"):
            self._windows.now["keys"] = content.decode().splitlines()
        elif not self._path.startswith(TEMPORARY):
            action = "append" if self._mode == "ab" else "write"
            self._windows._act(action, self._path, sha256=hashlib.sha256(content).hexdigest())


def _windows_os(windows):
    """The module `os` as these plugins see it on Windows."""
    path = types.SimpleNamespace(
        abspath=lambda name: ntpath.normpath(
            ntpath.join(DIRECTORY.encode() if isinstance(name, bytes) else DIRECTORY, name)
        ),
        dirname=ntpath.dirname,
        join=ntpath.join,
        splitext=ntpath.splitext,
        isdir=lambda _name: False,
        exists=lambda name: name in windows.files,
    )
    return types.SimpleNamespace(
        path=path,
        linesep="\r\n",
        makedirs=windows.makedirs,
        chmod=windows.chmod,
        remove=windows.remove,
        fspath=os.fspath,
    )


def with_handler(data: bytes, report: Path) -> bytes:
    """Multi-part boot data whose part handler looks for its report at another place."""
    message = email.message_from_bytes(data)
    for part in message.walk():
        if part.get_content_type() == "text/part-handler":
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            code = payload.decode()
            place = r"C:\k\transom\boot\report.json"
            assert place in code
            part.set_payload(code.replace(place, str(report)))
    return message.as_bytes()


def execute(data: bytes, machine: Machine, *, handlers: Path | None = None) -> Executed:
    """Let cloudbase-init execute boot data on such a machine.

    With a folder for them, part handlers are really loaded and called.
    """
    windows = Windows(machine)
    simulated = _windows_os(windows)
    temporary = types.SimpleNamespace(gettempdir=lambda: TEMPORARY)
    attachments = types.SimpleNamespace(gettempdir=lambda: TEMPORARY + "__attachment__")
    Ec2.windows = windows
    scripts = tuple(
        script._replace(executor=Ec2) if script.executor is execcmd.EC2Config else script
        for script in userdatautils._SCRIPTS
    )

    def loaded(_loader, path):
        windows._act("run", "python", interpreter="python", script=ntpath.basename(path))
        if handlers is None:
            return None
        file = handlers / ntpath.basename(path)
        file.write_bytes(windows.files[path])
        spec = importlib.util.spec_from_file_location("handler", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    with ExitStack() as stack:
        for module, name, value in (
            (osutils_factory, "get_os_utils", lambda: windows),
            (write_files, "os", simulated),
            (runcmd, "os", simulated),
            (users, "os", simulated),
            (shellscript, "os", simulated),
            (heat, "os", simulated),
            (parthandler, "os", simulated),
            (userdatautils, "os", simulated),
            (execcmd, "os", simulated),
            (execcmd, "tempfile", temporary),
            (shellscript, "tempfile", attachments),
            (parthandler, "tempfile", attachments),
            (userdatautils, "_SCRIPTS", scripts),
            (hostname, "platform", types.SimpleNamespace(node=lambda: machine.computer_name)),
        ):
            stack.enter_context(mock.patch.object(module, name, value))
        for module in (write_files, users, userdatautils, execcmd, encoding):
            stack.enter_context(mock.patch.object(module, "open", windows.open, create=True))
        stack.enter_context(
            mock.patch("cloudbaseinit.utils.classloader.ClassLoader.load_module", loaded)
        )
        return _executed(data, machine, windows)


def _executed(data: bytes, machine: Machine, windows: Windows) -> Executed:
    try:
        status, reboot = userdata.UserDataPlugin().execute(Service(data, machine), {})
    except Exception:  # noqa: BLE001 - as its caller InitManager does
        return Executed(windows.told(), "failed")
    return Executed(windows.told(), "done", reboot=bool(reboot), again=status == 2)


class _Drive(Windows):
    """A machine with one CD drive."""

    def __init__(self, folder, label):
        super().__init__(Machine())
        self._folder, self._label = str(folder), label

    def get_cdrom_drives(self):
        return [self._folder]

    def get_volumes(self):
        return []

    def get_physical_disks(self):
        return []

    def get_volume_label(self, _drive):
        return self._label


def drive_service(form, folder, label):
    """The service that reads such a drive, loaded; None where it finds nothing there."""
    from cloudbaseinit.metadata.services import configdrive, nocloudservice
    from cloudbaseinit.metadata.services.osconfigdrive import factory

    # Raw disks are reached by modules that only Windows can load; a CD drive needs none of them.
    absent = {f"cloudbaseinit.utils.windows.{name}": mock.Mock() for name in ("disk", "vfat")}
    with mock.patch.dict(sys.modules, absent):
        from cloudbaseinit.metadata.services.osconfigdrive.windows import WindowsConfigDriveManager
    names = {
        "nocloud": nocloudservice.NoCloudConfigDriveService,
        "configdrive": configdrive.ConfigDriveService,
    }
    with (
        mock.patch.object(osutils_factory, "get_os_utils", return_value=_Drive(folder, label)),
        mock.patch.object(factory, "get_config_drive_manager", WindowsConfigDriveManager),
    ):
        service = names[form]()
        # The one path that is written with Windows' separator.
        service._metadata_file = service._metadata_file.replace("\\", "/")
        return service if service.load() else None


def guestinfo_service(keys):
    """The service of vSphere, loaded from these keys by an rpctool that knows them."""
    from cloudbaseinit.metadata.services import vmwareguestinfoservice

    class Tool(Windows):
        def execute_process(self, args, **_how):
            name = args[-1].removeprefix("info-get guestinfo.")
            return (keys[name].encode(), b"", 0) if name in keys else (b"", b"No value found", 1)

    with (
        mock.patch.object(osutils_factory, "get_os_utils", return_value=Tool(Machine())),
        mock.patch.object(vmwareguestinfoservice.os.path, "exists", return_value=True),
    ):
        service = vmwareguestinfoservice.VMwareGuestInfoService()
        assert service.load()
        return service
