"""Where artifacts come from, what is asked of them, and the hosts' proxy."""

from typing import Any

from transom.model.fleet import (
    Authenticode,
    FromNodeTarball,
    FromURL,
    Override,
    Proxy,
    Source,
    Verification,
)
from transom.spec import syntax
from transom.spec.shape import Items, Object, Text

ARTIFACT = Text(about="The artifact's name.", syntax=syntax.ARTIFACT, examples=("containerd",))
SHA256 = Text(about="The SHA-256 of its bytes.", syntax=syntax.SHA256, make=str.lower)


def _override(
    *, artifact: str, url: str = "", sha256: str = "", member: str = ""
) -> tuple[str, Override]:
    return artifact, FromNodeTarball(member) if member else FromURL(url, sha256)


_OVERRIDE = Object(
    title="Override",
    about="Other bytes for one artifact: `url` with `sha256`, or `member`. A file of yours is named in the Client.",
    make=_override,
    required=("artifact",),
    exactly_one=("url", "member"),
    needs={"url": ("sha256",)},
    not_both=(("member", "sha256"),),
    keys={
        "artifact": ARTIFACT,
        "url": Text(
            about="Where to download it.",
            syntax=syntax.URL,
            examples=("https://files.corp/kubelet.exe",),
        ),
        "sha256": SHA256,
        "member": Text(
            about="A path in Kubernetes' own node tarball.",
            syntax=syntax.MEMBER,
            examples=("kubernetes/node/bin/kubelet.exe",),
        ),
    },
)

_AUTHENTICODE = Object(
    title="Authenticode",
    about="Whose signature it must carry; every key that is given must match.",
    make=Authenticode,
    at_least_one=("subject", "issuer", "thumbprint"),
    keys={
        "subject": Text(
            about="The signer's distinguished name.", syntax=syntax.TEXT, examples=("CN=Corp",)
        ),
        "issuer": Text(
            about="The distinguished name of the signer's issuer.",
            syntax=syntax.TEXT,
            examples=("CN=Corp CA",),
        ),
        "thumbprint": Text(
            about="The thumbprint of the signer's certificate.",
            syntax=syntax.THUMBPRINT,
            make=str.upper,
        ),
    },
)

_VERIFICATION = Object(
    title="Verification",
    about="A demand on one artifact beyond its hash.",
    make=Verification,
    required=("artifact", "authenticode"),
    keys={"artifact": ARTIFACT, "authenticode": _AUTHENTICODE},
)

_MIRROR = Object(
    title="Mirror",
    about="A prefix of addresses, and what to put in its place.",
    required=("from", "to"),
    keys={
        "from": Text(
            about="The prefix of upstream's address.",
            syntax=syntax.URL,
            examples=("https://dl.k8s.io",),
        ),
        "to": Text(
            about="The prefix to use instead.",
            syntax=syntax.URL,
            examples=("https://mirror.corp/k8s",),
        ),
    },
)


def _source(
    *,
    mirrors: tuple[dict[str, str], ...] = (),
    overrides: tuple[tuple[str, Override], ...] = (),
    **parts: Any,
) -> Source:
    return Source(
        mirrors={mirror["from"]: mirror["to"] for mirror in mirrors},
        overrides=dict(overrides),
        **parts,
    )


SOURCE = Object(
    title="Source",
    about="Where artifacts come from, where that is not their upstream.",
    make=_source,
    keys={
        "mirrors": Items(
            about="Prefixes of addresses that are replaced; the longest that fits wins.",
            of=_MIRROR,
            by=("from",),
            examples=([{"from": "https://dl.k8s.io", "to": "https://mirror.corp/k8s"}],),
        ),
        "overrides": Items(
            about="Other bytes for single artifacts.", of=_OVERRIDE, by=("artifact",)
        ),
        "verify": Items(about="Demands on artifacts beyond their hashes.", of=_VERIFICATION),
    },
)


def _proxy(
    *, http_proxy: str | None = None, https_proxy: str | None = None, no_proxy: tuple[str, ...] = ()
) -> Proxy:
    return Proxy(http=http_proxy, https=https_proxy, no_proxy=no_proxy)


PROXY = Object(
    title="Proxy",
    about="The proxy the hosts use. A proxy that asks for a password is not supported.",
    make=_proxy,
    keys={
        "httpProxy": Text(
            about="For http.", syntax=syntax.URL, examples=("http://proxy.corp.example:3128",)
        ),
        "httpsProxy": Text(
            about="For https.", syntax=syntax.URL, examples=("http://proxy.corp.example:3128",)
        ),
        "noProxy": Items(
            about="Reached directly: names, suffixes, addresses and ranges. The cluster's own are added.",
            of=Text(about="One of them.", syntax=syntax.NO_PROXY, examples=(".corp",)),
            examples=([".corp", "10.0.0.0/8"],),
        ),
    },
)
