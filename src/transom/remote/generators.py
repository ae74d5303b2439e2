"""helm and kustomize, asked what a folder of this machine renders.

Programs get an argument list, a deadline and an environment in which nothing is
fetched; what they print is bounded. Nothing is written, and no cluster is asked.
"""

import os
import shutil
import subprocess  # noqa: TID251 - a door: starts programs by an argument list
import tempfile
from collections.abc import Mapping, Sequence
from threading import Timer
from typing import IO, NamedTuple

from transom.errors import PermanentError

_DEADLINE_S = 60.0
_LARGEST = 64 * 1024 * 1024
_SHOWN = 600
# Nothing listens there: whatever is fetched all the same fails at once.
_NOWHERE = "http://127.0.0.1:9"
_KEPT = ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG")
_OFFLINE = {
    "GIT_ALLOW_PROTOCOL": "file",
    "GIT_TERMINAL_PROMPT": "0",
    "HELM_NO_PLUGINS": "1",
    "HTTP_PROXY": _NOWHERE,
    "HTTPS_PROXY": _NOWHERE,
    "KUBECONFIG": os.devnull,
    "http_proxy": _NOWHERE,
    "https_proxy": _NOWHERE,
}


class Generator(NamedTuple):
    """A program that renders a kind of folder; `fallback` does the same where the first is not there."""

    command: tuple[str, ...]
    fallback: tuple[str, ...] = ()

    def found(self, path: str) -> tuple[str, ...]:
        """The argument list with the program's place, empty where neither is installed."""
        for argv in filter(None, (self.command, self.fallback)):
            program = shutil.which(argv[0], path=path)
            if program is not None:
                return (program, *argv[1:])
        return ()


HELM = Generator(("helm", "template"))
KUSTOMIZE = Generator(("kustomize", "build"), ("kubectl", "kustomize"))


def render(argv: Sequence[str], environ: Mapping[str, str]) -> bytes:
    """What the program prints.

    Raises:
        PermanentError: it could not be started, failed, took too long or printed too much.
    """
    environment = {name: environ[name] for name in _KEPT if name in environ} | _OFFLINE
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(  # noqa: S603 - an argument list, never a shell
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
            )
        except OSError as error:
            raise _failed(argv, error.strerror or str(error)) from error
        late = Timer(_DEADLINE_S, process.kill)
        late.start()
        with process:
            assert process.stdout is not None
            data = process.stdout.read(_LARGEST + 1)
            if len(data) > _LARGEST:
                process.kill()
        is_late = not late.is_alive()
        late.cancel()
        if len(data) > _LARGEST:
            raise _failed(argv, f"it printed more than {_LARGEST // 1024**2} MiB")
        if is_late:
            raise _failed(argv, f"it took more than {_DEADLINE_S:.0f} s")
        if process.returncode:
            raise _failed(argv, _last_words(errors))
    return data


def _last_words(errors: IO[bytes]) -> str:
    errors.seek(0)
    text = errors.read(_LARGEST).decode("utf-8", "replace").strip()
    return " ".join(text.split())[-_SHOWN:] or "it failed and said nothing"


def _failed(argv: Sequence[str], reason: str) -> PermanentError:
    command = " ".join((os.path.basename(argv[0]), *argv[1:]))  # noqa: PTH119 - a name, not a file
    return PermanentError(
        f"`{command}` failed: {reason}",
        subject=argv[-1],
        hint=f"Make `{command}` work, or lint the files as they are with --no-render.",
    )
