"""The door for downloads, against real HTTPS servers and a proxy on this machine."""

import hashlib

import pytest
from tests.contract.web import ProxyServer, Server, body, cut, drip, silence, status

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.remote.download import Downloader, Patience
from transom.remote.https import Header, Https, NotThere, Proxy

CONTENT = bytes(range(256)) * 400
SUM = hashlib.sha256(CONTENT).hexdigest()
OTHER = b"tampered" * 100
SECRET = "Bearer s3cr3t-value"


def test_gives_the_file_its_sum_and_its_size(server, downloader, target):
    url = server.serve("/f", body(CONTENT))
    seen = []
    got = downloader.file(url, target, sha256=SUM, progress=lambda *step: seen.append(step))
    assert (got.sha256, got.size) == (SUM, len(CONTENT))
    assert target.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))


def test_leaves_nothing_behind_when_the_sum_is_wrong(server, downloader, target):
    url = server.serve("/f", body(OTHER))
    with pytest.raises(PermanentError, match=f"not {SUM}"):
        downloader.file(url, target, sha256=SUM)
    assert [path.name for path in target.parent.iterdir()] == ["ca.pem"]
    assert server.paths() == ["/f"]


def test_continues_where_a_connection_broke(server, downloader, target, clock):
    url = server.serve("/f", cut(CONTENT, 5000, etag='"a"'), body(CONTENT, etag='"a"'))
    assert downloader.file(url, target).sha256 == SUM
    assert server.seen[1][1]["range"] == "bytes=5000-"
    assert server.seen[1][1]["if-range"] == '"a"'
    assert clock.waits == [0.5]


def test_starts_again_when_the_file_changed_meanwhile(server, downloader, target):
    url = server.serve("/f", cut(OTHER, 50, etag='"a"'), body(CONTENT, etag='"b"'))
    assert downloader.file(url, target).sha256 == SUM
    assert target.read_bytes() == CONTENT


def test_trusts_no_part_that_nothing_vouches_for(server, downloader, target):
    """Without a sum and without a tag the whole file is asked for again."""
    url = server.serve("/f", cut(OTHER, 50), body(CONTENT))
    target.with_name("kubelet.exe.part").write_bytes(OTHER)
    assert downloader.file(url, target).sha256 == SUM
    assert all("range" not in headers for _, headers in server.seen)


def test_continues_a_part_of_an_earlier_run(server, downloader, target):
    url = server.serve("/f", body(CONTENT))
    target.with_name("kubelet.exe.part").write_bytes(CONTENT[:7000])
    assert downloader.file(url, target, sha256=SUM).size == len(CONTENT)
    assert server.seen[0][1]["range"] == "bytes=7000-"


@pytest.mark.parametrize("part", [OTHER, CONTENT + OTHER], ids=["of other bytes", "too long"])
def test_throws_a_bad_part_away(server, downloader, target, part):
    url = server.serve("/f", body(CONTENT))
    target.with_name("kubelet.exe.part").write_bytes(part)
    assert downloader.file(url, target, sha256=SUM).sha256 == SUM
    assert target.read_bytes() == CONTENT


def test_waits_as_long_as_a_busy_server_asks(server, downloader, target, clock):
    url = server.serve("/f", status(503, Retry_After="7"), status(503), body(CONTENT))
    assert downloader.file(url, target).sha256 == SUM
    assert clock.waits == [7.0, 1.0]


def test_gives_up_on_a_server_that_stays_busy(server, downloader, target, clock):
    url = server.serve("/f", status(503))
    with pytest.raises(TemporaryError, match="503"):
        downloader.file(url, target)
    assert clock.waits == [0.5, 1.0, 2.0, 4.0, 8.0]


def test_does_not_give_up_on_a_server_that_breaks_often_and_gets_on(server, downloader, target):
    """Tries are counted from the last byte that arrived."""

    def some(exchange):
        start = int(exchange.headers.get("Range", "bytes=0-").removeprefix("bytes=")[:-1])
        place = f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"
        exchange.send_response(206 if start else 200)
        exchange.send_header("Content-Length", str(len(CONTENT) - start))
        exchange.send_header("Content-Range", place)
        exchange.end_headers()
        exchange.wfile.write(CONTENT[start : start + 10_000])
        exchange.close_connection = True

    url = server.serve("/f", some)
    assert downloader.file(url, target, sha256=SUM).sha256 == SUM
    assert len(server.seen) == 11


def test_does_not_repeat_what_is_not_there(server, downloader, target):
    with pytest.raises(NotThere, match="404"):
        downloader.file(server.url + "/f", target)
    assert server.paths() == ["/f"]


def test_does_not_wait_for_a_slow_server_beyond_the_deadline(server, ca_file, target):
    url = server.serve("/f", drip(CONTENT, pause_s=0.02))
    hasty = Downloader(Https(ca_file=ca_file), patience=Patience(deadline_s=0.3))
    with pytest.raises(TemporaryError, match=r"sends too slowly; gave up after 0\.3 s"):
        hasty.file(url, target)
    assert not target.exists()


def test_does_not_wait_for_a_silent_server_beyond_the_deadline(server, ca_file, target):
    url = server.serve("/f", silence)
    hasty = Downloader(Https(ca_file=ca_file), patience=Patience(deadline_s=0.3))
    with pytest.raises(TemporaryError, match="no answer in time"):
        hasty.file(url, target)


def test_follows_a_redirect_to_another_server(server, start, context, ca_file, target):
    """And the header for the first one stays there."""
    store = start(Server(context))
    url = server.serve("/f", status(302, Location=store.serve("/store?sig=x", body(CONTENT))))
    https = Https(ca_file=ca_file, headers=[Header(server.url, "Authorization", SECRET)])
    assert Downloader(https).file(url, target).sha256 == SUM
    assert server.seen[0][1]["authorization"] == SECRET
    assert "authorization" not in store.seen[0][1]


def test_refuses_a_redirect_to_plain_http(server, start, downloader, target):
    plain = start(Server(None))
    url = server.serve("/f", status(302, Location=plain.serve("/f", body(CONTENT))))
    with pytest.raises(PermanentError, match="do not follow"):
        downloader.file(url, target)
    assert plain.seen == []


def test_shows_no_header_and_no_signed_address_in_errors(server, start, context, ca_file, target):
    store = start(Server(context))
    url = server.serve("/f?x=1", status(302, Location=f"{store.url}/gone?sig=zzyyxx"))
    https = Https(ca_file=ca_file, headers=[Header(server.url, "Authorization", SECRET)])
    with pytest.raises(NotThere) as caught:
        Downloader(https).file(url, target)
    error = caught.value
    said = f"{error.message} {error.subject} {error.hint} {error.__cause__} {https!r}"
    assert "s3cr3t" not in said
    assert "zzyyxx" not in said


def test_trusts_no_server_of_an_unknown_authority(server, clock, target):
    url = server.serve("/f", body(CONTENT))
    with pytest.raises(PermanentError, match="certificate is not trusted") as caught:
        Downloader(Https(), clock=clock).file(url, target)
    assert "--ca-file" in caught.value.hint


@pytest.mark.usefixtures("strict_python")
def test_trusts_a_given_authority_without_key_identifiers(start, bare, clock, tmp_path, target):
    authority, context = bare
    (tmp_path / "bare.pem").write_text(authority)
    url = start(Server(context)).serve("/f", body(CONTENT))
    Downloader(Https(ca_file=str(tmp_path / "bare.pem")), clock=clock).file(url, target, sha256=SUM)
    assert target.read_bytes() == CONTENT


def test_goes_through_the_proxy_with_its_password(server, start, ca_file, target):
    proxy = start(ProxyServer())
    url = server.serve("/f", body(CONTENT))
    https = Https(ca_file=ca_file, proxy=Proxy(f"http://me:pa%20ss@{proxy.address}"))
    assert Downloader(https).file(url, target).sha256 == SUM
    asked, headers = proxy.asked[0]
    assert asked == server.url.removeprefix("https://")
    assert "Proxy-Authorization: Basic bWU6cGEgc3M=" in headers
    assert "proxy-authorization" not in server.seen[0][1]
    assert server.seen[0][1]["host"] == asked


def test_goes_around_the_proxy_where_told(server, start, ca_file, target):
    proxy = start(ProxyServer())
    url = server.serve("/f", body(CONTENT))
    https = Https(ca_file=ca_file, proxy=Proxy(f"http://{proxy.address}", ("127.0.0.0/8",)))
    assert Downloader(https).file(url, target).sha256 == SUM
    assert proxy.asked == []


def test_does_not_repeat_what_the_proxy_refuses(server, start, ca_file, clock, target):
    proxy = start(ProxyServer())
    proxy.refuses = True
    https = Https(ca_file=ca_file, proxy=Proxy(f"http://me:pw@{proxy.address}"))
    with pytest.raises(PermanentError, match="407") as caught:
        Downloader(https, clock=clock).file(server.url + "/f", target)
    assert "pw" not in caught.value.message


def test_starts_again_when_the_server_continues_elsewhere(server, downloader, target):
    elsewhere = status(206, Content_Range="bytes 1-2/3")
    url = server.serve("/f", elsewhere, body(CONTENT))
    target.with_name("kubelet.exe.part").write_bytes(CONTENT[:7000])
    assert downloader.file(url, target, sha256=SUM).sha256 == SUM
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"a" * 4 * 1024 * 1024 + b"b", "too long"), (b"\xff\xfe", "not text")],
)
def test_takes_nothing_for_a_text_that_is_none(server, downloader, content, said):
    with pytest.raises(PermanentError, match=said):
        downloader.text(server.serve("/sums", body(content)))


def test_asks_again_for_a_text_that_was_cut_off(server, downloader):
    url = server.serve("/sums", cut(SUM.encode(), 10), body(SUM.encode()))
    assert downloader.text(url) == SUM


def test_says_how_to_give_a_header_where_one_is_asked_for(server, downloader, target):
    with pytest.raises(PermanentError, match="401") as caught:
        downloader.file(server.serve("/f", status(401)), target)
    assert "--header" in caught.value.hint


def test_does_not_repeat_what_speaks_no_tls(start, downloader, clock, target):
    plain = start(Server(None))
    with pytest.raises(PermanentError) as caught:
        downloader.file(plain.url.replace("http:", "https:") + "/f", target)
    assert "does not speak HTTPS" in caught.value.hint
    assert clock.waits == []


def test_tries_again_where_nobody_listens(context, downloader, clock, target):
    gone = Server(context)
    gone.server_close()
    with pytest.raises(TemporaryError, match="Connection refused"):
        downloader.file(gone.url + "/f", target)
    assert len(clock.waits) == 5


def test_a_disk_that_takes_nothing_is_told_from_a_server(server, downloader, target):
    """The part cannot be written where a folder has its name."""
    url = server.serve("/f", body(CONTENT))
    target.with_name(f"{target.name}.part").mkdir()
    with pytest.raises(UsageError, match=r"cannot write .*kubelet\.exe\.part"):
        downloader.file(url, target)
