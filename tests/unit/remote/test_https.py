"""Which proxy, which header and which words: what the door decides before it opens."""

import pytest

from transom.errors import UsageError
from transom.remote.https import Header, Https, Proxy, origin_of, shown

PROXY = "http://proxy.corp:3128"


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        pytest.param({}, Proxy(PROXY, (".corp",)), id="the fleet's, where the machine has none"),
        pytest.param({"HTTPS_PROXY": "http://p"}, Proxy("http://p"), id="the machine's"),
        pytest.param({"https_proxy": ""}, Proxy(""), id="none, where the machine says so"),
        pytest.param(
            {"https_proxy": "http://p", "HTTPS_PROXY": "http://q", "NO_PROXY": "a, .b,"},
            Proxy("http://p", ("a", ".b")),
            id="the machine's with its exceptions",
        ),
        pytest.param({"NO_PROXY": "a"}, Proxy(PROXY, (".corp",)), id="exceptions go with a proxy"),
    ],
)
def test_the_machines_own_proxy_comes_before_the_fleets(environ, wanted):
    assert Proxy.of(environ, url=PROXY, no_proxy=[".corp"]) == wanted


@pytest.mark.parametrize(
    ("entry", "host", "port", "served"),
    [
        ("", "dl.example", 443, True),
        ("*", "dl.example", 443, False),
        ("dl.example", "dl.example", 443, False),
        ("example", "DL.example", 443, False),
        (".example", "dl.example", 443, False),
        ("*.example", "dl.example", 443, False),
        ("ample", "dl.example", 443, True),
        ("dl.example:443", "dl.example", 443, False),
        ("dl.example:8443", "dl.example", 443, True),
        ("10.0.0.0/8", "10.1.2.3", 443, False),
        ("10.1.2.3", "10.1.2.3", 443, False),
        ("10.0.0.0/8", "11.1.2.3", 443, True),
        ("fd00::/8", "fd00::1", 443, False),
    ],
)
def test_exceptions_are_names_suffixes_addresses_and_ranges(entry, host, port, served):
    assert Proxy(PROXY, (entry,) if entry else ()).serves(host, port) is served


def test_without_a_proxy_everything_is_reached_directly():
    assert not Proxy().serves("dl.example", 443)


def test_a_url_is_shown_without_its_secrets():
    url = "https://me:pw@dl.example:8443/k.exe?sig=abc#x"
    assert shown(url) == "https://dl.example:8443/k.exe"


def test_an_origin_is_the_same_with_its_default_port():
    assert origin_of("https://DL.example/a") == origin_of("https://dl.example:443/b")


def test_no_value_of_a_header_or_proxy_is_in_its_repr():
    header = Header("https://dl.example", "Authorization", "s3cr3t")
    assert "s3cr3t" not in repr((header, Proxy("http://me:s3cr3t@proxy")))


@pytest.mark.parametrize("value", ["", " ", "s3cr3t\n", "s3cr3t\r\nHost: evil", "s3cr3té"])
def test_a_header_that_cannot_be_sent_is_refused_without_showing_it(value):
    with pytest.raises(UsageError) as caught:
        Header("https://dl.example", "Authorization", value)
    assert "s3cr3t" not in f"{caught.value.message} {caught.value.hint}"


def test_a_header_is_refused_with_a_wrong_name_or_for_plain_http():
    with pytest.raises(UsageError, match="not the name of a header"):
        Header("https://dl.example", "Bad Name", "x")
    with pytest.raises(UsageError, match="only https://"):
        Header("http://dl.example", "Authorization", "x")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://dl.example/k.exe", "only https://"),
        ("ftp://dl.example/k.exe", "only https://"),
        ("file:///etc/passwd", "only https://"),
        ("https://me:s3cr3t@dl.example/k.exe", "carries a user or password"),
        ("https://dl.example:x/k.exe", "as a URL"),
        ("https://[dl.example/k.exe", "as a URL"),
    ],
)
def test_an_address_that_is_not_plainly_https_is_refused(url, said):
    with pytest.raises(UsageError, match=said) as caught, Https().get(url, timeout_s=1):
        pass
    assert "s3cr3t" not in str(caught.value)


def test_a_proxy_that_is_not_http_is_refused():
    with pytest.raises(UsageError, match="http:// URL") as caught:
        Https(proxy=Proxy("socks5://me:s3cr3t@proxy"))
    assert "s3cr3t" not in str(caught.value)


def test_a_file_that_holds_no_certificates_is_refused(tmp_path):
    empty = tmp_path / "ca.pem"
    empty.write_text("nothing")
    with pytest.raises(UsageError, match="cannot read certificates"):
        Https(ca_file=str(empty))
