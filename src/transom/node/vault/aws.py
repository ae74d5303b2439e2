"""AWS Secrets Manager and SSM Parameter Store, with the credentials of the instance's role.

The role's credentials come from the instance metadata service, second version.
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any

from transom.errors import PermanentError
from transom.model.records import dataclass
from transom.model.secret import SecretPlace
from transom.node.host.nouns.web import WebCalls
from transom.node.host.values import WebAnswer
from transom.node.vault.answers import OK, json_of, refusal, text_of
from transom.node.vault.sigv4 import Credentials, Scope, signed

_TOKEN_S = "300"  # noqa: S105 - seconds that the metadata's session is valid
_JSON = "application/x-amz-json-1.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Service:
    """What a store is called, and how it is asked to give and to forget."""

    name: str
    get: str
    delete: str
    get_with: Callable[[str], Mapping[str, Any]]
    delete_with: Callable[[str], Mapping[str, Any]]
    absent: str


SERVICES = {
    "aws-secrets-manager": _Service(
        name="secretsmanager",
        get="secretsmanager.GetSecretValue",
        delete="secretsmanager.DeleteSecret",
        get_with=lambda name: {"SecretId": name},
        delete_with=lambda name: {"SecretId": name, "ForceDeleteWithoutRecovery": True},
        absent="ResourceNotFoundException",
    ),
    "aws-ssm": _Service(
        name="ssm",
        get="AmazonSSM.GetParameter",
        delete="AmazonSSM.DeleteParameter",
        get_with=lambda name: {"Name": name, "WithDecryption": True},
        delete_with=lambda name: {"Name": name},
        absent="ParameterNotFound",
    ),
}


class AwsStore:
    """One secret there."""

    def __init__(self, web: WebCalls, place: SecretPlace, now: Callable[[], float]) -> None:
        self._web, self._place, self._now = web, place, now
        self._service = SERVICES[place.store]

    def fetch(self) -> bytes:
        """The secret's content."""
        what = f"cannot read the secret {self._place.name}"
        answer = self._ask(self._service.get, self._service.get_with(self._place.name))
        return _content(json_of(answer, what), what)

    def delete(self) -> None:
        """Remove the secret; nothing happens where there is none."""
        answer = self._ask(self._service.delete, self._service.delete_with(self._place.name))
        if answer.status == OK or refusal(answer)[0] == self._service.absent:
            return
        json_of(answer, f"cannot delete the secret {self._place.name}")

    def _ask(self, target: str, document: Mapping[str, Any]) -> WebAnswer:
        metadata = _Metadata(self._web, self._place.metadata)
        region = self._place.region or metadata.text("placement/region")
        url = self._place.endpoint.replace("{region}", region)
        if "{domain}" in url:
            url = url.replace("{domain}", metadata.text("services/domain"))
        body = json.dumps(document).encode()
        headers = signed(
            f"{url}/",
            body,
            {"content-type": _JSON, "x-amz-target": target},
            credentials=metadata.credentials(),
            scope=Scope(region=region, service=self._service.name, now=self._now()),
        )
        return self._web.call("POST", f"{url}/", headers=headers, body=body)


class _Metadata:
    """The instance metadata service: every question carries the token of a session."""

    def __init__(self, web: WebCalls, url: str) -> None:
        self._web, self._url = web, url
        answer = web.call(
            "PUT",
            f"{url}/latest/api/token",
            headers={"X-aws-ec2-metadata-token-ttl-seconds": _TOKEN_S},
            direct=True,
        )
        token = text_of(answer, "cannot open a session with the metadata service")
        self._headers = {"X-aws-ec2-metadata-token": token}

    def text(self, path: str) -> str:
        """A value of the metadata."""
        return text_of(self._answer(path), f"the metadata does not say {path}").strip()

    def credentials(self) -> Credentials:
        """Those of the instance's role."""
        folder = "iam/security-credentials/"
        role = self.text(folder).splitlines()[0]
        found = json_of(self._answer(folder + role), f"no credentials of the role {role}")
        if found.get("Code") != "Success":
            raise PermanentError(
                f"the role {role} has no credentials: {found.get('Code')}",
                subject=role,
                hint="Give the instance a profile whose role may read the secret.",
            )
        return Credentials(
            key=str(found["AccessKeyId"]),
            secret=str(found["SecretAccessKey"]),
            token=str(found["Token"]),
        )

    def _answer(self, path: str) -> WebAnswer:
        url = f"{self._url}/latest/meta-data/{path}"
        return self._web.call("GET", url, headers=self._headers, direct=True)


def _content(found: Mapping[str, Any], what: str) -> bytes:
    text = found.get("SecretString", (found.get("Parameter") or {}).get("Value"))
    if isinstance(text, str):
        return text.encode()
    try:
        return base64.b64decode(str(found["SecretBinary"]), validate=True)
    except (KeyError, binascii.Error) as error:
        raise PermanentError(
            f"{what}: it has no value", subject=what, hint="Store the join configuration in it."
        ) from error
