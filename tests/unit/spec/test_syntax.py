"""Words are spelt as their syntax says, in Transom and in every editor alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from transom.model.version import Version
from transom.spec import syntax
from transom.spec.schema import _syntax

HEX = "0123456789abcdef" * 4

# The syntax; what it takes; what it does not.
WORDS: list[tuple[syntax.Syntax, list[str], list[str]]] = [
    (syntax.NAME, ["a", "web-1", "0"], ["", "-a", "a-", "A", "a.b", "a" * 64]),
    (syntax.HOST_NAME, ["win-01", "WIN_01", "a.b", "a" * 40], ["", "a b", "a/b", "a:1", "a@b"]),
    (syntax.VERSION, ["1.30.0", "1.4.0-beta.2", "2.0.0+a", "20.10.9"],
     ["", "1", "1.30", "v1.37.1", "latest", "1." + "9" * 5000]),
    (syntax.LOOSE_VERSION, ["1.30", "v1.37.1", "1.4.0-beta.2", "2.0.0+a", "20.10.9"],
     ["", "1", "latest", "1.x", "1.2.3.", "v", "1..2", "1." + "9" * 5000]),
    (syntax.VERSION_OR_CLUSTER, ["cluster", "1.30"], ["clusters", "cluster1", ""]),
    (syntax.RELEASE, ["ltsc2022", "20H2", "1809", "2004"],
     ["", "2022", "2019", "Server 2022", "-1", "ltsc22"]),
    (syntax.LOOSE_RELEASE, ["2022", "20H2", "ltsc2022", "10.0.20348"], ["", "Server 2022", "-1"]),
    (syntax.ADDRESS, ["10.0.0.1", "fd00::1"], ["", "10.0.0.256", "010.0.0.1", "a", "10.0.0.1/8"]),
    (syntax.CIDR, ["10.244.0.0/16", "fd00::/64", "10.0.0.1/32"],
     ["", "10.244.0.0", "10.244.0.1/16", "10.244.0.0/33", "a/8"]),
    (syntax.HOST, ["10.0.0.1", "fd00::1", "win-01", "a.b.c", "a.b."],
     ["", "10.0.0.256", "1.2", "a b", "-a", "a..b", "a:1", "a/b"]),
    (syntax.DNS_NAME, ["corp.example", "corp"], ["", "10.0.0.1", ".corp", "a b"]),
    (syntax.POINTER, ["/labels/tier", "/labels/example.com~1tier", "/a"],
     ["", "labels", "/", "/a//b", "/a~2"]),
    (syntax.CREDENTIAL_NAME, ["admins", "web-admins", "a.b"], ["", "A", "a b", "-a"]),
    (syntax.ENDPOINT, ["10.0.0.1:6443", "a.b:1", "[fd00::1]:6443"],
     ["", "a", "a:", "a:0", "a:65536", "fd00::1:6443", "https://a:1", ":1"]),
    (syntax.JUMP, ["bastion", "me@bastion", "me@10.0.0.1:22", "[fd00::1]:22"],
     ["", "@bastion", "a b", "me:pw@bastion", "a@b@c d"]),
    (syntax.URL, ["https://a.b", "http://proxy:3128", "https://a.b/c?d", "http://[fd00::1]:1/"],
     ["", "a.b", "ftp://a.b", "https://", "https://...", "https://a b", "https://a:x", "http://[::"]),
    (syntax.NO_PROXY, [".corp", "10.0.0.0/8", "*.a", "localhost"], ["", "a,b", "a b", "http://a"]),
    (syntax.DURATION, ["10m", "1h30m", "45s", "1h1s"], ["", "10", "m", "0s", "1.5h", "-1m", "1m1h"]),
    (syntax.REGISTRY, ["docker.io", "localhost:5000"], ["", "https://docker.io", "docker.io/a"]),
    (syntax.COUNT, ["1", "25%", "100%"], ["", "0", "0%", "101%", "-1", "1.5"]),
    (syntax.QUALIFIED_NAME, ["a", "example.com/tier", "A_b.c"], ["", "/a", "a/", "-a", "A.b/c", "a b"]),
    (syntax.LABEL_VALUE, ["", "a", "A_b.c-1"], ["-a", "a b", "a" * 64]),
    (syntax.GATE, ["WinDSR"], ["", "winDSR", "Win-DSR"]),
    (syntax.FLAG_NAME, ["v", "max-pods"], ["", "--v", "max_pods", "v=2"]),
    (syntax.VARIABLE, ["A", "_a1"], ["", "1a", "A-B", "$A"]),
    (syntax.OBJECT_NAME, ["a", "a.b-c"], ["", "A", "a..b"]),
    (syntax.SECRET_KEY, ["ssh-privatekey", ".a"], ["", "a b", "a/b"]),
    (syntax.ARTIFACT, ["containerd", "kube-proxy"], ["", "Kubelet", "a/b", "-a"]),
    (syntax.SHA256, [HEX, HEX.upper()], ["", HEX[1:], HEX + "0", "g" * 64]),
    (syntax.CA_HASH, [f"sha256:{HEX}"], ["", HEX, "sha256:12"]),
    (syntax.THUMBPRINT, [HEX[:40]], ["", HEX]),
    (syntax.HOST_KEY, ["ssh-ed25519 AAAA", "ssh-rsa AAAA me@here", f"SHA256:{'a' * 43}"],
     ["", "AAAA", "ssh-dss AAAA", "SHA256:a"]),
    (syntax.WINDOWS_PATH, ["C:\\k", "d:/containerd", "C:\\Program Files\\x", "D:\\"],
     ["", "k", "\\k", "C:k", "C:\\a|b", "/var/lib"]),
    (syntax.MEMBER, ["kubernetes/node/bin/kubelet.exe", "a..b"],
     ["", "/a", "../a", "a/../b", "a\\b", "a/..", "."]),
    (syntax.TEXT, ["a b", "é"], ["", "a\nb", "\x00"]),
]  # fmt: skip


TAKEN = [(one, word) for one, words, _ in WORDS for word in words]
NOT_TAKEN = [(one, word) for one, _, words in WORDS for word in words]


def named(value):
    return value.name if isinstance(value, syntax.Syntax) else repr(value)[:40]


def accepted_by_schema(one, word):
    formats = {name: each.matches for name, each in syntax.FORMATS.items()}
    validator = Draft202012Validator(_syntax(one), validate_formats=True, formats=formats)
    return validator.is_valid(word)


@pytest.mark.parametrize(("one", "word"), TAKEN, ids=named)
def test_a_word_is_taken(one, word):
    assert one.matches(word)
    assert accepted_by_schema(one, word)


@pytest.mark.parametrize(("one", "word"), NOT_TAKEN, ids=named)
def test_a_word_is_not_taken(one, word):
    assert not one.matches(word)
    assert not accepted_by_schema(one, word)


def test_every_syntax_is_in_the_table():
    declared = [each for each in vars(syntax).values() if isinstance(each, syntax.Syntax)]
    assert [each.name for each, _, _ in WORDS] == [each.name for each in declared]


def test_every_syntax_without_a_pattern_is_a_format():
    declared = [each for each in vars(syntax).values() if isinstance(each, syntax.Syntax)]
    assert {each.name for each in declared if not each.pattern} == set(syntax.FORMATS)


def test_a_range_with_host_bits_suggests_the_range_that_was_meant():
    suggest = syntax.CIDR.suggest
    assert suggest is not None
    assert suggest("10.244.3.1/16") == "10.244.0.0/16"
    assert suggest("nonsense") == ""


@given(st.from_regex(syntax.VERSION.pattern, fullmatch=True))
def test_every_version_that_is_taken_can_be_compared(text):
    assert Version.parse(text) == Version.parse(text.removeprefix("v"))


@pytest.mark.parametrize(
    ("one", "written", "meant"),
    [
        (syntax.VERSION, "1.30", "1.30.0"),
        (syntax.VERSION, "v1.37.1", "1.37.1"),
        (syntax.VERSION, "latest", ""),
        (syntax.RELEASE, "Windows Server 2022", "ltsc2022"),
        (syntax.RELEASE, "20h2", "20H2"),
        (syntax.HOST, "10.0.0.21:2222", "10.0.0.21"),
        (syntax.OBJECT_NAME, "WIN_01", "win-01"),
        (syntax.FLAG_NAME, "--v", "v"),
        (syntax.CA_HASH, "a" * 64, "sha256:" + "a" * 64),
    ],
)
def test_what_was_meant_is_suggested(one, written, meant):
    assert not one.matches(written)
    assert one.suggest(written) == meant
    assert not meant or one.matches(meant)
