"""What kubeadm is told on each kind of machine, as the bootstrap provider takes it."""

import base64
import gzip
from collections.abc import Sequence
from typing import Any

from transom.bootstrap.compile import CLOSE, BootFile, commands
from transom.capi.needs import gates, needs
from transom.capi.objects import arguments
from transom.capi.wish import Wish
from transom.facts.join import CriSocket
from transom.facts.rows import At, rows
from transom.model.places import JOIN_CONFIGURATION, SENTINEL

_NODE_NAME = '{{ ds.meta_data["local_hostname"] }}'
_VERBOSITY = {"v": "2", "windows-priorityclass": "ABOVE_NORMAL_PRIORITY_CLASS"}


def windows_configuration(wish: Wish) -> dict[str, Any]:
    """A Windows worker's: the node program around the join, SSH keys, and no token left behind."""
    spec: dict[str, Any] = {
        "joinConfiguration": {
            "nodeRegistration": {
                "criSocket": _socket(wish),
                "name": _NODE_NAME,
                "kubeletExtraArgs": arguments(
                    wish, {**_VERBOSITY, **gates(wish), **_pairs(wish.registration.kubelet)}
                ),
            }
        },
        "users": [
            {
                "name": wish.user,
                "groups": "Administrators",
                "sshAuthorizedKeys": ["${SSH_PUBLIC_KEY}"],
            }
        ],
        "preKubeadmCommands": list(commands(prepare=True)) if wish.files else [CLOSE],
        # The token goes; and a join that failed ends here, not with the success of what follows.
        "postKubeadmCommands": [f"if not exist {SENTINEL} exit 1", f"del {JOIN_CONFIGURATION}"],
    }
    if wish.files:
        spec["files"] = [_file(file) for file in wish.files]
    return spec


def linux_configuration(wish: Wish) -> dict[str, Any]:
    """A Linux worker's, with what every Linux machine needs for the Windows ones."""
    spec: dict[str, Any] = {"joinConfiguration": {"nodeRegistration": _registration(wish)}}
    for need in needs(wish):
        if need.everywhere:
            spec = merged(spec, need.part)
    return spec


def control_plane_configuration(wish: Wish) -> dict[str, Any]:
    """The control plane's, with all that the facts demand of it."""
    spec: dict[str, Any] = {
        "initConfiguration": {"nodeRegistration": _registration(wish)},
        "joinConfiguration": {"nodeRegistration": _registration(wish)},
    }
    if wish.registration.controller_manager:
        extra = arguments(wish, _pairs(wish.registration.controller_manager))
        spec["clusterConfiguration"] = {"controllerManager": {"extraArgs": extra}}
    for need in needs(wish):
        spec = merged(spec, need.part)
    return spec


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Two configurations as one; lists one after the other."""
    found = dict(one)
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(found.get(key), dict):
            found[key] = merged(found[key], value)
        elif isinstance(value, list) and isinstance(found.get(key), list):
            found[key] = [*found[key], *value]
        else:
            found[key] = value
    return found


def _registration(wish: Wish) -> dict[str, Any]:
    extra = arguments(wish, _pairs(wish.registration.kubelet))
    return {"name": _NODE_NAME, "kubeletExtraArgs": extra}


def _pairs(words: Sequence[str]) -> dict[str, str]:
    split = (word.partition("=") for word in words)
    return {name: value for name, _, value in split}


def _socket(wish: Wish) -> str:
    runtime = "docker" if wish.legacy else "containerd"
    at = At(kubernetes=wish.kubernetes)
    return next(row.endpoint for row in rows(CriSocket, at) if row.runtime == runtime)


def _file(file: BootFile) -> dict[str, str]:
    packed = base64.b64encode(gzip.compress(file.content, mtime=0)).decode()
    return {"path": file.path, "encoding": "gzip+base64", "content": packed}
