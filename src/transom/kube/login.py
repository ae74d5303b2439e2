"""Who you are to a cluster where the kubeconfig leaves that to a program or an identity provider.

Used by `client`. lightkube knows tokens, certificates and the plugins of old; this is what kubectl does
besides: plugins of every version are told who asks (`KUBERNETES_EXEC_INFO`), their tokens and client
certificates are kept until they expire or are refused, and the token that `auth-provider: oidc` keeps is
used while it is good. Programs are started by argument lists; no token is shown or written, and a
key lies in a file of its own user's only while it is read.
"""

import asyncio
import base64
import json
import os
import ssl
import sys
import tempfile
from asyncio import subprocess
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
from lightkube.config.kubeconfig import SingleConfig
from lightkube.config.models import UserExec

from transom.errors import PermanentError, TemporaryError, UnsupportedError, UsageError

_GROUP = "client.authentication.k8s.io/"
# A person may have to log in at a browser meanwhile.
_LOGIN_S = 300.0
_EARLY = timedelta(seconds=30)


def login_of(config: SingleConfig, trust: ssl.SSLContext) -> "httpx2.Auth | None":
    """The login that the user of a kubeconfig needs; None where lightkube has it.

    A client certificate that a plugin gives is put into `trust`, with which connections are made.
    """
    user = config.user
    if user is None or user.token is not None or user.token_file is not None:
        return None
    if user.exec is not None:
        return PluginLogin(user.exec, config, trust)
    if user.auth_provider is not None:
        return _Token(_kept_token(user.auth_provider))
    return None


class _Token(httpx2.Auth):
    """A token that does not change."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        request.headers["Authorization"] = f"Bearer {self._token}"
        yield request


@dataclass(frozen=True, eq=False)
class _Credential:
    """What a plugin gave: a token, a client certificate with its key, or both; until it ends."""

    token: str = field(repr=False)
    certificate: str
    key: str = field(repr=False)
    ends: datetime | None

    @property
    def is_over(self) -> bool:
        return self.ends is not None and datetime.now(UTC) > self.ends - _EARLY

    def show_in(self, request: httpx2.Request) -> None:
        if self.token:
            request.headers["Authorization"] = f"Bearer {self.token}"
        if self.certificate:
            # A connection keeps the certificate it was made with, so each is for one request.
            request.headers["Connection"] = "close"


class PluginLogin(httpx2.Auth):
    """Credentials from a program that the kubeconfig names; it is run once for all requests."""

    def __init__(self, plugin: UserExec, config: SingleConfig, trust: ssl.SSLContext) -> None:
        self._plugin = plugin
        self._info = _info(plugin, config)
        self._folder = config.fname.parent if config.fname is not None else Path()
        self._trust = trust
        self._lock = asyncio.Lock()
        self._held: _Credential | None = None

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Show the credential, and a new one where that is refused."""
        credential = await self._current(None)
        credential.show_in(request)
        response = yield request
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            (await self._current(credential)).show_in(request)
            yield request

    async def _current(self, refused: _Credential | None) -> _Credential:
        async with self._lock:
            if self._held is None or self._held is refused or self._held.is_over:
                self._held = await self._asked()
                if self._held.certificate:
                    _put_into(self._trust, self._held, self._plugin.command)
            return self._held

    async def _asked(self) -> _Credential:
        plugin = self._plugin
        command = plugin.command
        if os.sep in command and not Path(command).is_absolute():
            command = str(self._folder / command)
        given = {item.name: item.value for item in plugin.env or ()}
        environment = {**os.environ, **given, "KUBERNETES_EXEC_INFO": self._info}  # noqa: TID251 - a door
        try:
            process = await asyncio.create_subprocess_exec(
                command,
                *(plugin.args or ()),
                env=environment,
                # A person may be asked something; what the program says to them passes by.
                stdin=None if sys.stdin.isatty() else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            )
        except OSError as error:
            raise UsageError(
                f"cannot run {plugin.command}, which the kubeconfig logs in with",
                subject=plugin.command,
                hint=plugin.installHint or "install it, as for kubectl",
            ) from error
        try:
            async with asyncio.timeout(_LOGIN_S):
                printed = (await process.communicate())[0]
        except TimeoutError as error:
            raise TemporaryError(
                f"{plugin.command} did not end, and nobody is logged in", subject=plugin.command
            ) from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return _credential(printed, process.returncode or 0, plugin.command)


def _info(plugin: UserExec, config: SingleConfig) -> str:
    """What a plugin is told of who asks."""
    if not plugin.apiVersion.startswith(_GROUP):
        raise UnsupportedError(
            f"the kubeconfig's plugin speaks {plugin.apiVersion}", hint=f"it must be {_GROUP}v1"
        )
    cluster: dict[str, Any] = {"server": config.cluster.server}
    if config.cluster.certificate_auth_data:
        cluster["certificate-authority-data"] = config.cluster.certificate_auth_data
    return json.dumps(
        {
            "apiVersion": plugin.apiVersion,
            "kind": "ExecCredential",
            "spec": {"interactive": sys.stdin.isatty(), "cluster": cluster},
        }
    )


def _put_into(trust: ssl.SSLContext, credential: _Credential, program: str) -> None:
    """Have connections from now on made with this certificate; OpenSSL reads it from files only."""
    with tempfile.TemporaryDirectory(prefix="transom-") as folder:  # closed to all others
        certificate, key = Path(folder, "certificate"), Path(folder, "key")
        for path, text in ((certificate, credential.certificate), (key, credential.key)):
            path.touch(mode=0o600, exist_ok=False)
            path.write_text(text, encoding="utf-8")
        try:
            trust.load_cert_chain(certificate, key, password="")
        except (ssl.SSLError, ValueError) as error:
            raise PermanentError(
                f"{program} gives a client certificate that cannot be used: {_said(error)}",
                subject=program,
                hint="see whether `kubectl get nodes` works, and what it says",
            ) from None


def _said(error: Exception) -> str:
    return getattr(error, "reason", None) or "it is no certificate with its key in PEM"


def _credential(printed: bytes, code: int, program: str) -> _Credential:
    try:
        status = json.loads(printed)["status"] if code == 0 else None
    except (ValueError, KeyError, TypeError):
        status = None
    if not isinstance(status, dict):
        raise PermanentError(
            f"{program} ended with {code} and gave no credential for the cluster",
            subject=program,
            hint="see whether `kubectl get nodes` works, and what it says",
        )
    token, certificate, key = (
        found if isinstance(found := status.get(name), str) else ""
        for name in ("token", "clientCertificateData", "clientKeyData")
    )
    if not (token or certificate) or bool(certificate) != bool(key):
        raise PermanentError(
            f"{program} gave neither a token nor a client certificate with its key",
            subject=program,
            hint="see whether `kubectl get nodes` works, and what it says",
        )
    return _Credential(token, certificate, key, _time(status.get("expirationTimestamp")))


def _time(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found if found is None or found.tzinfo else found.replace(tzinfo=UTC)


def _kept_token(provider: Mapping[str, Any]) -> str:
    """The token that kubectl keeps in the kubeconfig for an identity provider."""
    token = str((provider.get("config") or {}).get("id-token") or "")
    hint = "`kubectl get nodes` renews it; or log in by a plugin such as kubelogin"
    if provider.get("name") != "oidc" or not token:
        raise UsageError(
            f"the kubeconfig logs in by {provider.get('name')!r} and has no id-token", hint=hint
        )
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        ends = datetime.fromtimestamp(int(claims["exp"]), UTC)
    except (ValueError, KeyError, IndexError, TypeError):
        return token
    if ends < datetime.now(UTC):
        raise UsageError(f"the kubeconfig's id-token ended at {ends:%Y-%m-%d %H:%M} UTC", hint=hint)
    return token
