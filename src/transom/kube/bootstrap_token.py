"""A bootstrap token: one credential for one join, as kubeadm and the API server know it. Pure."""

import secrets
import string
from dataclasses import field
from datetime import datetime

from transom.kube.answers import Secret
from transom.model.records import dataclass

NAMESPACE = "kube-system"
_ALPHABET = string.ascii_lowercase + string.digits
_ID_LENGTH = 6
_SECRET_LENGTH = 16
_GROUP = "system:bootstrappers:kubeadm:default-node-token"
_TYPE = "bootstrap.kubernetes.io/token"


@dataclass(frozen=True, slots=True)
class BootstrapToken:
    """A token; only its id may be shown."""

    id: str
    secret: str = field(repr=False)

    @property
    def text(self) -> str:
        """What is presented to the API server."""
        return f"{self.id}.{self.secret}"

    @property
    def secret_name(self) -> str:
        """The name of its Secret."""
        return f"bootstrap-token-{self.id}"


def new_token() -> BootstrapToken:
    """A token nobody can guess."""
    return BootstrapToken(_random(_ID_LENGTH), _random(_SECRET_LENGTH))


def token_secret(token: BootstrapToken, *, expires: datetime, description: str) -> Secret:
    """The Secret that makes a token valid until it expires, for joining and nothing else."""
    return Secret(
        namespace=NAMESPACE,
        name=token.secret_name,
        type=_TYPE,
        data={
            "token-id": token.id,
            "token-secret": token.secret,
            "description": description,
            "expiration": expires.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "usage-bootstrap-authentication": "true",
            "usage-bootstrap-signing": "true",
            "auth-extra-groups": _GROUP,
        },
    )


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
