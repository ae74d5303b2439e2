"""Windows services through the service manager: defined, started, and stopped until really gone.

What a service is stored as is read from the registry, where the service manager keeps it, because
only there its environment is.
"""

import sys

assert sys.platform == "win32"

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import wintypes
from functools import cache

from transom.errors import PermanentError, TemporaryError
from transom.node.host.values import RegistryData, ServiceDefinition, ServiceStatus
from transom.node.host.windows.error import failure, last_failure
from transom.node.host.windows.handles import (
    SERVICE_RUNNING,
    SERVICE_START_PENDING,
    SERVICE_STOPPED,
    ServiceProcessStatus,
    close_handle,
)
from transom.node.host.windows.registry import WindowsRegistry

_advapi32 = ctypes.WinDLL("advapi32", use_last_error=True)
_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)

_SERVICES = "SYSTEM\\CurrentControlSet\\Services\\"
_ALL_ACCESS_MANAGER, _CONNECT, _ALL_ACCESS_SERVICE, _QUERY_STATUS = 0xF003F, 0x1, 0xF01FF, 0x4
_OWN_PROCESS, _ERROR_NORMAL, _NO_CHANGE = 0x10, 1, 0xFFFF_FFFF
_DELAYED = "delayed-auto"
_START = {"auto": 2, _DELAYED: 2, "demand": 3, "disabled": 4}
_START_NAMES = {0: "boot", 1: "system", 2: "auto", 3: "demand", 4: "disabled"}
_DELAYED_INFO, _FAILURE_ACTIONS = 3, 2
_ACTION_RESTART = 1
_STATES = ("", "stopped", "starting", "stopping", "running", "continuing", "pausing", "paused")
_CONTROL_STOP = 1
_SYNCHRONIZE, _WAIT_TIMEOUT = 0x10_0000, 0x102
_NOT_FOUND, _ALREADY_RUNNING, _NOT_ACTIVE, _SERVICE_SPECIFIC = 1060, 1056, 1062, 1066
_BROKEN_PIPE = 109
_NOT_IN_TIME = 1053
_POLL_S, _WAIT_S, _REPORT_S = 0.05, 60.0, 9.0


# What a service is apart from what it is created with.
_AS_CREATED = ServiceDefinition(command="", display_name="", start="auto")


class _Action(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int), ("delay_ms", wintypes.DWORD))


class _FailureActions(ctypes.Structure):
    _fields_ = (
        ("reset_s", wintypes.DWORD),
        ("message", wintypes.LPWSTR),
        ("command", wintypes.LPWSTR),
        ("count", wintypes.DWORD),
        ("actions", ctypes.POINTER(_Action)),
    )


_handle = wintypes.HANDLE
_text = wintypes.LPCWSTR
_open_manager = _advapi32.OpenSCManagerW
_open_manager.argtypes = [_text, _text, wintypes.DWORD]
_open_manager.restype = _handle
_open_service = _advapi32.OpenServiceW
_open_service.argtypes = [_handle, _text, wintypes.DWORD]
_open_service.restype = _handle
_create_service = _advapi32.CreateServiceW
_create_service.argtypes = [
    _handle,
    _text,
    _text,
    wintypes.DWORD,
    wintypes.DWORD,
    wintypes.DWORD,
    wintypes.DWORD,
    _text,
    _text,
    ctypes.c_void_p,
    ctypes.c_void_p,
    _text,
    _text,
]
_create_service.restype = _handle
_change_config = _advapi32.ChangeServiceConfigW
_change_config.argtypes = [
    _handle,
    wintypes.DWORD,
    wintypes.DWORD,
    wintypes.DWORD,
    _text,
    _text,
    ctypes.c_void_p,
    ctypes.c_void_p,
    _text,
    _text,
    _text,
]
_change_config.restype = wintypes.BOOL
_change_config2 = _advapi32.ChangeServiceConfig2W
_change_config2.argtypes = [_handle, wintypes.DWORD, ctypes.c_void_p]
_change_config2.restype = wintypes.BOOL
_query_status = _advapi32.QueryServiceStatusEx
_query_status.argtypes = [
    _handle,
    ctypes.c_int,
    ctypes.c_void_p,
    wintypes.DWORD,
    ctypes.POINTER(wintypes.DWORD),
]
_query_status.restype = wintypes.BOOL
_start_service = _advapi32.StartServiceW
_start_service.argtypes = [_handle, wintypes.DWORD, ctypes.c_void_p]
_start_service.restype = wintypes.BOOL
_control_service = _advapi32.ControlService
_control_service.argtypes = [_handle, wintypes.DWORD, ctypes.c_void_p]
_control_service.restype = wintypes.BOOL
_delete_service = _advapi32.DeleteService
_delete_service.argtypes = [_handle]
_delete_service.restype = wintypes.BOOL
_close_service = _advapi32.CloseServiceHandle
_close_service.argtypes = [_handle]
_close_service.restype = wintypes.BOOL
_open_process = _kernel32.OpenProcess
_open_process.argtypes = [wintypes.DWORD, wintypes.BOOL, wintypes.DWORD]
_open_process.restype = _handle
_wait = _kernel32.WaitForSingleObject
_wait.argtypes = [_handle, wintypes.DWORD]
_wait.restype = wintypes.DWORD


class WindowsServices:
    """The services of this machine."""

    def __init__(self, registry: WindowsRegistry) -> None:
        self._registry = registry

    def get(self, name: str) -> ServiceDefinition | None:
        key = _SERVICES + name
        handle = _open_service(_manager(), name, _QUERY_STATUS)
        if not handle:
            if ctypes.get_last_error() == _NOT_FOUND:
                return None
            raise last_failure("open the service", name)
        _close_service(handle)
        delays, reset_s = _read_failure_actions(self._registry.raw(key, "FailureActions"))
        start = self._number(key, "Start")
        delayed = start == _START["auto"] and self._number(key, "DelayedAutostart")
        return ServiceDefinition(
            command=self._text(key, "ImagePath"),
            display_name=self._text(key, "DisplayName") or name,
            start=_DELAYED if delayed else _START_NAMES.get(start, str(start)),
            depends_on=self._list(key, "DependOnService"),
            environment=self._list(key, "Environment"),
            restart_delays_ms=delays,
            reset_s=reset_s,
        )

    def running(self, name: str) -> bool:
        handle = _open_service(_manager(), name, _QUERY_STATUS)
        if not handle:
            return False
        try:
            return _status(handle, name).state in (SERVICE_START_PENDING, SERVICE_RUNNING)
        finally:
            _close_service(handle)

    def status(self, name: str) -> ServiceStatus | None:
        """What the service manager says of a service now."""
        handle = _open_service(_manager(), name, _QUERY_STATUS)
        if not handle:
            return None
        try:
            found = _status(handle, name)
        finally:
            _close_service(handle)
        code = found.service_exit_code if found.exit_code == _SERVICE_SPECIFIC else found.exit_code
        return ServiceStatus(state=_STATES[found.state], exit_code=code)

    def put(self, name: str, definition: ServiceDefinition | None) -> None:
        if definition is None:
            self._delete(name)
            return
        found = self.get(name)
        if found is None:
            _create(name, definition)
        before = found or _AS_CREATED
        delayed = definition.start == _DELAYED
        with _service(name) as handle:
            if found is not None or definition.depends_on:
                _configure(handle, name, definition)
            if _recovery(before) != _recovery(definition):
                _set_failure_actions(handle, name, definition)
            if delayed != (before.start == _DELAYED):
                _set_delayed(handle, name, delayed=delayed)
        environment = definition.environment
        if environment != before.environment:
            data = RegistryData("multi-string", environment) if environment else None
            self._registry.put(_SERVICES + name, "Environment", data)

    def start(self, name: str) -> None:
        began = time.monotonic()
        deadline = began + _WAIT_S
        with _service(name) as handle:
            if not _start_service(handle, 0, None):
                code = ctypes.get_last_error()
                # Said at once, it is not about time: there is nobody left who could report.
                if code == _NOT_IN_TIME and time.monotonic() - began < _REPORT_S:
                    raise PermanentError(
                        f"the service {name} ended before it reported (error {code})",
                        subject=name,
                        hint="Its log says why.",
                    )
                if code != _ALREADY_RUNNING:
                    raise failure("start the service", name, code)
            while (status := _status(handle, name)).state != SERVICE_RUNNING:
                if status.state == SERVICE_STOPPED:
                    raise PermanentError(
                        f"the service {name} ended as it started (exit code {status.exit_code})",
                        subject=name,
                        hint="Its log says why.",
                    )
                _pause(deadline, f"the service {name} does not come to run", name)

    def stop(self, name: str) -> None:
        # One that is just stopping is waited for too: its program is still in use.
        if (found := self.status(name)) is None or found.state == _STATES[SERVICE_STOPPED]:
            return
        deadline = time.monotonic() + _WAIT_S
        with _service(name) as handle, _process(_status(handle, name).process) as process:
            while True:
                status = ServiceProcessStatus()
                if _control_service(handle, _CONTROL_STOP, ctypes.byref(status)):
                    break
                code = ctypes.get_last_error()
                # A service that ends quickly is gone before it has answered.
                if code in (_NOT_ACTIVE, _BROKEN_PIPE):
                    break
                error = failure("stop the service", name, code)
                if not isinstance(error, TemporaryError):
                    raise error
                _pause(deadline, error.message, name)
            while _status(handle, name).state != SERVICE_STOPPED:
                _pause(deadline, f"the service {name} does not stop", name)
            # The service manager says stopped while the process still holds its program open.
            while process and _wait(process, int(_POLL_S * 1000)) == _WAIT_TIMEOUT:
                _pause(deadline, f"the process of service {name} does not end", name)

    def delete(self, name: str) -> None:
        """Delete a service; one that runs goes when it ends."""
        with _service(name) as handle:
            if not _delete_service(handle):
                raise last_failure("delete the service", name)

    def _delete(self, name: str) -> None:
        if self.get(name) is None:
            return
        self.stop(name)
        self.delete(name)
        deadline = time.monotonic() + _WAIT_S
        while self.get(name) is not None:
            _pause(deadline, f"the service {name} is deleted but some program holds it open", name)

    def _text(self, key: str, name: str) -> str:
        found = self._registry.get(key, name)
        return "" if found is None else str(found.value)

    def _number(self, key: str, name: str) -> int:
        found = self._registry.get(key, name)
        return found.value if found is not None and isinstance(found.value, int) else 0

    def _list(self, key: str, name: str) -> tuple[str, ...]:
        found = self._registry.get(key, name)
        return found.value if found is not None and isinstance(found.value, tuple) else ()


@cache
def _manager(access: int = _CONNECT) -> int:
    """The service manager, which stays open: to open it takes longer than to ask it anything."""
    manager: int = _open_manager(None, None, access)
    if not manager:
        raise last_failure("open", "the service manager")
    return manager


@contextmanager
def _service(name: str) -> Iterator[int]:
    handle = _open_service(_manager(), name, _ALL_ACCESS_SERVICE)
    if not handle:
        raise last_failure("open the service", name)
    try:
        yield handle
    finally:
        _close_service(handle)


@contextmanager
def _process(number: int) -> Iterator[int | None]:
    handle = _open_process(_SYNCHRONIZE, False, number) if number else None
    try:
        yield handle
    finally:
        if handle:
            close_handle(handle)


def _create(name: str, definition: ServiceDefinition) -> None:
    handle = _create_service(
        _manager(_ALL_ACCESS_MANAGER),
        name,
        definition.display_name,
        _ALL_ACCESS_SERVICE,
        _OWN_PROCESS,
        _START[definition.start],
        _ERROR_NORMAL,
        definition.command,
        None,
        None,
        None,
        None,
        None,
    )
    if not handle:
        raise last_failure("make the service", name)
    _close_service(handle)


def _configure(handle: int, name: str, definition: ServiceDefinition) -> None:
    dependencies = ctypes.create_unicode_buffer("\0".join(definition.depends_on) + "\0")
    changed = _change_config(
        handle,
        _NO_CHANGE,
        _START[definition.start],
        _NO_CHANGE,
        definition.command,
        None,
        None,
        ctypes.addressof(dependencies),
        None,
        None,
        definition.display_name,
    )
    if not changed:
        raise last_failure("change the service", name)


def _recovery(definition: ServiceDefinition) -> tuple[tuple[int, ...], int]:
    return definition.restart_delays_ms, definition.reset_s


def _set_delayed(handle: int, name: str, *, delayed: bool) -> None:
    flag = wintypes.BOOL(delayed)
    if not _change_config2(handle, _DELAYED_INFO, ctypes.byref(flag)):
        raise last_failure("set the start of service", name)


def _set_failure_actions(handle: int, name: str, definition: ServiceDefinition) -> None:
    delays = definition.restart_delays_ms
    # At least one element: a null array means "leave the actions as they are".
    actions = (_Action * max(1, len(delays)))(*[_Action(_ACTION_RESTART, ms) for ms in delays])
    info = _FailureActions(
        reset_s=definition.reset_s,
        message="",
        command="",
        count=len(delays),
        actions=ctypes.cast(actions, ctypes.POINTER(_Action)),
    )
    if not _change_config2(handle, _FAILURE_ACTIONS, ctypes.byref(info)):
        raise last_failure("set the recovery of service", name)


def _read_failure_actions(found: tuple[object, int] | None) -> tuple[tuple[int, ...], int]:
    """Read the stored form: reset, two offsets, count, offset of the actions, then the actions."""
    header = 20
    if found is None or not isinstance(found[0], bytes) or len(found[0]) < header:
        return (), 0
    data = found[0]
    words = [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data) - 3, 4)]
    count, first = words[3], header // 4
    return tuple(words[first + 1 : first + 2 * count : 2]), words[0]


def _status(handle: int, name: str) -> ServiceProcessStatus:
    status, needed = ServiceProcessStatus(), wintypes.DWORD()
    if not _query_status(
        handle, 0, ctypes.byref(status), ctypes.sizeof(status), ctypes.byref(needed)
    ):
        raise last_failure("ask about the service", name)
    return status


def _pause(deadline: float, message: str, subject: str) -> None:
    if time.monotonic() >= deadline:
        raise PermanentError(message, subject=subject, hint="Look at it with services.msc.")
    time.sleep(_POLL_S)
