"""Where artifacts come from, what is asked of them, and the hosts' proxy."""

from transom.spec import syntax
from transom.spec.shape import Items, Object, Table, Text

_OVERRIDE = Object(
    title="Override",
    about="Other bytes for one artifact: `url` with `sha256`, or `file`, or `member`.",
    exactly_one=("url", "file", "member"),
    needs={"url": ("sha256",)},
    not_both=(("member", "sha256"),),
    keys={
        "url": Text(about="Where to download it.", syntax=syntax.URL),
        "sha256": Text(about="The SHA-256 of its bytes.", syntax=syntax.SHA256, numeric=True),
        "file": Text(
            about="A file on the machine that runs Transom.",
            syntax=syntax.TEXT,
            examples=("./containerd.tar.gz",),
        ),
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
            numeric=True,
        ),
    },
)

_ARTIFACT = Text(about="The artifact's name.", syntax=syntax.ARTIFACT, examples=("containerd",))

_VERIFICATION = Object(
    title="Verification",
    about="A demand on one artifact beyond its hash.",
    required=("artifact", "authenticode"),
    keys={"artifact": _ARTIFACT, "authenticode": _AUTHENTICODE},
)

SOURCE = Object(
    title="Source",
    about="Where artifacts come from, where that is not their upstream.",
    keys={
        "mirrors": Table(
            about="URL prefixes and what to put in their place; the longest prefix wins.",
            keys=syntax.URL,
            of=Text(about="The prefix to use instead.", syntax=syntax.URL),
            examples=({"https://dl.k8s.io": "https://mirror.corp/k8s"},),
        ),
        "bundle": Text(
            about="A bundle that holds every artifact, for sites without internet.",
            syntax=syntax.TEXT,
            examples=("./shop.bundle",),
        ),
        "overrides": Table(
            about="Other bytes for single artifacts, by the artifact's name.",
            keys=syntax.ARTIFACT,
            of=_OVERRIDE,
            examples=({"containerd": {"file": "./containerd.tar.gz"}},),
        ),
        "verify": Items(about="Demands on artifacts beyond their hashes.", of=_VERIFICATION),
    },
)


PROXY = Object(
    title="Proxy",
    about="The proxy the hosts use. A proxy that asks for a password is not supported.",
    keys={
        "http": Text(
            about="For http.", syntax=syntax.URL, examples=("http://proxy.corp.example:3128",)
        ),
        "https": Text(
            about="For https.", syntax=syntax.URL, examples=("http://proxy.corp.example:3128",)
        ),
        "noProxy": Items(
            about="Reached directly: names, suffixes, addresses and ranges.",
            of=Text(about="One of them.", syntax=syntax.NO_PROXY, examples=(".corp",)),
            examples=([".corp", "10.0.0.0/8"],),
        ),
    },
)
