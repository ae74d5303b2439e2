"""The node program's downloads against a real server: resumed, proxied, and honest about failures."""

from pathlib import Path

import pytest
from tests.contract.web import Server, body, cut, status

from transom.errors import PermanentError, TemporaryError
from transom.model.request import SourceAccess, SourceHeader
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


def read(url, *, offset=0, access=ANYBODY, **variables):
    opened = Downloads(Variables(**variables)).open(url, offset=offset, access=access)
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
    with pytest.raises(TemporaryError, match="certificate verify failed"):
        read(url)
    trusted = SourceAccess(authorities=Path(ca_file).read_text(encoding="ascii"))
    assert read(url, access=trusted) == (True, b"content")


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
