"""How single words of a document are spelt: addresses, versions, names, durations.

A syntax says in plain words what it wants, so that one sentence fits every mistake. Those that a
pattern can express are checked by editors too; the others are `format`s of the JSON Schema that
only Transom knows. Syntax only: whether a version exists or ranges overlap is the recipe's matter.
"""

import ipaddress
import re
from collections.abc import Callable
from urllib.parse import urlsplit

from transom.model.records import dataclass

_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_DNS_NAME = re.compile(r"(?=.{1,253}\.?$)[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?"
                       r"(\.[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?)*\.?")  # fmt: skip
_QUALIFIED = rf"({_LABEL}(\.{_LABEL})*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?"
_HIGHEST_PORT = 65535
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")


@dataclass(frozen=True, slots=True)
class Syntax:
    """What a text must look like: `wanted` completes "this is not ...".

    Exactly one of `pattern`, which must match the whole text, and `accepts` is given.
    """

    name: str
    wanted: str
    pattern: str = ""
    accepts: Callable[[str], bool] | None = None
    suggest: Callable[[str], str] | None = None

    def matches(self, text: str) -> bool:
        """Whether the text is spelt so."""
        if self.accepts is not None:
            return self.accepts(text)
        return re.fullmatch(self.pattern, text) is not None


def duration_s(text: str) -> int:
    """The seconds of a duration such as 1h30m; zero where it is none."""
    match = _DURATION.fullmatch(text)
    hours, minutes, seconds = match.groups() if match else ("0", "0", "0")
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)


def _is_duration(text: str) -> bool:
    return len(text) <= 16 and duration_s(text) > 0  # noqa: PLR2004 - longer is nobody's duration


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_range(text: str) -> bool:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return "/" in text


def _suggest_range(text: str) -> str:
    try:
        near = str(ipaddress.ip_network(text, strict=False))
    except ValueError:
        return ""
    return near if near != text else ""


def _suggest_version(text: str) -> str:
    found = re.fullmatch(rf"v?([0-9]{{1,9}}(?:\.[0-9]{{1,9}}){{1,2}})({_VERSION_TAIL})", text)
    if found is None:
        return ""
    number = found[1] if found[1].count(".") > 1 else f"{found[1]}.0"
    return f"{number}{found[2]}"


def suggest_release(text: str) -> str:
    """The release that a year in a text means: `ltsc2022` of `Windows Server 2022`."""
    year = re.search(r"(?<![0-9])20(?:1[3-9]|[2-9][0-9])(?![0-9])", text)
    half = re.search(r"(?<![0-9A-Za-z])[0-9]{2}[Hh][12](?![0-9A-Za-z])", text)
    if year is None:
        return half[0].upper() if half else ""
    return f"ltsc{year[0]}"


def _suggest_host(text: str) -> str:
    host, _, port = text.rpartition(":")
    return host.strip("[]") if host and _is_port(port) and _is_host(host.strip("[]")) else ""


def _suggest_name(text: str) -> str:
    near = re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")
    return near if near and near != text and re.fullmatch(rf"{_LABEL}(\.{_LABEL})*", near) else ""


def _suggest_flag(text: str) -> str:
    near = text.lstrip("-").lower().replace("_", "-").partition("=")[0]
    return near if re.fullmatch(r"[a-z][a-z0-9-]*", near) else ""


def _suggest_hash(text: str) -> str:
    return f"sha256:{text}" if re.fullmatch(r"[0-9A-Fa-f]{64}", text) else ""


def _is_name(text: str) -> bool:
    # Four numbers are a mistyped address, never a name.
    return _DNS_NAME.fullmatch(text) is not None and not re.fullmatch(r"[0-9.]+", text)


def _is_host(text: str) -> bool:
    return _is_address(text) or _is_name(text)


def _is_host_and_port(text: str) -> bool:
    host, _, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        return False
    return _is_host(host) and _is_port(port)


def _is_jump(text: str) -> bool:
    user, at, host = text.rpartition("@")
    if at and (not user or re.search(r"[\s:@]", user)):
        return False
    return _is_host(host) or _is_host_and_port(host)


def _is_port(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,5}", text) is not None and 0 < int(text) <= _HIGHEST_PORT


def _is_url(text: str) -> bool:
    if re.search(r"[\s\\\x00-\x1f]", text):
        return False
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https") and _is_host(parts.hostname or "") and port != 0
    )  # port: None or valid


def _is_no_proxy(text: str) -> bool:
    return re.fullmatch(r"[^\s,;]+", text) is not None and "://" not in text


NAME = Syntax("name", "a name of lower-case letters, digits and `-`, at most 63 characters", _LABEL,
              suggest=lambda text: _suggest_name(text).replace(".", "-"))  # fmt: skip
# Windows' and Kubernetes' own limits are refused by the recipe, with the reason of each.
HOST_NAME = Syntax("host-name", "a computer's name: no blanks, no slashes", r"[^\s/\\:@]{1,253}")
_VERSION_TAIL = r"(-[0-9A-Za-z.-]{1,64})?(\+[0-9A-Za-z.-]{1,64})?"
VERSION = Syntax(
    "version",
    "a version of three parts such as 1.37.1",
    rf"[0-9]{{1,9}}(\.[0-9]{{1,9}}){{2}}{_VERSION_TAIL}",
    suggest=_suggest_version,
)
# As v1alpha1 took it: two parts too, and a leading v.
LOOSE_VERSION = Syntax(
    "loose-version",
    "a version such as 1.37.1",
    r"v?[0-9]{1,9}(\.[0-9]{1,9}){1,2}(-[0-9A-Za-z.-]{1,64})?(\+[0-9A-Za-z.-]{1,64})?",
)
VERSION_OR_CLUSTER = Syntax(
    "version-or-cluster",
    "a version such as 1.37.1, or `cluster`",
    rf"cluster|{LOOSE_VERSION.pattern}",
)
RELEASE = Syntax(
    "release",
    "a Windows Server release such as `ltsc2022`",
    r"ltsc[0-9]{4}|[0-9]{2}(0[1-9]|1[0-2])|[0-9]{2}H[12]",
    suggest=suggest_release,
)
# As v1alpha1 took it: `2022` for `ltsc2022`.
LOOSE_RELEASE = Syntax(
    "loose-release", "a Windows Server release such as 2022", r"[0-9A-Za-z][0-9A-Za-z.]*"
)
ADDRESS = Syntax("address", "an IP address", accepts=_is_address)
CIDR = Syntax(
    "cidr", "an address range such as 10.244.0.0/16", accepts=_is_range, suggest=_suggest_range
)
HOST = Syntax("host", "an IP address or a DNS name", accepts=_is_host, suggest=_suggest_host)
DNS_NAME = Syntax("dns-name", "a DNS name such as corp.example", accepts=_is_name)
POINTER = Syntax(
    "pointer", "a JSON pointer to a key such as /labels/example.com~1tier", r"(/([^/~]|~[01])+)+"
)
CREDENTIAL_NAME = Syntax(
    "credential-name", "a credential's name: lower-case letters, digits, `-` and `.`",
    rf"{_LABEL}(\.{_LABEL})*",
)  # fmt: skip
ENDPOINT = Syntax(
    "endpoint", "an address and a port such as 10.0.0.10:6443", accepts=_is_host_and_port
)
JUMP = Syntax("jump", "[USER@]HOST[:PORT]", accepts=_is_jump)
URL = Syntax("url", "an http or https URL", accepts=_is_url)
NO_PROXY = Syntax("no-proxy", "one name, suffix, address or range", accepts=_is_no_proxy)
DURATION = Syntax("duration", "a duration such as 10m or 1h30m", accepts=_is_duration)
REGISTRY = Syntax(
    "registry", "a registry's host, with or without a port",
    accepts=lambda text: _is_host(text) or _is_host_and_port(text),
)  # fmt: skip
COUNT = Syntax(
    "count", "a count of at least 1, or a percentage such as 25%", r"[1-9][0-9]{0,8}|[1-9][0-9]?%|100%"
)  # fmt: skip
QUALIFIED_NAME = Syntax(
    "qualified-name", "a Kubernetes label or taint key such as example.com/tier", _QUALIFIED
)
LABEL_VALUE = Syntax(
    "label-value",
    "a Kubernetes label value: at most 63 letters, digits, `-`, `_` and `.`",
    r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?",
)
GATE = Syntax("gate", "a feature gate's name such as WinDSR", r"[A-Z][A-Za-z0-9]*")
FLAG_NAME = Syntax(
    "flag-name",
    "a kubelet flag's name without its dashes",
    r"[a-z][a-z0-9]*(-[a-z0-9]+)*",
    suggest=_suggest_flag,
)
VARIABLE = Syntax(
    "variable", "the name of an environment variable", r"[A-Za-z_][A-Za-z0-9_]*"
)  # fmt: skip
OBJECT_NAME = Syntax(
    "object-name", "a name of lower-case letters, digits, `-` and `.`", rf"{_LABEL}(\.{_LABEL})*",
    suggest=_suggest_name,
)  # fmt: skip
SECRET_KEY = Syntax("secret-key", "a key of a Secret's data", r"[-._A-Za-z0-9]{1,253}")
ARTIFACT = Syntax("artifact", "an artifact's name such as containerd", r"[a-z0-9]+([-.][a-z0-9]+)*")
SHA256 = Syntax("sha256", "a SHA-256 of 64 hexadecimal digits", r"[0-9A-Fa-f]{64}")
CA_HASH = Syntax(
    "ca-hash", "`sha256:` and 64 hexadecimal digits, as kubeadm prints it", r"sha256:[0-9A-Fa-f]{64}",
    suggest=_suggest_hash,
)  # fmt: skip
THUMBPRINT = Syntax("thumbprint", "a certificate's thumbprint of 40 hexadecimal digits", r"[0-9A-Fa-f]{40}")  # fmt: skip
HOST_KEY = Syntax(
    "host-key",
    "a public host key such as `ssh-ed25519 AAAA...`, or its `SHA256:...` fingerprint",
    r"(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)) \S+( [^\n]*)?|SHA256:[A-Za-z0-9+/]{43}=?",
)
WINDOWS_PATH = Syntax(
    "windows-path",
    r"an absolute Windows path such as D:\containerd",
    r"[A-Za-z]:[\\/][^<>:\"|?*\n\r\t]*",
)
MEMBER = Syntax(
    "member", "a path inside the tarball, with slashes and without `..`",
    r"(?!.*(^|/)\.\.?(/|$))[^/\\\s][^\\\s]*",
)  # fmt: skip
TEXT = Syntax("text", "text on one line", r"[^\x00-\x1f]+")

# The ones a pattern cannot express: formats of the schema, by name.
FORMATS = {
    syntax.name: syntax
    for syntax in (
        ADDRESS,
        CIDR,
        HOST,
        DNS_NAME,
        ENDPOINT,
        JUMP,
        URL,
        NO_PROXY,
        DURATION,
        REGISTRY,
    )
}

# By what the schema says of a text that is not spelt so, those that know what was meant.
BY_WORDS = {
    f"not {syntax.wanted}": syntax
    for syntax in (VERSION, RELEASE, NAME, OBJECT_NAME, FLAG_NAME, CA_HASH, *FORMATS.values())
}
