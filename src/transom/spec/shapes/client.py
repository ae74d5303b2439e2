"""The Client document: what only one person's machine knows of a fleet. It never goes to a cluster."""

from collections.abc import Mapping
from typing import Any

from transom.model.fleet import (
    Credential,
    FromAgent,
    FromCommand,
    FromEnvironment,
    FromFile,
    FromLocalFile,
    FromPrompt,
    FromSecret,
    SecretType,
)
from transom.spec import syntax
from transom.spec.shape import Items, Object, Shape, Text
from transom.spec.shapes.host import NAME
from transom.spec.shapes.metadata import metadata
from transom.spec.shapes.source import ARTIFACT, SHA256

GROUP = "client.transom.dev"
API_VERSION = f"{GROUP}/v1alpha1"
KIND = "Client"

_TYPES = {
    "SSHAgent": None,
    "SSHPrivateKey": SecretType.PRIVATE_KEY,
    "Password": SecretType.PASSWORD,
}


def _secret_ref(*, name: str, key: str, namespace: str = "default") -> FromSecret:
    return FromSecret(namespace=namespace, name=name, key=key)


_SECRET_REF = Object(
    title="SecretRef",
    about="One key of a Secret in the cluster.",
    make=_secret_ref,
    required=("name", "key"),
    keys={
        "namespace": Text(
            about="The Secret's namespace.",
            default="`default`",
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

_PLACES: Mapping[str, Shape] = {
    "file": Text(
        about="A file of this machine that holds it; relative paths begin at this document.",
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
        about="A program that prints it, as a list of arguments; no shell is involved. `{host}` is the host's name.",
        of=Text(about="One argument.", syntax=syntax.TEXT),
        least=1,
        examples=(["pass", "show", "windows/{host}"],),
    ),
    "secretRef": _SECRET_REF,
}
_PAIRS = tuple(
    (one, other) for index, one in enumerate(_PLACES) for other in tuple(_PLACES)[index + 1 :]
)


def _place(**given: Any) -> Credential | None:
    match given:
        case {"file": path}:
            return FromFile(path)
        case {"env": name}:
            return FromEnvironment(name)
        case {"command": argv}:
            return FromCommand(argv)
        case {"secret_ref": FromSecret() as secret}:
            return secret
        case _:
            return None


def _credential(
    *,
    name: str,
    type: str | None = None,  # noqa: A002 - the document's key
    **places: Any,
) -> tuple[str, Credential, SecretType | None]:
    if type == "SSHAgent":
        return name, FromAgent(), None
    return name, _place(**places) or FromPrompt(), _TYPES[type] if type else None


def _token(**places: Any) -> Credential:
    return _place(**places) or FromPrompt()


_CREDENTIAL = Object(
    title="Credential",
    about="Where one secret is; its value has no place in any document. A password without a place is asked for.",
    make=_credential,
    required=("name",),
    at_least_one=("type", *_PLACES),
    not_both=_PAIRS,
    keys={
        "name": Text(
            about="What `credentialName` of a fleet says.",
            syntax=syntax.CREDENTIAL_NAME,
            examples=("admins",),
        ),
        "type": Text(
            about="What it is: a key that the SSH agent has, a private key, or a password.",
            choices=tuple(_TYPES),
            default="a private key or a password, as it looks",
        ),
        **_PLACES,
    },
)

_TOKEN = Object(
    title="BootstrapToken",
    about="Where the bootstrap token is, for hosts that join without a kubeconfig; its value has no place here. Without a place it is asked for.",
    make=_token,
    not_both=_PAIRS,
    keys=_PLACES,
)


def _override(*, artifact: str, file: str, sha256: str | None = None) -> tuple[str, FromLocalFile]:
    return artifact, FromLocalFile(file, sha256)


_OVERRIDE = Object(
    title="LocalOverride",
    about="Other bytes for one artifact, from a file of this machine.",
    make=_override,
    required=("artifact", "file"),
    keys={
        "artifact": ARTIFACT,
        "file": Text(
            about="The file; relative paths begin at this document.",
            syntax=syntax.TEXT,
            examples=("./containerd.tar.gz",),
        ),
        "sha256": SHA256,
    },
)

ACCESS = Object(
    title="FleetAccess",
    about="How this machine reaches one fleet.",
    required=("fleetName",),
    keys={
        "fleetName": Text(about="The fleet.", syntax=syntax.NAME, examples=("shop",)),
        "kubeconfig": Text(
            about="The kubeconfig that reaches the API server; relative paths begin at this document.",
            default="$KUBECONFIG or ~/.kube/config",
            syntax=syntax.TEXT,
            examples=("~/.kube/config",),
        ),
        "context": Text(
            about="The context in the kubeconfig.",
            default="its current one",
            syntax=syntax.TEXT,
            examples=("prod",),
        ),
        "bootstrapToken": _TOKEN,
        "bundle": Text(
            about="A bundle that holds every artifact, for sites without internet.",
            syntax=syntax.TEXT,
            examples=("./shop.bundle",),
        ),
        "overrides": Items(
            about="Other bytes for single artifacts, from files.", of=_OVERRIDE, by=("artifact",)
        ),
        "localHost": Text(
            about="The host that Transom itself runs on, by name; it is not rebooted then.",
            syntax=NAME.syntax,
            examples=("win-01",),
        ),
        "credentials": Items(
            about="The credentials that the fleet names.", of=_CREDENTIAL, by=("name",)
        ),
    },
)

CLIENT = Object(
    title=KIND,
    about="What only this machine knows: kubeconfigs, credentials, files. It is never sent to a cluster.",
    required=("apiVersion", "kind", "fleets"),
    extensible=True,
    keys={
        "apiVersion": Text(about="The version of this document's form.", choices=(API_VERSION,)),
        "kind": Text(about="Always `Client`.", choices=(KIND,)),
        "metadata": metadata("ClientMetadata", None),
        "fleets": Items(about="One entry for each fleet.", of=ACCESS, by=("fleetName",)),
    },
)
