"""Outside programs by argument list, with a deadline and with secrets masked in their output."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence

from transom.errors import PermanentError, TemporaryError, TransomError
from transom.node.host.values import Completed

_GRACE_S = 5.0
# ERROR_INTERNAL_ERROR: the new process was lost before its first instruction.
_INTERNAL_ERROR = 1359


class RealProcesses:
    """Starts programs of this machine; none gets a shell or our standard input."""

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float,
        secrets: tuple[str, ...] = (),
        search: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        stdin: bytes = b"",
    ) -> Completed:
        try:
            process = subprocess.Popen(  # noqa: S603 - an argument list, never a shell
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={
                    **os.environ,
                    "PATH": os.pathsep.join((*search, os.environ.get("PATH", ""))),
                    **(environment or {}),
                },
            )
        except OSError as error:
            raise _unstarted(argv[0], error) from error
        try:
            output, _ = process.communicate(stdin, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            said = mask(_last_words(process).decode("utf-8", "replace"), secrets)
            raise PermanentError(
                f"{argv[0]} did not end within {timeout_s:.0f} s: {said[-500:].strip()}",
                subject=argv[0],
                hint="Look for what it waits for; the end of its output is above.",
            ) from None
        return Completed(
            code=process.returncode, output=mask(output.decode("utf-8", "replace"), secrets)
        )

    def start(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        output: Callable[[bytes], None],
    ) -> "RealChild":
        try:
            process = subprocess.Popen(  # noqa: S603 - an argument list, never a shell
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                env={**os.environ, **environment},
            )
        except OSError as error:
            raise _unstarted(argv[0], error) from error
        return RealChild(process, output)

    def variable(self, name: str) -> str:
        return os.environ.get(name, "")


class RealChild:
    """A program beside this one; Windows ends it with us even where we are ended by force."""

    def __init__(self, process: "subprocess.Popen[bytes]", output: Callable[[bytes], None]) -> None:
        self._process = process
        if sys.platform == "win32":
            from transom.node.host.windows.job import Job

            self._job = Job(process.pid)
        self._reader = threading.Thread(target=self._read, args=(output,), daemon=True)
        self._reader.start()

    def ended(self) -> int | None:
        code = self._process.poll()
        if code is not None:
            self._reader.join(_GRACE_S)  # its last words first
        return code

    def stop(self) -> None:
        if self._process.poll() is None:
            self._ask_to_end()
            try:
                self._process.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(_GRACE_S)

    def _ask_to_end(self) -> None:
        try:
            if sys.platform == "win32":
                self._process.send_signal(signal.CTRL_BREAK_EVENT)
            else:
                self._process.terminate()
        except OSError:
            self._process.kill()  # a service has no console to send the signal through

    def _read(self, output: Callable[[bytes], None]) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                output(line)


def hand_over(argv: Sequence[str]) -> int:
    """Run a program in place of this one: with our streams, ended with us, and our end is its own."""
    try:
        # Handles are passed on as they are: those of a service may be none, or pipes of kube-log-runner.
        process = subprocess.Popen(list(argv), close_fds=False)  # noqa: S603 - an argument list
    except OSError as error:
        raise _unstarted(argv[0], error) from error
    if sys.platform == "win32":
        from transom.node.host.windows.job import Job

        try:
            job = Job(process.pid)  # noqa: F841 - held until the program has ended
        except TransomError:
            process.kill()  # nobody would end it with us
            raise
    return process.wait()


def _last_words(process: "subprocess.Popen[bytes]") -> bytes:
    """End a process, and give what it said; what it started itself may keep its output open for ever."""
    process.kill()
    try:
        return process.communicate(timeout=_GRACE_S)[0]
    except subprocess.TimeoutExpired as error:
        return error.output or b""


def leave_process(argv: Sequence[str], payload: bytes) -> None:
    """Start a process that goes on when this one ends, and leave it the payload on its stdin.

    It need not have read it when this returns: a Python takes a second to come so far.
    """
    # Detached from our console and session; the number is Windows' own and unknown elsewhere.
    flags = getattr(subprocess, "DETACHED_PROCESS", 0)
    reader, writer = _pipe(len(payload))
    try:
        with open(writer, "wb") as pipe, open(reader, "rb") as stdin:  # noqa: PTH123 - descriptors
            subprocess.Popen(  # noqa: S603 - an argument list, never a shell
                list(argv),
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                creationflags=flags,
            )
            pipe.write(payload)
    except OSError as error:
        raise _unstarted(argv[0], error) from error


def _unstarted(program: str, error: OSError) -> TransomError:
    """A program that did not begin has changed nothing, so another try is safe where it may help."""
    kind = TemporaryError if getattr(error, "winerror", 0) == _INTERNAL_ERROR else PermanentError
    return kind(f"cannot start {program}: {error}", subject=program)


def _pipe(room: int) -> tuple[int, int]:
    """A pipe that takes so many bytes before anybody reads; where Windows is not, 64 KiB."""
    if sys.platform == "win32":
        import _winapi
        import msvcrt

        ends = _winapi.CreatePipe(None, room)
        return msvcrt.open_osfhandle(ends[0], os.O_RDONLY), msvcrt.open_osfhandle(ends[1], 0)
    else:  # noqa: RET505 - by which mypy knows the platform
        return os.pipe()


def mask(text: str, secrets: tuple[str, ...]) -> str:
    """The text without any of the secrets."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text
