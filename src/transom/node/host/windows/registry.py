"""The registry under HKEY_LOCAL_MACHINE, and the machine's environment, which is stored in it."""

import sys

assert sys.platform == "win32"

import ctypes
import threading
import winreg
from collections.abc import Callable, Iterator
from ctypes import wintypes
from functools import partial
from itertools import count
from typing import Any, TypeVar

from transom.node.host.environment import EntryLists
from transom.node.host.values import RegistryData
from transom.node.host.windows.error import translated

T = TypeVar("T")
_NO_MORE_ITEMS = 259
_TYPES = {
    "string": winreg.REG_SZ,
    "expand-string": winreg.REG_EXPAND_SZ,
    "dword": winreg.REG_DWORD,
    "qword": winreg.REG_QWORD,
    "multi-string": winreg.REG_MULTI_SZ,
}
_NAMES = {number: name for name, number in _TYPES.items()}
_ENVIRONMENT = r"SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
_BROADCAST, _WM_SETTINGCHANGE, _ABORT_IF_HUNG, _WAIT_MS = 0xFFFF, 0x1A, 0x2, 1000


class WindowsRegistry:
    """Keys and values of this machine."""

    def has_key(self, key: str) -> bool:
        with translated("open", rf"HKLM\{key}"):
            try:
                with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key):
                    return True
            except FileNotFoundError:
                return False

    def get(self, key: str, name: str) -> RegistryData | None:
        found = self.raw(key, name)
        if found is None:
            return None
        value, number = found
        if isinstance(value, list):
            value = tuple(value)
        return RegistryData(_NAMES.get(number, str(number)), value)

    def raw(self, key: str, name: str) -> tuple[Any, int] | None:
        """A value as winreg gives it, for binary values that no recipe has."""
        if not self.has_key(key):
            return None
        with (
            translated("read", rf"HKLM\{key}"),
            winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as opened,
        ):
            try:
                return winreg.QueryValueEx(opened, name)
            except FileNotFoundError:
                return None

    def names(self, key: str) -> tuple[str, ...]:
        """The values a key has."""
        if not self.has_key(key):
            return ()
        with (
            translated("list", rf"HKLM\{key}"),
            winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as opened,
        ):
            return tuple(found[0] for found in _each(partial(winreg.EnumValue, opened)))

    def keys(self, key: str) -> tuple[str, ...]:
        """The keys below a key."""
        if not self.has_key(key):
            return ()
        with (
            translated("list", rf"HKLM\{key}"),
            winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as opened,
        ):
            return tuple(_each(partial(winreg.EnumKey, opened)))

    def make_key(self, key: str) -> None:
        with translated("make", rf"HKLM\{key}"):
            winreg.CreateKey(winreg.HKEY_LOCAL_MACHINE, key).Close()

    def delete_key(self, key: str) -> None:
        for name in self.keys(key):
            self.delete_key(rf"{key}\{name}")
        if self.has_key(key):
            with translated("delete", rf"HKLM\{key}"):
                winreg.DeleteKey(winreg.HKEY_LOCAL_MACHINE, key)

    def put(self, key: str, name: str, data: RegistryData | None) -> None:
        if data is None:
            if self.raw(key, name) is not None:
                with translated("delete", rf"HKLM\{key}\{name}"), _writable(key) as opened:
                    winreg.DeleteValue(opened, name)
            return
        value = list(data.value) if isinstance(data.value, tuple) else data.value
        with translated("set", rf"HKLM\{key}\{name}"), _writable(key) as opened:
            winreg.SetValueEx(opened, name, 0, _TYPES[data.type], value)

    def flush(self) -> None:
        """Return when the hives are on the disk."""
        for hive in ("SYSTEM", "SOFTWARE"):
            with translated("flush", hive), _writable(hive) as opened:
                winreg.FlushKey(opened)


def _each(entry: Callable[[int], T]) -> Iterator[T]:
    """Every entry until Windows has no more: how many there are may change while they are read."""
    for number in count():
        try:
            yield entry(number)
        except OSError as error:
            if error.winerror != _NO_MORE_ITEMS:
                raise
            return


def _writable(key: str) -> winreg.HKEYType:
    return winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key, 0, winreg.KEY_READ | winreg.KEY_SET_VALUE)


class WindowsEnvironment(EntryLists):
    """Machine-wide variables; windows that listen are told of a change."""

    def __init__(self, registry: WindowsRegistry) -> None:
        self._registry = registry

    def get(self, name: str) -> str | None:
        found = self._registry.get(_ENVIRONMENT, name)
        return None if found is None else str(found.value)

    def put(self, name: str, value: str | None) -> None:
        found = self._registry.get(_ENVIRONMENT, name)
        kind = found.type if found is not None else "string"
        if value is not None and "%" in value:
            kind = "expand-string"
        data = None if value is None else RegistryData(kind, value)
        self._registry.put(_ENVIRONMENT, name, data)
        # Each window that hangs is waited for; the host is changed already.
        threading.Thread(target=_tell_windows, daemon=True).start()


def _tell_windows() -> None:
    """Tell whoever has a window that variables changed, so that new prompts know them."""
    send = ctypes.WinDLL("user32").SendMessageTimeoutW
    send.argtypes = [
        wintypes.HWND,
        wintypes.UINT,
        wintypes.WPARAM,
        wintypes.LPCWSTR,
        wintypes.UINT,
        wintypes.UINT,
        ctypes.c_void_p,
    ]
    send.restype = wintypes.LPARAM
    send(_BROADCAST, _WM_SETTINGCHANGE, 0, "Environment", _ABORT_IF_HUNG, _WAIT_MS, None)
