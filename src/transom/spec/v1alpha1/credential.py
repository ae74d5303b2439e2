"""Where a secret is: the one shape for host credentials and bootstrap tokens."""

from collections.abc import Mapping

from transom.spec import syntax
from transom.spec.shape import Flag, Items, Object, Shape, Text

SECRET_REF = Object(
    title="SecretRef",
    about="One key of a Secret in the cluster.",
    required=("name", "key"),
    keys={
        "namespace": Text(
            about="The Secret's namespace; `default` where it is left out.",
            syntax=syntax.NAME,
            examples=("transom",),
        ),
        "name": Text(
            about="The Secret's name.", syntax=syntax.OBJECT_NAME, examples=("windows-hosts",)
        ),
        "key": Text(
            about="The key of its data.", syntax=syntax.SECRET_KEY, examples=("ssh-privatekey",)
        ),
    },
)

_ELSEWHERE: Mapping[str, Shape] = {
    "file": Text(
        about="A file on the machine that runs Transom: a private key, a password, a token; relative paths begin at this file.",
        syntax=syntax.TEXT,
        examples=("~/.ssh/id_ed25519",),
    ),
    "env": Text(
        about="The variable of Transom's environment that holds it.",
        syntax=syntax.VARIABLE,
        examples=("WINDOWS_PASSWORD",),
        unshown=True,
    ),
    "command": Items(
        about="A program that prints it, as a list of arguments; no shell is involved.",
        of=Text(about="One argument.", syntax=syntax.TEXT),
        least=1,
        examples=(["pass", "show", "windows/administrator"],),
    ),
    "prompt": Flag(about="Ask the person at the terminal.", only_true=True),
    "secretRef": SECRET_REF,
}

_AGENT: Mapping[str, Shape] = {
    "agent": Flag(about="Use the keys of the running SSH agent.", only_true=True)
}


CREDENTIAL = Object(
    title="Credential",
    about="Where the password is; exactly one place. Its value has none in this document.",
    exactly_one=tuple(_ELSEWHERE),
    keys=_ELSEWHERE,
)

SSH_CREDENTIAL = Object(
    title="SSHCredential",
    about="Where the private key or password is; exactly one place. Its value has none here.",
    exactly_one=(*_AGENT, *_ELSEWHERE),
    keys={**_AGENT, **_ELSEWHERE},
)

TOKEN_FROM = Object(
    title="TokenFrom",
    about="Where the bootstrap token is; exactly one place. Its value has none in this document.",
    exactly_one=tuple(_ELSEWHERE),
    keys=_ELSEWHERE,
)
