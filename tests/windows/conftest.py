"""Tests for a real Windows Server, as an administrator; skipped elsewhere, with the reason."""

import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Nothing here can be pretended."""
    elsewhere = pytest.mark.skipif(sys.platform != "win32", reason="needs a Windows Server")
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(elsewhere)
