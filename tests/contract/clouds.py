"""Stand-ins of AWS and Azure: instance metadata and stores for secrets, in their own protocols.

What they accept is what the vendors' own clients send, which tests show first: signatures of AWS
are computed anew by botocore and compared, tokens of Azure are those that its metadata gave out.
"""

import http.server
import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

REGION = "eu-west-1"
KEY = Credentials("ASIAEXAMPLE", "wJalrXUtnFEMI/K7MDENG+secret", "the/session+token==")
SESSION = "AQAEAKimds"
AZURE_TOKEN = "eyJ0eXAi.azure.token"
_CLAIM = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})"
)


class Refusal(Exception):  # noqa: N818 - what the answer is
    """An answer that is no success: its status and document."""

    def __init__(self, status: int, document: dict[str, Any]) -> None:
        super().__init__(document)
        self.status, self.document = status, document


class Cloud(http.server.ThreadingHTTPServer):
    """One server that plays metadata and stores; `stumbles` is how often it is not ready first."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, context: Any = None, *, place: tuple[str, int] = ("127.0.0.1", 0)) -> None:
        super().__init__(place, _Exchange)
        self.secrets: dict[str, str] = {}
        self.parameters: dict[str, str] = {}
        self.vault: dict[str, str] = {}
        self.asked: list[str] = []
        self.stumbles = 0
        self.may_delete = True
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self.server_port}"


class _Exchange(http.server.BaseHTTPRequestHandler):
    server: Cloud

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            self._stumble()
            status, answer = 200, self._found(body)
        except Refusal as refusal:
            status, answer = refusal.status, refusal.document
        content = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        self.send_response(status)
        if status == 401:
            asked = (
                'authorization="https://login.example/tenant", resource="https://vault.azure.net"'
            )
            self.send_header("WWW-Authenticate", f"Bearer {asked}")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = _answer  # noqa: N815 - http.server's names

    def _stumble(self) -> None:
        if self.server.stumbles:
            self.server.stumbles -= 1
            raise Refusal(503, {"message": "not yet"})

    def _found(self, body: bytes) -> Any:
        path = urlsplit(self.path).path
        self.server.asked.append(f"{self.command} {path} {self.headers.get('X-Amz-Target', '')}")
        if path.startswith("/latest/"):
            return self._instance_metadata(path)
        if path.startswith("/metadata/identity"):
            return self._managed_identity()
        if path.startswith("/secrets/"):
            return self._key_vault(path, body)
        if path == "/" and self.command == "POST":
            return self._aws(body)
        raise Refusal(404, {})

    # The instance metadata service of EC2, second version.

    def _instance_metadata(self, path: str) -> str:
        if path == "/latest/api/token":
            if self.command != "PUT" or not self.headers["X-aws-ec2-metadata-token-ttl-seconds"]:
                raise Refusal(400, {})
            return SESSION
        if self.headers.get("X-aws-ec2-metadata-token") != SESSION:
            raise Refusal(401, {})
        credentials = {
            "Code": "Success",
            "Type": "AWS-HMAC",
            "AccessKeyId": KEY.access_key,
            "SecretAccessKey": KEY.secret_key,
            "Token": KEY.token,
            "Expiration": "2030-01-01T00:00:00Z",
        }
        answers = {
            "placement/region": REGION,
            "services/domain": "amazonaws.com",
            "iam/security-credentials/": "nodes",
            "iam/security-credentials/nodes": json.dumps(credentials),
        }
        name = path.removeprefix("/latest/meta-data/")
        if name not in answers:
            raise Refusal(404, {})
        return answers[name]

    # Secrets Manager and SSM: JSON 1.1 with a target.

    def _aws(self, body: bytes) -> dict[str, Any]:
        service, _, action = self.headers["X-Amz-Target"].partition(".")
        self._check_signature(body, "ssm" if service == "AmazonSSM" else "secretsmanager")
        asked = json.loads(body)
        if action in ("DeleteSecret", "DeleteParameter") and not self.server.may_delete:
            message = f"User is not authorized to perform: {service}:{action}"
            raise Refusal(400, {"__type": "AccessDeniedException", "Message": message})
        if service == "AmazonSSM":
            return self._parameter(action, asked)
        return self._secret(action, asked)

    def _secret(self, action: str, asked: dict[str, Any]) -> dict[str, Any]:
        name = str(asked.get("SecretId", asked.get("Name")))
        if action == "CreateSecret":
            self.server.secrets[name] = asked["SecretString"]
        elif name not in self.server.secrets:
            kind = "com.amazonaws.secretsmanager#ResourceNotFoundException"
            raise Refusal(400, {"__type": kind, "Message": "can't find the specified secret."})
        elif action == "GetSecretValue":
            return {"Name": name, "SecretString": self.server.secrets[name]}
        elif action == "DeleteSecret" and asked.get("ForceDeleteWithoutRecovery"):
            del self.server.secrets[name]
        return {"Name": name}

    def _parameter(self, action: str, asked: dict[str, Any]) -> dict[str, Any]:
        name = asked["Name"]
        if action == "PutParameter":
            self.server.parameters[name] = asked["Value"]
            return {"Version": 1}
        if name not in self.server.parameters:
            raise Refusal(400, {"__type": "ParameterNotFound"})
        if action == "DeleteParameter":
            del self.server.parameters[name]
            return {}
        value = self.server.parameters[name] if asked.get("WithDecryption") else "AQICAH="
        return {"Parameter": {"Name": name, "Type": "SecureString", "Value": value}}

    def _check_signature(self, body: bytes, service: str) -> None:
        claim = _CLAIM.fullmatch(self.headers.get("Authorization", ""))
        if claim is None:
            raise Refusal(403, {"__type": "MissingAuthenticationTokenException"})
        names = claim.group(2).split(";")
        signed = {name: self.headers[name] for name in names}
        request = AWSRequest("POST", f"{self.server.url}/", headers=signed, data=body)
        request.context["timestamp"] = self.headers["X-Amz-Date"]
        signer = SigV4Auth(KEY, service, REGION)
        wanted = signer.signature(
            signer.string_to_sign(request, signer.canonical_request(request)), request
        )
        moment = datetime.strptime(self.headers["X-Amz-Date"] + "+0000", "%Y%m%dT%H%M%SZ%z")
        age = abs((datetime.now(UTC) - moment).total_seconds())
        if (
            claim.group(1) != signer.scope(request)
            or claim.group(3) != wanted
            or age > 300
            or self.headers.get("X-Amz-Security-Token") != KEY.token
            or not {"host", "x-amz-date", "x-amz-target", "x-amz-security-token"} <= set(names)
        ):
            raise Refusal(403, {"__type": "InvalidSignatureException"})

    # Azure: managed identity and Key Vault.

    def _managed_identity(self) -> dict[str, Any]:
        asked = parse_qs(urlsplit(self.path).query)
        if self.headers.get("Metadata") != "true" or not asked.get("api-version"):
            raise Refusal(400, {"error": "bad_request", "error_description": "no Metadata header"})
        if asked.get("resource") != ["https://vault.azure.net"]:
            raise Refusal(400, {"error": "invalid_resource", "error_description": "not known"})
        if asked.get("client_id", ["mine"]) != ["mine"]:
            raise Refusal(400, {"error": "invalid_request", "error_description": "no identity"})
        return {"access_token": AZURE_TOKEN, "token_type": "Bearer", "resource": asked["resource"]}

    def _key_vault(self, path: str, body: bytes) -> dict[str, Any]:
        if not parse_qs(urlsplit(self.path).query).get("api-version"):
            raise Refusal(400, {"error": {"code": "BadParameter", "message": "no api-version"}})
        if self.headers.get("Authorization") != f"Bearer {AZURE_TOKEN}":
            raise Refusal(401, {"error": {"code": "Unauthorized", "message": "no token"}})
        name = path.removeprefix("/secrets/").rstrip("/")
        about = {"id": f"{self.server.url}/secrets/{name}/1", "attributes": {"enabled": True}}
        if self.command == "PUT":
            self.server.vault[name] = json.loads(body)["value"]
        elif name not in self.server.vault:
            raise Refusal(404, {"error": {"code": "SecretNotFound", "message": f"no {name}"}})
        elif self.command == "DELETE":
            if not self.server.may_delete:
                error = {"code": "Forbidden", "message": "does not have secrets delete permission"}
                raise Refusal(403, {"error": error})
            del self.server.vault[name]
            return {**about, "recoveryId": f"{self.server.url}/deletedsecrets/{name}"}
        return {**about, "value": self.server.vault.get(name, "")}

    def log_message(self, *_words: object) -> None:
        """Tests print nothing."""


class _Kept(Cloud):
    """A cloud whose parameters are those of a file, also after they change."""

    def __init__(self, place: tuple[str, int], file: Path) -> None:
        super().__init__(place=place)
        self._file = file

    def get_request(self) -> Any:
        self.parameters = json.loads(self._file.read_text("utf-8"))
        return super().get_request()

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self._file.write_text(json.dumps(self.parameters), "utf-8")


if __name__ == "__main__":  # beside a lab: address, port and file
    _Kept((sys.argv[1], int(sys.argv[2])), Path(sys.argv[3])).serve_forever()
