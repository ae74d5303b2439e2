"""A host that is not there is an error one can act on, not a traceback."""

import pytest

from transom.errors import TemporaryError
from transom_lab.hns.client import HnsClient


def test_a_host_that_is_not_there_may_come_later(tmp_path):
    with pytest.raises(TemporaryError, match="cannot reach the HNS stand-in"):
        HnsClient(tmp_path / "none").state()
