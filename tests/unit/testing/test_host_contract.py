"""The simulated host keeps the promises that `selftest` asks of a Windows host and of the lab's."""

import pytest
from tests.support import simulated_python
from tests.support.node import new_host

from transom.errors import PermanentError
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.node.verbs.contract import promises
from transom.node.verbs.selftest import be_service, selftest

PROGRAM = Layout().program
PROMISES = promises(PROGRAM)


@pytest.fixture
def host():
    host = new_host()
    simulated_python.install(host)
    host.flush()
    return host


@pytest.mark.parametrize("name", PROMISES)
def test_the_simulated_host_keeps_the_contract(host, name):
    first = host.snapshot()
    assert PROMISES[name](host)
    assert host.snapshot() == first
    assert host.files.kind(Layout().old) is PathKind.ABSENT


def test_a_broken_host_is_reported_and_not_a_crash(host, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise PermanentError("no")

    monkeypatch.setattr(host, "flush", refuse)
    monkeypatch.setattr(host.registry, "delete_key", lambda _key: None)
    report = selftest(host, program=PROGRAM)
    found = {check.check: check.problem for check in report.checks if check.problem}
    assert found == {
        "a registry value needs its key": "the host answered otherwise",
        "a key goes with all that is below it": "the host answered otherwise",
        "everything can be flushed": "no",
    }
    assert report.failed == 3


def test_a_lock_that_keeps_nobody_out_is_noticed(host):
    class Forgetful(dict[str, str]):
        def __contains__(self, key):
            return False

    host.disk.locks = Forgetful()
    assert not PROMISES["a lock keeps others out, names its holder and ends"](host)


def test_the_service_of_the_self_test_ends_when_it_is_stopped_or_forgotten(host):
    asked = iter((False, False, True))
    host.background.asked_to_stop = lambda: next(asked)
    began = host.clock.monotonic()
    assert be_service(host, "transom-selftest") == 0
    assert host.clock.monotonic() - began < 1
    host.background.asked_to_stop = lambda: False
    assert be_service(host, "transom-selftest") == 0
    assert 60 <= host.clock.monotonic() - began < 70
