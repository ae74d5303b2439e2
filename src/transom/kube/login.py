"""Who you are to a cluster: the headers that say so, and a client certificate where a program gives one.

As kubectl does it: tokens and passwords of the kubeconfig; a token in a file, read again as it is replaced;
plugins of every version, which are told who asks (`KUBERNETES_EXEC_INFO`) and whose tokens and client
certificates are kept until they expire or are refused; and the token that `auth-provider: oidc` keeps, while
it is good. Programs are started by argument lists; no token is shown or written.
"""

import asyncio
import base64
import json
import os
import ssl
import sys
import time
from asyncio import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from transom.errors import PermanentError, TemporaryError, UnsupportedError, UsageError
from transom.kube.kubeconfig import Chosen, Plugin
from transom.kube.tls import show

_GROUP = "client.authentication.k8s.io/"
# A person may have to log in at a browser meanwhile.
_LOGIN_S = 300.0
_EARLY = timedelta(seconds=30)
# As client-go does it.
_TOKEN_FILE_S = 60.0


Headers = Mapping[str, str]


class Login(Protocol):
    """What makes requests ours."""

    async def headers(self, refused: Headers | None = None) -> Headers:
        """The headers to send; where `refused` were not accepted, newer ones if there are any."""
        ...


def login_of(chosen: Chosen, trust: ssl.SSLContext) -> Login:
    """The login of a kubeconfig's user.

    A client certificate that a plugin gives is put into `trust`, with which connections are made.
    """
    user = chosen.user
    if user.token_file:
        return TokenFile(Path(user.token_file))
    if user.token:
        return _bearer(user.token)
    if user.username:
        pair = base64.b64encode(f"{user.username}:{user.password}".encode()).decode()
        return Fixed({"Authorization": f"Basic {pair}"})
    if user.plugin is not None:
        return PluginLogin(user.plugin, chosen, trust)
    if user.provider is not None:
        return _bearer(_kept_token(user.provider))
    return Fixed({})


class Fixed:
    """Headers that do not change."""

    def __init__(self, headers: Headers) -> None:
        self._headers = headers

    async def headers(self, refused: Headers | None = None) -> Headers:
        """Give them."""
        del refused
        return self._headers


def _bearer(token: str) -> Fixed:
    return Fixed({"Authorization": f"Bearer {token}"})


class TokenFile:
    """A token in a file that somebody replaces: read each minute, and at once where it was refused."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._held: Headers = {}
        self._read_at = 0.0

    async def headers(self, refused: Headers | None = None) -> Headers:
        """Give those of the file; while it cannot be read, those it had."""
        now = self._clock()
        if not self._held or refused is self._held or now - self._read_at >= _TOKEN_FILE_S:
            self._read_at = now
            token = self._token()
            found = {"Authorization": f"Bearer {token}"}
            if token and found != self._held:
                self._held = found
        return self._held

    def _token(self) -> str:
        try:
            token = self._path.read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            token = ""
        if not token and not self._held:
            raise UsageError(
                f"cannot read a token in {self._path}, which the cluster is asked with",
                subject=str(self._path),
                hint="the file must hold a token that this user may read",
            )
        return token


@dataclass(frozen=True, eq=False)
class _Credential:
    """What a plugin gave: headers with a token, a client certificate with its key, or both."""

    certificate: str
    key: str = field(repr=False)
    ends: datetime | None
    headers: Headers = field(repr=False)

    @property
    def is_over(self) -> bool:
        return self.ends is not None and datetime.now(UTC) > self.ends - _EARLY


class PluginLogin:
    """Credentials from a program that the kubeconfig names; it is run once for all requests."""

    def __init__(self, plugin: Plugin, chosen: Chosen, trust: ssl.SSLContext) -> None:
        self._plugin = plugin
        self._info = _info(plugin, chosen)
        self._folder = chosen.folder
        self._trust = trust
        self._lock = asyncio.Lock()
        self._held: _Credential | None = None

    async def headers(self, refused: Headers | None = None) -> Headers:
        """Show the credential, and a new one where that is refused or over."""
        async with self._lock:
            held = self._held
            if held is None or held.headers is refused or held.is_over:
                self._held = held = await self._asked()
                if held.certificate:
                    _put_into(self._trust, held, self._plugin.command)
            return held.headers

    async def _asked(self) -> _Credential:
        plugin = self._plugin
        command = plugin.command
        if os.sep in command and not Path(command).is_absolute():
            command = str(self._folder / command)
        environment = {**os.environ, **plugin.env, "KUBERNETES_EXEC_INFO": self._info}  # noqa: TID251 - a door
        try:
            process = await asyncio.create_subprocess_exec(
                command,
                *plugin.args,
                env=environment,
                # A person may be asked something; what the program says to them passes by.
                stdin=None if sys.stdin.isatty() else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            )
        except OSError as error:
            raise UsageError(
                f"cannot run {plugin.command}, which the kubeconfig logs in with",
                subject=plugin.command,
                hint=plugin.install_hint or "install it, as for kubectl",
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


def _info(plugin: Plugin, chosen: Chosen) -> str:
    """What a plugin is told of who asks."""
    if not plugin.api_version.startswith(_GROUP):
        raise UnsupportedError(
            f"the kubeconfig's plugin speaks {plugin.api_version}", hint=f"it must be {_GROUP}v1"
        )
    cluster: dict[str, Any] = {"server": chosen.cluster.server}
    if isinstance(chosen.cluster.authority, bytes):
        data = base64.b64encode(chosen.cluster.authority).decode()
        cluster["certificate-authority-data"] = data
    return json.dumps(
        {
            "apiVersion": plugin.api_version,
            "kind": "ExecCredential",
            "spec": {"interactive": sys.stdin.isatty(), "cluster": cluster},
        }
    )


def _put_into(trust: ssl.SSLContext, credential: _Credential, program: str) -> None:
    try:
        show(trust, credential.certificate.encode(), credential.key.encode())
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
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if certificate:
        # A connection keeps the certificate it was made with, so each is for one request.
        headers["Connection"] = "close"
    ends = _time(status.get("expirationTimestamp"))
    return _Credential(certificate, key, ends, headers)


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
