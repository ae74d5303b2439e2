"""The node program as it runs in the lab: three things Wine cannot keep are kept beside it.

Put on a host next to node.pyz and started in its place. Wine stores of a security descriptor only
what Unix mode bits can say, forgets a service's recovery actions, and has no volume to flush; all
three are asked of Wine first and then remembered here, so that they can be read back.
"""

import sys

assert sys.platform == "win32"

import json
import struct
import winreg
from pathlib import Path

sys.path.insert(0, r"C:\k\transom\node.pyz")

from transom.node.host.files import SafeFiles
from transom.node.host.windows import WindowsHost
from transom.node.host.windows_disk import WindowsDisk
from transom.node.host.windows_registry import WindowsRegistry
from transom.node.host.windows_services import WindowsServices
from transom.node.program import main

_KEPT = Path(r"C:\windows\transom-lab-access.json")
_SERVICES = r"SYSTEM\CurrentControlSet\Services"


class RememberingDisk(WindowsDisk):
    """Keeps the descriptor that was set, by path."""

    def acl(self, path):
        """Give what was set, or what Wine can say."""
        return _read().get(path.lower()) or super().acl(path)

    def set_acl(self, path, sddl):
        """Set it as far as Wine can, and remember it."""
        super().set_acl(path, sddl)
        _change(path, sddl)

    def create(self, path, *, acl=""):
        """Forget what an earlier file of that name had."""
        _change(path, None)
        super().create(path, acl=acl)

    def rename(self, source, target):
        """Let the descriptor go with its file."""
        super().rename(source, target)
        _change(target, _read().get(source.lower()))
        _change(source, None)

    def remove(self, path):
        """Forget it."""
        super().remove(path)
        _change(path, None)

    def remove_directory(self, path):
        """Forget it."""
        super().remove_directory(path)
        _change(path, None)


def _read():
    return json.loads(_KEPT.read_text()) if _KEPT.exists() else {}


def _change(path, sddl):
    kept = _read()
    if kept.pop(path.lower(), None) == sddl is None:
        return
    if sddl is not None:
        kept[path.lower()] = sddl
    _KEPT.write_text(json.dumps(kept))


class RememberingServices(WindowsServices):
    """Writes recovery actions where the service manager of Windows keeps them."""

    def put(self, name, definition):
        """Register it, then remember its recovery."""
        super().put(name, definition)
        if definition is not None and definition.restart_delays_ms:
            delays = definition.restart_delays_ms
            data = struct.pack("<5I", definition.reset_s, 0, 0, len(delays), 20)
            data += b"".join(struct.pack("<2I", 1, delay) for delay in delays)
            key = rf"{_SERVICES}\{name}"
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key, 0, winreg.KEY_SET_VALUE) as opened:
                winreg.SetValueEx(opened, "FailureActions", 0, winreg.REG_BINARY, data)


class LabHost(WindowsHost):
    """This host, with what Wine forgets remembered."""

    def __init__(self):
        super().__init__()
        self.disk = RememberingDisk()
        self.files = SafeFiles(self.disk)
        self.services = RememberingServices(self.registry)

    def flush(self):
        """Flush the registry only."""
        WindowsRegistry.flush(self.registry)


sys.exit(main(machine=LabHost()))
