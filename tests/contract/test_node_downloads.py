"""The node program's downloads against a real server: resumed, proxied, and honest about failures."""

import os
import socket
import ssl
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme
from tests.contract.web import ProxyServer, Server, body, cut, drip, status

from transom.errors import PermanentError, TemporaryError
from transom.model.request import SourceAccess, SourceHeader
from transom.node.host import downloads
from transom.node.host.downloads import Downloads

ANYBODY = SourceAccess()


class Variables:
    """The machine's environment."""

    def __init__(self, **values):
        self.values = values

    def get(self, name):
        """Give a variable."""
        return self.values.get(name)


@pytest.fixture
def plain(start):
    return start(Server(None))


def read(url, *, offset=0, access=ANYBODY, roots=None, **variables):
    opened = Downloads(Variables(**variables), roots).open(url, offset=offset, access=access)
    with opened as (honoured, chunks):
        return honoured, b"".join(chunks)


def test_a_file_is_read_whole(plain):
    assert read(plain.serve("/f", body(b"content"))) == (True, b"content")


def test_a_download_goes_on_where_it_ended(plain):
    assert read(plain.serve("/f", body(b"content")), offset=3) == (True, b"tent")


def test_a_server_that_ignores_the_range_is_noticed(plain):
    whole = lambda exchange: exchange.answer(200, b"content")  # noqa: E731 - one answer
    assert read(plain.serve("/f", whole), offset=3) == (False, b"content")


def test_a_part_that_is_whole_already_needs_no_more(plain):
    assert read(plain.serve("/f", body(b"content")), offset=7) == (True, b"")


def test_a_broken_connection_is_temporary(plain):
    with pytest.raises(TemporaryError, match="cannot download"):
        read(plain.serve("/f", cut(b"content", 3)))


def test_an_answer_that_is_no_http_is_temporary(plain):
    def nonsense(exchange):
        exchange.wfile.write(b"nonsense\r\n\r\n")
        exchange.close_connection = True

    with pytest.raises(TemporaryError, match="cannot download"):
        read(plain.serve("/f", nonsense))


@pytest.mark.parametrize(("code", "kind"), [(404, PermanentError), (503, TemporaryError)])
def test_a_refusal_is_final_and_an_overload_is_not(plain, code, kind):
    with pytest.raises(kind, match=str(code)):
        read(plain.serve("/f", status(code)))


def test_a_server_that_is_not_there_is_temporary():
    with pytest.raises(TemporaryError):
        read("http://127.0.0.1:9/f")


def test_the_machines_proxy_is_used(plain):
    plain.scripts["http://elsewhere.invalid/f"] = [body(b"by proxy")]
    assert read("http://elsewhere.invalid/f", HTTP_PROXY=plain.url) == (True, b"by proxy")


def test_a_private_authority_is_trusted_only_where_it_was_given(server, ca_file):
    url = server.serve("/f", body(b"content"))
    with pytest.raises(
        PermanentError, match=r"the certificate of 127.0.0.1 is not trusted: unable to"
    ):
        read(url)
    trusted = SourceAccess(authorities=Path(ca_file).read_text(encoding="ascii"))
    assert read(url, access=trusted) == (True, b"content")


class WindowsRoots:
    """Windows as far as roots go: it fetches one when it sees its chain, unless it knows none such."""

    def __init__(self, store, root=b"", *, says=""):
        self.store, self.root, self.says = store, root, says
        self.seen = []

    def fetch(self, chain, host):
        self.seen.append((len(chain), host))
        self.store.write_bytes(self.root)
        return self.says


@pytest.fixture
def store(tmp_path, monkeypatch):
    """The machine's roots: empty, as far as the test's servers go."""
    path = tmp_path / "roots.pem"
    path.write_bytes(trustme.CA().cert_pem.bytes())
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    return path


def test_a_root_that_windows_fetches_on_demand_is_fetched_and_used(server, store, authority):
    url = server.serve("/f", body(b"content"))
    windows = WindowsRoots(store, authority.cert_pem.bytes())
    assert read(url, roots=windows) == (True, b"content")
    assert read(url, roots=windows) == (True, b"content")
    assert [host for _, host in windows.seen] == ["127.0.0.1"]
    assert server.paths() == ["/f", "/f"]


def test_a_root_is_fetched_through_the_proxy_and_for_where_a_redirect_leads(
    server, store, authority, start
):
    proxy = start(ProxyServer())
    there = server.serve("/there", body(b"content")).replace("127.0.0.1", "localhost")
    first = server.serve("/f", status(302, Location=there))
    windows = WindowsRoots(store, authority.cert_pem.bytes())
    secret = SourceHeader(origin=server.url, name="Authorization", value="Bearer s3cr3t")
    found = read(
        first,
        roots=windows,
        access=SourceAccess(headers=(secret,)),
        HTTPS_PROXY=f"http://{proxy.address}",
    )
    assert found == (True, b"content")
    assert len(proxy.asked) == 4  # refused, shown to Windows, tried again, and where it led
    assert [host for _, host in windows.seen] == ["127.0.0.1"]
    assert server.paths() == ["/f", "/there"]


def test_what_windows_does_not_trust_either_is_final_and_told_in_its_words(server, store):
    windows = WindowsRoots(store, says="it ends in a root that is not trusted (0x800B0109)")
    with pytest.raises(PermanentError, match=r"unable to get .*; Windows says: it ends in a root"):
        read(server.serve("/f", body(b"content")), roots=windows)
    assert server.paths() == []


def test_a_root_that_windows_trusts_and_does_not_store_is_final(server, store):
    windows = WindowsRoots(store, trustme.CA().cert_pem.bytes())
    with pytest.raises(PermanentError, match=r"127.0.0.1 is not trusted: unable to get"):
        read(server.serve("/f", body(b"content")), roots=windows)
    assert len(windows.seen) == 1


def test_a_certificate_for_another_name_is_final_and_not_shown_to_windows(start, store, authority):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("elsewhere.invalid").configure_cert(context)
    store.write_bytes(authority.cert_pem.bytes())
    windows = WindowsRoots(store)
    with pytest.raises(PermanentError, match="IP address mismatch"):
        read(start(Server(context)).serve("/f", body(b"content")), roots=windows)
    assert windows.seen == []


def test_a_certificate_that_is_over_is_final_and_the_clock_is_named(start, store, authority):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    over = datetime.now(UTC) - timedelta(days=1)
    authority.issue_cert("127.0.0.1", not_after=over).configure_cert(context)
    store.write_bytes(authority.cert_pem.bytes())
    with pytest.raises(PermanentError, match="certificate has expired") as raised:
        read(start(Server(context)).serve("/f", body(b"content")))
    assert "w32tm" in raised.value.hint


@pytest.mark.usefixtures("strict_python")
def test_an_authority_without_key_identifiers_is_trusted_where_it_was_given(start, bare):
    authorities, context = bare
    url = start(Server(context)).serve("/f", body(b"content"))
    assert read(url, access=SourceAccess(authorities=authorities)) == (True, b"content")
    with pytest.raises(PermanentError, match="is not trusted"):
        read(url)


def test_a_header_does_not_follow_a_redirect_to_another_host_on_the_same_port(plain):
    plain.serve("/there", body(b"content"))
    there = f"http://localhost:{plain.server_port}/there"
    url = plain.serve("/f", status(302, Location=there))
    header = SourceHeader(origin=plain.url, name="Authorization", value="Bearer s3cr3t")
    assert read(url, access=SourceAccess(headers=(header,))) == (True, b"content")
    seen = dict(plain.seen)
    assert seen["/f"]["authorization"] == "Bearer s3cr3t"
    assert "authorization" not in seen["/there"]


def test_a_header_for_https_is_not_sent_over_http_to_the_same_host_and_port(plain):
    origin = plain.url.replace("http://", "https://")
    header = SourceHeader(origin=origin, name="Authorization", value="Bearer s3cr3t")
    access = SourceAccess(headers=(header,))
    assert read(plain.serve("/f", body(b"content")), access=access) == (True, b"content")
    ((_, seen),) = plain.seen
    assert "authorization" not in seen


def test_a_body_in_chunks_that_ends_within_one_is_temporary(plain):
    def torn(exchange):
        exchange.send_response(200)
        exchange.send_header("Transfer-Encoding", "chunked")
        exchange.end_headers()
        exchange.wfile.write(b"3\r\nabc\r\n8\r\nd")
        exchange.close_connection = True

    with pytest.raises(TemporaryError, match=r"cannot download .*IncompleteRead"):
        read(plain.serve("/f", torn))


def reset(content, after):
    """Promise the whole, and reset the connection after so many bytes."""

    def handle(exchange):
        exchange.send_response(200)
        exchange.send_header("Content-Length", str(len(content)))
        exchange.end_headers()
        exchange.wfile.write(content[:after])
        exchange.wfile.flush()
        abort = struct.pack("ii", 1, 0)
        exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, abort)
        os.close(exchange.connection.detach())

    return handle


def test_a_connection_that_is_reset_in_mid_body_is_temporary(plain):
    with pytest.raises(TemporaryError, match=r"cannot download .*reset"):
        read(plain.serve("/f", reset(b"content" * (1 << 18), 1 << 20)))


def test_a_server_that_falls_silent_in_mid_body_is_temporary(plain, monkeypatch):
    monkeypatch.setattr(downloads, "_TIMEOUT_S", 0.2)
    with pytest.raises(TemporaryError, match=r"cannot download .*timed out"):
        read(plain.serve("/f", drip(b"content", pause_s=2)))


def test_a_header_goes_to_its_origin_and_does_not_follow_a_redirect(plain, start):
    other = start(Server(None))
    there = other.serve("/f", body(b"content"))
    url = plain.serve("/f", status(302, Location=there))
    header = SourceHeader(origin=plain.url, name="Authorization", value="Bearer s3cr3t")
    assert read(url, access=SourceAccess(headers=(header,))) == (True, b"content")
    ((_, first),) = plain.seen
    ((_, second),) = other.seen
    assert first["authorization"] == "Bearer s3cr3t"
    assert "authorization" not in second
    assert "s3cr3t" not in repr(header)
