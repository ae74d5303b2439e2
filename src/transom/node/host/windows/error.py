"""Errors of Windows as errors of Transom: what failed, on what, with Windows' own number and words."""

import sys

assert sys.platform == "win32"

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

from transom.errors import PermanentError, TemporaryError, TransomError

_FOR_A_WHILE = {
    32: "another process has it open",
    33: "another process has a part of it locked",
    1053: "the service did not report in time",
    1061: "the service is just changing its state",
    1072: "the service is being deleted",
}


def failure(doing: str, subject: str, code: int) -> TransomError:
    """The error for a Win32 error number."""
    words = _FOR_A_WHILE.get(code) or words_of(code)
    message = f"cannot {doing} {subject}: {words} (error {code})"
    if code in _FOR_A_WHILE:
        return TemporaryError(message, subject=subject)
    return PermanentError(message, subject=subject, hint="The number is Windows' own error code.")


def words_of(code: int) -> str:
    """Windows' own words for an error number or an HRESULT, which ctypes takes only as signed."""
    return ctypes.FormatError(ctypes.c_int32(code).value).strip()


def last_failure(doing: str, subject: str) -> TransomError:
    """The error for the call that just failed."""
    return failure(doing, subject, ctypes.get_last_error())


@contextmanager
def translated(doing: str, subject: str) -> Iterator[None]:
    """Turn an OSError of the standard library into ours."""
    try:
        yield
    except OSError as error:
        if error.winerror:
            raise failure(doing, subject, error.winerror) from error
        raise PermanentError(f"cannot {doing} {subject}: {error}", subject=subject) from error
