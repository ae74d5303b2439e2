"""Which errors of Windows are worth another try; read here, raised only on Windows."""

import importlib
import sys

import pytest

from transom.errors import PermanentError, TemporaryError


@pytest.fixture
def failure(monkeypatch):
    """The function that makes an error of a number, with Windows' own words stood in for."""
    import ctypes

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "FormatError", lambda code: f"words of {code}", raising=False)
    return importlib.import_module("transom.node.host.windows.error").failure


@pytest.mark.parametrize("code", [32, 33, 1053, 1061, 1072])
def test_what_passes_by_itself_is_temporary(failure, code):
    error = failure("start the service", "kubelet", code)
    assert isinstance(error, TemporaryError)
    assert f"(error {code})" in error.message


def test_everything_else_is_permanent_in_the_words_of_windows(failure):
    error = failure("start the service", "kubelet", 5)
    assert isinstance(error, PermanentError)
    assert error.message == "cannot start the service kubelet: words of 5 (error 5)"
