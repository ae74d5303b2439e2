"""What Wine forgets, remembered: loaded by the lab's Python before the node program starts.

Part of the Python that the lab's mirror serves, so that node.pyz runs there unchanged. Wine stores of
a security descriptor only what Unix mode bits can say, forgets a service's recovery actions, and has
no volume to flush. Each is asked of Wine first and then kept beside it, so that it can be read back.
"""

import importlib.abc
import importlib.util
import json
import struct
import sys
from pathlib import Path

_HOST = "transom.node.host.windows"
_KEPT = Path(r"C:\windows\transom-lab-access.json")
_SERVICES = r"SYSTEM\CurrentControlSet\Services"


class _Finder(importlib.abc.MetaPathFinder):
    """Waits for the node program's door to Windows to be imported."""

    def find_spec(self, name, path, target=None):
        """Load the module as it is, then exchange its host."""
        del path, target
        if name != _HOST:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            if module.__name__ == _HOST:  # modules of one zip share their loader
                module.WindowsHost = _remembering(module.WindowsHost)

        spec.loader.exec_module = exec_module
        return spec


def _remembering(host_class):  # noqa: C901 - classes, not branches
    from transom.node.host.files import SafeFiles
    from transom.node.host.windows_disk import WindowsDisk
    from transom.node.host.windows_services import WindowsServices

    class RememberingDisk(WindowsDisk):
        """Keeps the descriptor that was set, by path."""

        def acl(self, path):
            return _read().get(path.lower()) or super().acl(path)

        def set_acl(self, path, sddl):
            super().set_acl(path, sddl)
            _change(path, sddl)

        def create(self, path, *, acl=""):
            _change(path, None)
            super().create(path, acl=acl)

        def rename(self, source, target):
            super().rename(source, target)
            _change(target, _read().get(source.lower()))
            _change(source, None)

        def remove(self, path):
            super().remove(path)
            _change(path, None)

        def remove_directory(self, path):
            super().remove_directory(path)
            _change(path, None)

    class RememberingServices(WindowsServices):
        """Writes recovery actions where the service manager of Windows keeps them."""

        def put(self, name, definition):
            super().put(name, definition)
            if definition is not None and definition.restart_delays_ms:
                _write_recovery(name, definition)

    class LabHost(host_class):
        """This host, with what Wine forgets remembered."""

        def __init__(self):
            super().__init__()
            self.disk = RememberingDisk()
            self.files = SafeFiles(self.disk)
            self.services = RememberingServices(self.registry)

        def flush(self):
            self.registry.flush()

    return LabHost


def _read():
    return json.loads(_KEPT.read_text()) if _KEPT.exists() else {}


def _change(path, sddl):
    kept = _read()
    if kept.pop(path.lower(), None) == sddl is None:
        return
    if sddl is not None:
        kept[path.lower()] = sddl
    _KEPT.write_text(json.dumps(kept))


def _write_recovery(name, definition):
    import winreg

    delays = definition.restart_delays_ms
    data = struct.pack("<5I", definition.reset_s, 0, 0, len(delays), 20)
    data += b"".join(struct.pack("<2I", 1, delay) for delay in delays)
    key = rf"{_SERVICES}\{name}"
    with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key, 0, winreg.KEY_SET_VALUE) as opened:
        winreg.SetValueEx(opened, "FailureActions", 0, winreg.REG_BINARY, data)


sys.meta_path.insert(0, _Finder())
