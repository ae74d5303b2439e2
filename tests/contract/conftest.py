"""Real servers on this machine, and a client that trusts them."""

from contextlib import ExitStack

import pytest
import trustme
from tests.contract.web import FakeClock, Server, running, tls

from transom.remote.download import Downloader
from transom.remote.https import Https


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture(scope="module")
def context(authority):
    return tls(authority)


@pytest.fixture
def ca_file(authority, tmp_path):
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@pytest.fixture
def start():
    """Start servers that end with the test."""
    with ExitStack() as stack:

        def started(server):
            stack.enter_context(running(server))
            return server

        yield started


@pytest.fixture
def server(context, start):
    return start(Server(context))


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def downloader(ca_file, clock):
    return Downloader(Https(ca_file=ca_file), clock=clock)


@pytest.fixture
def target(tmp_path):
    return tmp_path / "kubelet.exe"
