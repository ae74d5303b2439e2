"""Who you are to a cluster where the kubeconfig leaves that to a program or an identity provider.

Used by `client`. lightkube knows tokens, certificates and the plugins of old; this is what kubectl does
besides: plugins of every version are told who asks (`KUBERNETES_EXEC_INFO`), their tokens are kept until
they expire or are refused, and the token that `auth-provider: oidc` keeps is used while it is good.
Programs are started by argument lists; no token is shown or written.
"""

import asyncio
import base64
import json
import os
import sys
from asyncio import subprocess
from collections.abc import AsyncGenerator, Mapping
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


def login_of(config: SingleConfig) -> "httpx2.Auth | None":
    """The login that the user of a kubeconfig needs; None where lightkube has it."""
    user = config.user
    if user is None or user.token is not None or user.token_file is not None:
        return None
    if user.exec is not None:
        return PluginLogin(user.exec, config)
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


class PluginLogin(httpx2.Auth):
    """Tokens from a program that the kubeconfig names; it is run once for all requests."""

    def __init__(self, plugin: UserExec, config: SingleConfig) -> None:
        self._plugin = plugin
        self._info = _info(plugin, config)
        self._folder = config.fname.parent if config.fname is not None else Path()
        self._lock = asyncio.Lock()
        self._token = ""
        self._ends: datetime | None = None

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send the token, and a new one where that is refused."""
        token = await self._current("")
        request.headers["Authorization"] = f"Bearer {token}"
        response = yield request
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            request.headers["Authorization"] = f"Bearer {await self._current(token)}"
            yield request

    async def _current(self, refused: str) -> str:
        async with self._lock:
            over = self._ends is not None and datetime.now(UTC) > self._ends - _EARLY
            if self._token in ("", refused) or over:
                status = await self._asked()
                self._token, self._ends = status["token"], _time(status.get("expirationTimestamp"))
            return self._token

    async def _asked(self) -> Mapping[str, str]:
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
        return _status(printed, process.returncode or 0, plugin.command)


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


def _status(printed: bytes, code: int, program: str) -> Mapping[str, str]:
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
    if not isinstance(status.get("token"), str):
        raise UnsupportedError(
            f"{program} gives a client certificate, and only tokens of such programs are known",
            subject=program,
            hint="use a kubeconfig with the certificate itself",
        )
    return status


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
