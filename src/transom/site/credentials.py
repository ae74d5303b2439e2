"""Secrets from where a fleet says they are; each is read once, and only when it is needed.

The only place that reads a secret's value from outside.
"""

import asyncio
import re
import unicodedata
from typing import TYPE_CHECKING

from transom.errors import UsageError
from transom.model.fleet import (
    Credential,
    FromAgent,
    FromCommand,
    FromEnvironment,
    FromFile,
    FromPrompt,
    FromSecret,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from transom.kube.api import Api
    from transom.site.environment import Environment


_KEY_BLOCK = "-----BEGIN "
# Beginnings of keys, also of those that were encoded once more or lost their lines.
_LOOKS_LIKE_KEY = re.compile(
    r"BEGIN [A-Z0-9 ]+-{4,}"
    r"|PuTTY-User-Key-File-"
    r"|^AGE-SECRET-KEY-"
    r"|^(?:ssh|ecdsa|sk-ssh|sk-ecdsa)-\S+ AAAA"
    r"|^LS0tLS1CRUdJTi"  # -----BEGIN in base64
    r"|^b3BlbnNzaC1rZXktdjE"  # openssh-key-v1 in base64
    r"|^\{.*\"kty\"",
    re.MULTILINE,
)
# PWLEN of Windows' lmcons.h; whatever is longer is another kind of secret.
_LONGEST_PASSWORD = 256


def is_key(text: str) -> bool:
    """Whether a secret is a private key as SSH takes it; whether it can be read is seen later."""
    return text.startswith(_KEY_BLOCK) and "\n" in text


def password_of(text: str, *, of: str) -> str:
    """The secret, if it can be a password; a key must never reach a host by mistake."""
    why_not = _why_no_password(text)
    if why_not:
        raise UsageError(
            f"what was found as the password for {of} is not sent: {why_not}",
            hint="give a password in one line, or for SSH a private key that begins with "
            f"`{_KEY_BLOCK}`; `puttygen KEY.ppk -O private-openssh -o KEY` converts one of PuTTY, and "
            "`openssl pkey -in KEY.pem -out KEY` takes away what stands before one",
        )
    return text


def _why_no_password(text: str) -> str:
    if not text:
        return "it is empty"
    if is_key(text) or _LOOKS_LIKE_KEY.search(text):
        return "it looks like a private key"
    if len(text.splitlines()) > 1:
        return "it has more than one line"
    if any(letter == "\ufffd" or unicodedata.category(letter) in ("Cc", "Cf") for letter in text):
        return "it holds characters that nobody types, such as a byte order mark"
    if len(text) > _LONGEST_PASSWORD:
        return f"it is longer than the {_LONGEST_PASSWORD} characters that Windows takes"
    return ""


class Secrets:
    """The secrets of one run. `ask` gets one from the user, and is told whose it is."""

    def __init__(
        self, api: "Api | None", environment: "Environment", ask: "Callable[[str], str]"
    ) -> None:
        self._api = api
        self._environment = environment
        self._ask = ask
        self._kept: dict[tuple[Credential, str], str] = {}
        self._lock = asyncio.Lock()

    async def value(self, credential: Credential, *, of: str) -> str:
        """The secret; `of` says whose it is, for a prompt and for messages."""
        key = (credential, of if isinstance(credential, FromPrompt) else "")
        async with self._lock:
            if key not in self._kept:
                self._kept[key] = await self._read(credential, of)
            return self._kept[key]

    async def _read(self, credential: Credential, of: str) -> str:
        match credential:
            case FromEnvironment():
                return self._variable(credential.name, of)
            case FromCommand():
                from transom.remote.secret_command import printed_secret

                return await printed_secret(credential.argv)
            case FromFile():
                return self._file(credential.path)
            case FromPrompt():
                return await self._prompted(of)
            case FromSecret():
                return await self._secret(credential)
            case FromAgent():
                raise UsageError(f"the SSH agent shows no secret, and {of} needs one")

    async def _secret(self, place: FromSecret) -> str:
        named = f"Secret {place.namespace}/{place.name}"
        if self._api is None:
            raise UsageError(f"{named} cannot be read without a kubeconfig", subject=named)
        found = await self._api.secret(place.namespace, place.name)
        if found is None or place.key not in found:
            raise UsageError(
                f"{named} with the key {place.key} is not there",
                subject=named,
                hint="make it, or name another place in the Client's credential",
            )
        return found[place.key].decode("utf-8", "replace").rstrip("\r\n")

    def _variable(self, name: str, of: str) -> str:
        found = self._environment.variables.get(name)
        if not found:
            raise UsageError(f"${name} is not set, and {of} needs it", subject=name)
        return found

    def _file(self, path: str) -> str:
        try:
            return self._environment.path(path).read_text("utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read {path}", subject=path) from error

    async def _prompted(self, of: str) -> str:
        if not self._environment.can_ask:
            raise UsageError(
                f"{of} needs a password, and nobody can be asked",
                hint="name another place in the Client's credential: env, command or secretRef",
            )
        return await asyncio.to_thread(self._ask, of)
