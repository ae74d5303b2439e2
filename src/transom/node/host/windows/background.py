"""Work that outlives the session that starts it: a transient service, fed through a named pipe.

Making the first HNS network cuts every session to the host, so the starter only hands over. The
request, which may hold a token, goes through a pipe that only SYSTEM and administrators can open and
is never on the disk or a command line. The service deletes itself when its work is over.
"""

import sys

assert sys.platform == "win32"

import ctypes
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import wintypes

from transom.errors import NotBegun, PermanentError, TemporaryError
from transom.node.host.quoting import join_arguments
from transom.node.host.values import ServiceDefinition
from transom.node.host.windows.error import failure, last_failure, translated
from transom.node.host.windows.handles import (
    INVALID_HANDLE,
    SERVICE_RUNNING,
    SERVICE_STOP_PENDING,
    SERVICE_STOPPED,
    ServiceStatus,
    close_handle,
    flush_file_buffers,
    write_file,
)
from transom.node.host.windows.security import descriptor_from
from transom.node.host.windows.services import WindowsServices

SERVICE = "transom-run"
_PIPE = r"\\.\pipe\transom-run"
_ADMINISTRATORS_ONLY = "D:P(A;;GA;;;SY)(A;;GA;;;BA)"
_HAND_OVER_S = 60.0
_CANCEL_S = 5.0
_RECEIVE_S = 10.0  # the pipe is there before the service starts, or its starter was killed
_START_S = 120.0  # a busy machine takes its time to start Python, and Windows gives up after 30 s
_POLL_S = 0.1

_OUTBOUND, _FIRST_INSTANCE, _REJECT_REMOTE = 0x2, 0x8_0000, 0x8
_BUFFER_BYTES = 1 << 16
_ALREADY_CONNECTED = 535
_PIPE_TAKEN = (5, 231)  # denied, or all of its instances are busy
_OWN_PROCESS = 0x10
_ACCEPT_STOP, _ACCEPT_SHUTDOWN = 0x1, 0x4
_CONTROL_STOP, _CONTROL_SHUTDOWN = 1, 5
_SERVICE_SPECIFIC = 1066
_STOP_HINT_MS = 30_000
_FAILED = 70


class _Security(ctypes.Structure):
    _fields_ = (
        ("length", wintypes.DWORD),
        ("descriptor", ctypes.c_void_p),
        ("inherit", wintypes.BOOL),
    )


_service_main = ctypes.WINFUNCTYPE(None, wintypes.DWORD, ctypes.c_void_p)
_service_handler = ctypes.WINFUNCTYPE(None, wintypes.DWORD)


class _Entry(ctypes.Structure):
    _fields_ = (("name", wintypes.LPWSTR), ("main", _service_main))


_advapi32 = ctypes.WinDLL("advapi32", use_last_error=True)
_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_dispatch = _advapi32.StartServiceCtrlDispatcherW
_dispatch.argtypes = [ctypes.POINTER(_Entry)]
_dispatch.restype = wintypes.BOOL
_register = _advapi32.RegisterServiceCtrlHandlerW
_register.argtypes = [wintypes.LPCWSTR, _service_handler]
_register.restype = wintypes.HANDLE
_set_status = _advapi32.SetServiceStatus
_set_status.argtypes = [wintypes.HANDLE, ctypes.POINTER(ServiceStatus)]
_set_status.restype = wintypes.BOOL
_create_pipe = _kernel32.CreateNamedPipeW
_create_pipe.argtypes = [
    wintypes.LPCWSTR,
    *[wintypes.DWORD] * 6,
    ctypes.POINTER(_Security),
]
_create_pipe.restype = wintypes.HANDLE
_connect_pipe = _kernel32.ConnectNamedPipe
_connect_pipe.argtypes = [wintypes.HANDLE, ctypes.c_void_p]
_connect_pipe.restype = wintypes.BOOL


_cancel_io = _kernel32.CancelIoEx
_cancel_io.argtypes = [wintypes.HANDLE, ctypes.c_void_p]
_cancel_io.restype = wintypes.BOOL


class WindowsBackground:
    """Starts and serves the transient service."""

    def __init__(self, services: WindowsServices) -> None:
        self._services = services

    def start(self, argv: Sequence[str], payload: bytes) -> None:
        """Start the service with that command line and hand the payload over."""
        if self._services.running(SERVICE):
            raise TemporaryError("the host is busy: a run is under way", subject=SERVICE)
        definition = ServiceDefinition(
            command=join_arguments(tuple(argv)), display_name="Transom run", start="demand"
        )
        # The pipe first: only one can have it, so nobody deletes what another is just starting.
        with _pipe() as pipe:
            self._services.put(SERVICE, None)
            self._services.put(SERVICE, definition)
            # A pipe without its reader would wait for ever, so the waiting is done beside.
            taken = threading.Event()
            sender = threading.Thread(target=_send, args=(pipe, payload, taken), daemon=True)
            sender.start()
            try:
                self._start()
                sender.join(_HAND_OVER_S)
            finally:
                # A pipe that somebody still waits at cannot be closed.
                _cancel_io(pipe, None)
                sender.join(_CANCEL_S)
            if not taken.is_set():
                raise NotBegun(
                    "the transient service did not take its request",
                    subject=SERVICE,
                    hint="Run the same command again.",
                )

    def is_started(self) -> bool:
        """Whether the service is there and has not ended."""
        return self._services.running(SERVICE)

    def _start(self) -> None:
        deadline = time.monotonic() + _START_S
        while True:
            try:
                self._services.start(SERVICE)
            except TemporaryError as error:
                if time.monotonic() + error.delay_s > deadline:
                    raise
                time.sleep(error.delay_s)
            else:
                return

    def leave(self, argv: Sequence[str], payload: bytes) -> None:
        """Start a process of its own and hand the payload to its standard input."""
        from transom.node.host.processes import leave_process

        leave_process(argv, payload)

    def serve(self, work: Callable[[bytes], None]) -> None:
        """Be the service: take the payload, work, and go away."""

        def once(_stopped: Callable[[], bool]) -> int:
            try:
                work(_receive())
            finally:
                self._services.delete(SERVICE)
            return 0

        # A run is stopped by the verb cancel, between two steps, so nothing is accepted.
        _dispatch_service(SERVICE, once, accepted=0)

    def be_session(self, work: Callable[[Callable[[], bool]], int]) -> int:
        """Work until done or until this session is asked to end."""
        import signal  # its names take longer to make than a run to start

        asked = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK):
            signal.signal(number, lambda *_: asked.set())
        return work(asked.is_set)

    def be_service(self, name: str, work: Callable[[Callable[[], bool]], int]) -> int:
        """Be a registered service until its work is done or somebody stops it."""
        return _dispatch_service(name, work, accepted=_ACCEPT_STOP | _ACCEPT_SHUTDOWN)


def _dispatch_service(
    name: str, work: Callable[[Callable[[], bool]], int], *, accepted: int
) -> int:
    asked = threading.Event()
    ends: list[int] = []
    failures: list[BaseException] = []

    reporters: list[int] = []
    reporting = threading.Lock()

    def handle(control: int) -> None:
        if control in (_CONTROL_STOP, _CONTROL_SHUTDOWN):
            asked.set()
            # Said at once: who still sees it running after two seconds takes it for one that refused.
            with reporting:
                if reporters and not ends:
                    _report(reporters[0], name, SERVICE_STOP_PENDING)

    handler = _service_handler(handle)

    def run(_count: int, _words: int | None) -> None:
        reporter = _register(name, handler)
        reporters.append(reporter)
        _report(reporter, name, SERVICE_RUNNING, accepted=accepted)
        code = _FAILED
        try:
            code = work(asked.is_set)
        except BaseException as error:  # noqa: BLE001 - handed to the caller below
            failures.append(error)
        finally:
            with reporting:
                ends.append(code)
                _report(reporter, name, SERVICE_STOPPED, exit_code=code)

    table = (_Entry * 2)(_Entry(name, _service_main(run)), _Entry(None, _service_main()))
    if not _dispatch(table):
        raise last_failure("serve as", name)
    if failures:
        raise failures[0]
    return ends[0]


@contextmanager
def _pipe() -> Iterator[int]:
    with descriptor_from(_ADMINISTRATORS_ONLY) as descriptor:
        security = _Security(ctypes.sizeof(_Security), descriptor, False)
        mode = _OUTBOUND | _FIRST_INSTANCE
        sizes = (1, _BUFFER_BYTES, _BUFFER_BYTES, 0)
        pipe = _create_pipe(_PIPE, mode, _REJECT_REMOTE, *sizes, ctypes.byref(security))
        code = ctypes.get_last_error()
    if pipe == INVALID_HANDLE:
        if code in _PIPE_TAKEN:
            raise TemporaryError("the host is busy: another run is just beginning", subject=SERVICE)
        raise failure("make the pipe", _PIPE, code)
    try:
        yield pipe
    finally:
        close_handle(pipe)


def _send(pipe: int, payload: bytes, taken: threading.Event) -> None:
    """Hand the payload over, and say so when the other side has read it all."""
    if not _connect_pipe(pipe, None) and ctypes.get_last_error() != _ALREADY_CONNECTED:
        return
    written, position = wintypes.DWORD(), 0
    while position < len(payload):
        part = payload[position : position + _BUFFER_BYTES]
        if not write_file(pipe, part, len(part), ctypes.byref(written), None):
            return
        position += written.value
    if flush_file_buffers(pipe):
        taken.set()


def _receive() -> bytes:
    deadline = time.monotonic() + _RECEIVE_S
    while True:
        try:
            with translated("read", _PIPE), open(_PIPE, "rb", buffering=0) as pipe:  # noqa: PTH123 - a pipe
                return pipe.readall()
        except PermanentError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)


def _report(reporter: int, name: str, state: int, *, accepted: int = 0, exit_code: int = 0) -> None:
    # The service's own code is told as such, lest it be read as one of Windows' errors.
    win32 = _SERVICE_SPECIFIC if exit_code else 0
    hint = _STOP_HINT_MS if state == SERVICE_STOP_PENDING else 0
    status = ServiceStatus(_OWN_PROCESS, state, accepted, win32, exit_code, 0, hint)
    if not _set_status(reporter, ctypes.byref(status)):
        raise failure("report the state of", name, ctypes.get_last_error())
