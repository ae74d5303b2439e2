"""Real servers on this machine, and a client that trusts them."""

import ssl
from contextlib import ExitStack

import pytest
import trustme
from tests.contract.web import FakeClock, Server, bare_chain, running, tls

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


@pytest.fixture(scope="session")
def bare(tmp_path_factory):
    """A chain without key identifiers: its authority as PEM, and TLS for a server that shows it."""
    return bare_chain(tmp_path_factory.mktemp("bare"))


@pytest.fixture
def strict_python(monkeypatch):
    """Python 3.13 and later, whose default context asks for what RFC 5280 wants of authorities."""
    make = ssl.create_default_context

    def strict(*args, **options):
        context = make(*args, **options)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    for name in ("create_default_context", "_create_default_https_context"):
        monkeypatch.setattr(ssl, name, strict)
