"""The simulated host keeps the contract that `selftest` asks of a Windows host."""

import pytest

from transom.errors import PermanentError
from transom.node.verbs import selftest


@pytest.mark.parametrize("name", selftest.CHECKS)
def test_the_simulated_host_keeps_the_contract(make_host, name):
    host = make_host()
    first = host.snapshot()
    assert selftest.CHECKS[name](host)
    assert host.snapshot() == first


def test_a_broken_host_is_reported_and_not_a_crash(make_host, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise PermanentError("no")

    host = make_host()
    host.disk.acl = lambda _path: "D:(A;;FA;;;WD)"  # also of what is not there
    monkeypatch.setattr(host, "flush", refuse)
    report = selftest.selftest(host)
    assert [c.problem for c in report.checks if c.problem] == [
        "the host answered otherwise",
        "the host answered otherwise",
        "no",
    ]
    assert report.failed == 3


def test_a_lock_that_keeps_nobody_out_is_noticed(make_host):
    host = make_host()

    class Forgetful(dict[str, str]):
        def __contains__(self, key):
            return False

    host.disk.locks = Forgetful()
    assert not selftest.CHECKS["a lock keeps others out and names its holder"](host)
