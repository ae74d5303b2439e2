"""Outside programs by argument list, with a deadline and with secrets masked in their output."""

import os
import subprocess
from collections.abc import Sequence

from transom.errors import PermanentError
from transom.node.host.values import Completed


class RealProcesses:
    """Starts programs of this machine; none gets a shell or our standard input."""

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float,
        secrets: tuple[str, ...] = (),
        search: tuple[str, ...] = (),
    ) -> Completed:
        try:
            done = subprocess.run(  # noqa: S603 - an argument list, never a shell
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=timeout_s,
                check=False,
                env={**os.environ, "PATH": os.pathsep.join((*search, os.environ.get("PATH", "")))},
            )
        except subprocess.TimeoutExpired as error:
            said = mask((error.output or b"").decode("utf-8", "replace"), secrets)
            raise PermanentError(
                f"{argv[0]} did not end within {timeout_s:.0f} s: {said[-500:].strip()}",
                subject=argv[0],
                hint="Look for what it waits for; the end of its output is above.",
            ) from None
        except OSError as error:
            raise PermanentError(f"cannot start {argv[0]}: {error}", subject=argv[0]) from error
        output = done.stdout.decode("utf-8", "replace")
        return Completed(code=done.returncode, output=mask(output, secrets))


def leave_process(argv: Sequence[str], payload: bytes) -> None:
    """Start a process that goes on when this one ends, and hand it the payload on its stdin."""
    # Detached from our console and session; the number is Windows' own and unknown elsewhere.
    flags = getattr(subprocess, "DETACHED_PROCESS", 0)
    try:
        child = subprocess.Popen(  # noqa: S603 - an argument list, never a shell
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            creationflags=flags,
        )
        assert child.stdin is not None
        with child.stdin as pipe:
            pipe.write(payload)
    except OSError as error:
        raise PermanentError(f"cannot start {argv[0]}: {error}", subject=argv[0]) from error


def mask(text: str, secrets: tuple[str, ...]) -> str:
    """The text without any of the secrets."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text
