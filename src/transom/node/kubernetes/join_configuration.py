"""kubeadm's JoinConfiguration as somebody else wrote it: closed to others, then read for its token.

No error shows a token.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from transom.errors import UsageError
from transom.model.request import JoinSecrets
from transom.model.sddl import ADMINISTRATORS_ONLY
from transom.node.host.nouns.files import Files
from transom.node.host.values import PathKind
from transom.node.kubernetes import block_yaml

TOKEN = re.compile(r"[a-z0-9]{6}\.[a-z0-9]{16}")


def read(files: Files, path: str) -> Mapping[str, Any]:
    """Read the configuration, after closing it to everybody else."""
    if files.kind(path) is PathKind.ABSENT:
        raise UsageError(
            f"there is no {path}",
            subject=path,
            hint="Boot data writes it; at a prompt, name your own.",
        )
    files.set_acl(path, ADMINISTRATORS_ONLY)
    text = files.read(path).decode()
    try:
        found = block_yaml.read(text)
    except ValueError as error:
        raise UsageError(
            f"{path} cannot be read: {TOKEN.sub('[token]', str(error))}", subject=path
        ) from None
    if not isinstance(found, dict) or found.get("kind") != "JoinConfiguration":
        raise UsageError(f"{path} is no JoinConfiguration", subject=path)
    return found


def secrets(configuration: Mapping[str, Any], path: str) -> JoinSecrets:
    """Where and with what token it joins, and how long it may look for the cluster."""
    discovery = configuration.get("discovery") or {}
    found = discovery.get("bootstrapToken") or {}
    patience = (configuration.get("timeouts") or {}).get("discovery") or discovery.get("timeout")
    try:
        secrets = JoinSecrets(
            endpoint=str(found["apiServerEndpoint"]),
            token=str(found["token"]),
            ca_hashes=tuple(map(str, found["caCertHashes"])),
        )
        return replace(secrets, discovery=str(patience)) if patience else secrets
    except (KeyError, TypeError) as error:
        raise UsageError(
            f"{path} has no bootstrapToken with endpoint, token and caCertHashes", subject=path
        ) from error
