"""What Wine forgets, remembered, and the power cut at the n-th write: loaded before the node program.

Part of the Python in every host and of the one that the lab's mirror serves, so that node.pyz runs
there unchanged. Wine stores of a security descriptor only what Unix mode bits can say, forgets a
service's recovery actions, writes its registry twice a minute whoever flushes it, and has no volume to
flush. Each is asked of Wine first and then kept beside it, so that it can be read back. A symbolic link is
shown and removed as what it is, where Wine shows what it leads to; those that lead nowhere, which Wine
does not list, go with their directory.
lab/native/goshim/power.c says what a power cut is.

Every Python of a host loads this first, so it imports next to nothing until the node program is there.
"""

import os
import sys

_HOST = "transom.node.host.windows.machine"
_KEPT = r"C:\windows\transom-lab-access.json"
_ORDER = r"C:\ProgramData\transom-lab\power-cut"
_BACKUP_PRIVILEGE = 17
_FLUSHED = r"SOFTWARE\transom-lab"
_SERVICES = r"SYSTEM\CurrentControlSet\Services"
_PARSED = {}
_LOOKED = {}
_MOMENT_S = 0.05


class _Finder:
    """Waits for the node program's door to Windows to be imported."""

    def find_spec(self, name, path, target=None):
        """Load the module as it is, then exchange its host."""
        del path, target
        if name != _HOST:
            return None
        import importlib.util

        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            if module.__name__ == _HOST:  # modules of one zip share their loader
                module.WindowsHost = _remembering(module.WindowsHost)

        spec.loader.exec_module = exec_module
        return spec


class _Power:
    """Counts what this process changes on the disk, if it is the one whose n-th change is the last."""

    def __init__(self):
        try:
            program, count, mode = _text(_ORDER).split()
        except OSError:
            program, count, mode = "", "0", ""
        self._left = int(count) if program == os.path.basename(sys.executable).lower() else 0
        self._loses = mode == "lose"
        self._unflushed = {}

    def write(self):
        """Call before each change."""
        if self._left:
            self._left -= 1
            if not self._left:
                self._cut()

    def unflushed(self, path):
        """Call before a file grows."""
        if self._left and self._loses:
            size = os.path.getsize(path) if os.path.exists(path) else 0
            self._unflushed.setdefault(path, size)

    def flushed(self, path):
        """Call when a file is flushed or gone."""
        self._unflushed.pop(path, None)

    def renamed(self, source, target):
        """Call when a file has another name: what was not flushed still is not."""
        self.flushed(target)
        if source in self._unflushed:
            self._unflushed[target] = self._unflushed.pop(source)

    def _cut(self):
        for path, size in self._unflushed.items():
            os.truncate(path, size)
        _shim().LabCutPower()


def _remembering(host_class):  # noqa: C901 - classes, not branches
    from transom.node.host.files import SafeFiles
    from transom.node.host.values import PathKind
    from transom.node.host.windows.disk import WindowsDisk
    from transom.node.host.windows.error import last_failure
    from transom.node.host.windows.services import WindowsServices

    power = _Power()
    shim = _shim()

    class RememberingDisk(WindowsDisk):
        """Keeps the descriptor that was set, by path, counts changes, and tells links from files."""

        def kind(self, path):
            return PathKind.LINK if shim.LabIsLink(path) else super().kind(path)

        def acl(self, path):
            return _read().get(path.lower()) or _owned(super().acl(path))

        def set_acl(self, path, sddl):
            power.write()
            super().set_acl(path, sddl)
            _change(path, sddl)

        def create(self, path, *, acl=""):
            power.write()
            _change(path, None)
            super().create(path, acl=acl)

        def append(self, path, data):
            power.write()
            power.unflushed(path)
            super().append(path, data)

        def flush(self, path):
            power.write()
            super().flush(path)
            power.flushed(path)

        def make_directory(self, path):
            power.write()
            super().make_directory(path)

        def rename(self, source, target):
            power.write()
            super().rename(source, target)
            power.renamed(source, target)
            _change(target, _read().get(source.lower()))
            _change(source, None)

        def remove(self, path, *, protected=False):
            power.write()
            if not shim.LabIsLink(path):
                super().remove(path, protected=protected)
            elif not shim.LabRemoveLink(path):
                raise last_failure("remove", path)
            power.flushed(path)
            _change(path, None)

        def link(self, path, target):
            power.write()
            if not shim.LabMakeLink(path, target):
                raise OSError(f"the lab cannot make a link at {path}")

        def remove_directory(self, path, *, protected=False):
            power.write()
            shim.LabRemoveLostLinks(path)
            super().remove_directory(path, protected=protected)
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

        def flush(self, *, registry=True):
            if registry:
                self.registry.flush()
                _save_registry()

    return LabHost


def _shim():
    """The lab's DLL; its exports take wide strings."""
    import ctypes

    shim = ctypes.WinDLL("bcryptprimitives", use_last_error=True)
    for name in ("LabIsLink", "LabRemoveLink", "LabRemoveLostLinks"):
        getattr(shim, name).argtypes = [ctypes.c_wchar_p]
    shim.LabMakeLink.argtypes = [ctypes.c_wchar_p, ctypes.c_wchar_p]
    return shim


def _owned(sddl):
    """Wine names the user of Unix as owner and in lists; on Windows it is who made it: here, an administrator."""
    import re

    mine = re.sub(r"S-1-5-21-0-0-0-[0-9]+", "BA", sddl)
    return re.sub(r"^(O:(S-1-[0-9-]+|[A-Z]{2}))?(?=[GD]:)", "O:BA", mine)


def _text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _read():
    """What was kept, which is read again only when it is another file; looked at once in a moment."""
    import time

    if time.monotonic() - _LOOKED.get("at", -1) < _MOMENT_S:
        return dict(_LOOKED["kept"])
    kept = _read_again()
    _LOOKED.update(at=time.monotonic(), kept=kept)
    return dict(kept)


def _read_again():
    try:
        found = os.stat(_KEPT)
    except OSError:
        return {}
    version = (found.st_mtime_ns, found.st_size, found.st_ino)
    kept = _PARSED.get(version)
    if kept is None:
        import json

        kept = json.loads(_text(_KEPT))
        _PARSED.clear()
        _PARSED[version] = kept
    return kept


def _change(path, sddl):
    import json

    kept = dict(_read_again())
    if kept.pop(path.lower(), None) == sddl is None:
        return
    if sddl is not None:
        kept[path.lower()] = sddl
    beside = f"{_KEPT}.new"
    with open(beside, "w", encoding="utf-8") as file:
        file.write(json.dumps(kept))
    os.replace(beside, _KEPT)
    _LOOKED.clear()


def _save_registry():
    """Put HKEY_LOCAL_MACHINE where wineserver itself would, which takes a flush for done."""
    import ctypes
    import winreg

    folder = os.environ["WINECONFIGDIR"].replace("\\??\\", "\\\\?\\", 1)
    beside = os.path.join(folder, "system.flushed")
    ctypes.WinDLL("ntdll").RtlAdjustPrivilege(
        _BACKUP_PRIVILEGE, 1, 0, ctypes.byref(ctypes.c_byte())
    )
    if os.path.exists(beside):
        os.unlink(beside)
    winreg.SaveKey(winreg.HKEY_LOCAL_MACHINE, beside)
    os.replace(beside, os.path.join(folder, "system.reg"))
    # What was written since is in no file: the server has to write all of it once more.
    with winreg.CreateKey(winreg.HKEY_LOCAL_MACHINE, _FLUSHED) as key:
        winreg.SetValueEx(key, "Flushed", 0, winreg.REG_DWORD, 1)


def _write_recovery(name, definition):
    import struct
    import winreg

    delays = definition.restart_delays_ms
    data = struct.pack("<5I", definition.reset_s, 0, 0, len(delays), 20)
    data += b"".join(struct.pack("<2I", 1, delay) for delay in delays)
    key = rf"{_SERVICES}\{name}"
    with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key, 0, winreg.KEY_SET_VALUE) as opened:
        winreg.SetValueEx(opened, "FailureActions", 0, winreg.REG_BINARY, data)


sys.meta_path.insert(0, _Finder())
