"""Programs of the machine, run to their end under a deadline and described when they fail.

A program that stays is a room's business (`namespaces`).
"""

import os
import selectors
import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO

from transom.errors import PermanentError

_CHUNK = 1 << 16
_TICK_S = 0.05
_LAST_WORDS_S = 0.2


def mortal(argv: Sequence[str]) -> list[str]:
    """The same command, ended by the kernel with the process that started it, however that ends."""
    return ["setpriv", "--pdeathsig", "KILL", *argv]


def run_program(
    argv: Sequence[str],
    *,
    timeout_s: float,
    env: Mapping[str, str] | None,
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run to the end under a deadline, in this process's environment unless one is given.

    The end is that of the program itself: a service that it started may keep its output open.
    Windows programs get pipes, because in Wine some refuse a file they cannot name.
    """
    child = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    )
    with child:
        try:
            out, err = _converse(child, stdin, time.monotonic() + timeout_s)
        except TimeoutError:
            child.kill()
            raise PermanentError(
                f"{shlex.join(argv)} did not end within {timeout_s:.0f} s", subject=argv[0]
            ) from None
    return subprocess.CompletedProcess(argv, child.returncode, out, err)


def _converse(child: subprocess.Popen[bytes], stdin: bytes, deadline: float) -> tuple[bytes, bytes]:
    """Feed and read the program until it has ended and its last words were read."""
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    heard: dict[IO[bytes], bytearray] = {child.stdout: bytearray(), child.stderr: bytearray()}
    with selectors.DefaultSelector() as selector:
        for stream in heard:
            selector.register(stream, selectors.EVENT_READ)
        left = memoryview(stdin)
        os.set_blocking(child.stdin.fileno(), False)
        quiet_since = time.monotonic()
        while selector.get_map():
            left = _feed(child.stdin, left)
            events = selector.select(_TICK_S)
            for key, _ in events:
                stream = next(s for s in heard if s is key.fileobj)
                chunk = os.read(stream.fileno(), _CHUNK)
                heard[stream] += chunk
                if not chunk:
                    selector.unregister(stream)
            now = time.monotonic()
            if events or child.poll() is None:
                quiet_since = now
            if now - quiet_since > _LAST_WORDS_S:
                break
            if now > deadline:
                raise TimeoutError
    while child.poll() is None:
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(_TICK_S)
    return bytes(heard[child.stdout]), bytes(heard[child.stderr])


def _feed(stream: IO[bytes], left: memoryview) -> memoryview:
    """Write what fits; close the program's input when nothing is left."""
    if stream.closed:
        return left
    try:
        while left:
            left = left[os.write(stream.fileno(), left[:_CHUNK]) :]
    except BlockingIOError:
        return left
    except BrokenPipeError:
        left = left[:0]
    stream.close()
    return left


def failed(argv: Sequence[str], done: subprocess.CompletedProcess[bytes]) -> PermanentError:
    """Describe a program that answered with an exit code, with the end of what it said."""
    said = (done.stderr or done.stdout).decode(errors="replace").strip()[-2000:]
    return PermanentError(
        f"{shlex.join(argv)} failed with exit code {done.returncode}: {said}", subject=argv[0]
    )
