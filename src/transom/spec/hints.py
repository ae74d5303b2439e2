"""What to write instead, where people write what other tools, other levels or v1alpha1 have.

Each hint is the answer to one plausible mistake; the mistake itself is found by `validation`.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from transom.spec.fault import Path
from transom.spec.syntax import duration_s

_CONVERT = "`transom convert` rewrites a v1alpha1 document."
_TAINT = re.compile(r"(?P<key>[^=:\s]+)(?:=(?P<value>[^:\s]*))?:(?P<effect>[A-Za-z]+)")
_PAIR = re.compile(r"(?P<name>-{0,2}[^=\s]+)=(?P<value>.*)")
_VARIABLE = re.compile(r"\$\{?[A-Za-z_]")

Hint = str | Callable[[Path, Any], str]


def _seconds(key: str) -> Callable[[Path, Any], str]:
    def hint(_: Path, value: Any) -> str:
        seconds = duration_s(value) if isinstance(value, str) else 0
        if isinstance(value, int) and not isinstance(value, bool):
            seconds = value
        return f"Write `{key}: {seconds or 600}`, in seconds."

    return hint


def _policy(key: str, yes: str, no: str) -> Callable[[Path, Any], str]:
    def hint(_: Path, value: Any) -> str:
        chosen = yes if value in (True, "allowed") else no if value in (False, "refused") else yes
        other = no if chosen == yes else yes
        return f"Write `{key}: {chosen}`; the other choice is `{other}`."

    return hint


def _named_credential(_: Path, value: Any) -> str:
    file = value if isinstance(value, str) else ""
    if isinstance(value, dict):
        file = value.get("file") or ""
    place = f"type: SSHPrivateKey, file: {file or '~/.ssh/id_ed25519'}"
    return (
        "Write `credentialName: admins` in `connection`, and in the Client document "
        f"`credentials: [{{name: admins, {place}}}]`. Left out: the SSH agent and ~/.ssh."
    )


def _pool_hosts(_: Path, value: Any) -> str:
    del value
    return "Hosts stand in `spec.hosts`, each with the `poolName` of its pool."


def _in_host(path: Path, _: Any) -> str:
    return f"Write it below `host`: `host: {{{path[-1]}: ...}}`."


def _of_one_host(_: Path, value: Any) -> str:
    shown = value if isinstance(value, str) else "ssh-ed25519 AAAA..."
    return f"Write it in the host itself: `sshHostKeys: [{json.dumps(shown)}]`."


def _client(key: str) -> str:
    return (
        f"Write `{key}` in the Client document, for this fleet: it is about one person's machine."
    )


_ROLE = "Remove it: Kubernetes runs on Windows as a worker only."
_RUNTIME = "Write it below `defaults`: `defaults: {runtime: {type: Containerd}}`."
_LOCAL = "Name the host in the Client document instead: `localHost: win-01`."
_SETTINGS: Mapping[str, Hint] = {
    "reboot": _policy("rebootPolicy", "IfNeeded", "Never"),
    "rename": _policy("computerNamePolicy", "Rename", "Keep"),
    "upgrade": "Write `rollout` in the pool, or in `spec` for every pool.",
    "rollout": "Write `rollout` in the pool, or in `spec` for every pool.",
    "role": _ROLE,
    "credential": _named_credential,
    "hostKey": _of_one_host,
    "nodeLabels": "Write `labels`.",
    "os": "Write `windows: {release: ltsc2022}`.",
    "release": "Write `windows: {release: ltsc2022}`.",
    "kubernetes": "Write it in the pool or in `spec`: nodes of a pool run one version.",
    "proxy": "Write it in the pool or in `spec`.",
}
_OWN: Mapping[str, Hint] = {
    "pool": "Write `poolName`.",
    "ip": "Write `address` for how it is reached, `nodeIP` for its address in the cluster.",
    "hostname": "Write `computerName` for Windows' name, `nodeName` for the Node's.",
    "hostKey": _of_one_host,
    "user": "Write `host: {connection: {ssh: {user: Administrator}}}`.",
    "port": "Write `host: {connection: {ssh: {port: 22}}}`.",
    "role": _ROLE,
    **dict.fromkeys(
        (
            *("windows", "connection", "runtime", "kubelet", "labels", "taints", "directories"),
            *("computerNamePolicy", "longName", "rebootPolicy", "isolation", "unset"),
        ),
        _in_host,
    ),
}
_UNKNOWN: Mapping[str, Mapping[str, Hint]] = {
    "Fleet": {"metadata.name": "Write `metadata: {name: ...}`."},
    "FleetSpec": {
        "privileged": "Write `privilegedMode`: `HostProcess`, `Services` or `Wins`.",
        "allowEndOfLife": _policy("endOfLifePolicy", "Allow", "Refuse"),
        "runtime": _RUNTIME,
        "containerd": _RUNTIME,
        "upgrade": "Write `rollout`.",
        "version": "Write `kubernetes: {version: 1.37.1}`.",
        "windows": "Write it below `defaults`: `defaults: {windows: {release: ltsc2022}}`.",
        "labels": "Write it below `defaults`, for the nodes, or in `metadata`, for this document.",
        "kubeconfig": _client("kubeconfig"),
        "context": _client("context"),
    },
    "Cluster": {
        "kubeconfig": _client("kubeconfig"),
        "context": _client("context"),
        "endpoint": "Write `joinEndpoint`.",
        "tokenFrom": _client("bootstrapToken"),
        "token": _client("bootstrapToken"),
        "name": "Write `caCertHashes`: a name is not an identity.",
    },
    "Network": {
        "plugin": "Write `type: Flannel`, or another plugin.",
        "cni": "Write `type: Flannel`, or another plugin.",
        "weave": "Weave does not run on Windows. Write `type: Flannel`, or another plugin.",
        "wincni": "Write `type: WinCNI` and `winCNI`.",
        "podCIDR": "Write `podCIDRs`, a list.",
        "serviceCIDR": "Write `serviceCIDRs`, a list.",
        "podSubnet": "Write `podCIDRs`, a list.",
        "serviceSubnet": "Write `serviceCIDRs`, a list.",
        "dnsDomain": "Write `clusterDomain`.",
        "mode": "Write it below the plugin: `flannel: {mode: Overlay}`.",
    },
    "Flannel": {"backend": "Write `mode`: `Overlay` for vxlan, `L2Bridge` for host-gw."},
    "Containerd": {
        "mirrors": "Write `registries: [{host: registry.k8s.io, mirrors: [{url: ...}]}]`.",
        "config": "Write `configPatch`, as TOML.",
    },
    "Proxy": {
        "http": "Write `httpProxy`.",
        "https": "Write `httpsProxy`.",
        "HTTP_PROXY": "Write `httpProxy`.",
        "HTTPS_PROXY": "Write `httpsProxy`.",
        "NO_PROXY": "Write `noProxy`, a list.",
    },
    "Source": {"bundle": _client("bundle")},
    "Override": {"file": _client("overrides")},
    "Connection": {
        "local": _LOCAL,
        "credential": _named_credential,
        "hostKey": _of_one_host,
        "user": "Write it below the way: `ssh: {user: Administrator}`.",
        "port": "Write it below the way: `ssh: {port: 22}`.",
        "jump": "Write it below `ssh`.",
    },
    "SSH": {
        "credential": _named_credential,
        "hostKey": _of_one_host,
        "hostKeys": _of_one_host,
        "identityFile": _named_credential,
        "key": _named_credential,
        "credentialName": "Write it in `connection`, beside `ssh`.",
    },
    "WinRM": {
        "credential": _named_credential,
        "credentialName": "Write it in `connection`, beside `winrm`.",
    },
    "Drain": {
        "timeout": _seconds("timeoutSeconds"),
        "gracePeriod": _seconds("gracePeriodSeconds"),
        "deleteEmptyDirData": _policy("emptyDirPolicy", "Delete", "Refuse"),
        "force": _policy("unmanagedPodPolicy", "Delete", "Refuse"),
    },
    "Rollout": {
        "pause": _seconds("pauseSeconds"),
        "timeout": "Write `drain: {timeoutSeconds: 600}`.",
        "maxSurge": "Windows hosts are not made anew for a change: only `maxUnavailable` is there.",
    },
    "Pool": {
        "hosts": _pool_hosts,
        "upgrade": "Write `rollout`.",
        "maxUnavailable": "Write `rollout: {maxUnavailable: 1}`.",
        "runtime": _in_host,
        **{key: hint for key, hint in _OWN.items() if hint is _in_host},
    },
    "HostSettings": {
        **_SETTINGS,
        "unset": "There is nothing above the defaults: remove the key here.",
    },
    "HostOverrides": _SETTINGS,
    "FleetHost": _OWN,
    "WindowsHostSpec": {**_OWN, "fleet": "Write `fleetName`.", "name": "Write `metadata: {name: ...}`."},
    "Credential": {
        "agent": "Write `type: SSHAgent`.",
        "prompt": "Write `type: Password` and no place: you are asked then.",
        "password": "Say where it is: `file`, `env`, `command` or `secretRef`.",
        "keyFile": "Write `file`.",
    },
    "BootstrapToken": {"prompt": "Remove it; name a place."},
    "Client": {"kubeconfig": "Write it in an entry of `fleets`, with `fleetName`."},
}  # fmt: skip
_V1ALPHA1 = frozenset(
    {
        *("privileged", "allowEndOfLife", "reboot", "rename", "upgrade", "deleteEmptyDirData"),
        *("tokenFrom", "credential", "hostKey"),
    }
)


WRONG_HEADS: Mapping[Path, str] = {
    ("kind",): "The kinds are `Fleet`, `WindowsHost` and `Client`.",
    (
        "apiVersion",
    ): "`Fleet` and `WindowsHost` are of transom.dev/v1alpha2, `Client` of client.transom.dev/v1alpha1.",
}


def named_in(hint: str) -> list[str]:
    """The keys that a hint tells to write."""
    return re.findall(r"Write `(\w+)", hint)


def unknown_key(title: str, path: Path, value: Any) -> str:
    """What a key that is not there was probably meant to be, in the map of that title."""
    key = str(path[-1])
    if key.startswith("x-"):
        return "Keys that begin with `x-` stand at the top of a document, beside `spec`."
    hint = _UNKNOWN.get(title, {}).get(key, "")
    text = hint if isinstance(hint, str) else hint(path, value)
    return f"{text} {_CONVERT}" if text and key in _V1ALPHA1 else text


def wrong_type(path: Path, value: Any) -> str:
    """What to write for a value of another type, where what was meant can be told."""
    key = str(path[-1]) if path else ""
    parent = next((part for part in reversed(path[:-1]) if isinstance(part, str)), "")
    of_items = _OF_ITEMS.get(parent)
    of_lists = _OF_LISTS.get(key)
    if isinstance(value, str) and of_items is not None:
        return of_items(value)
    if isinstance(value, dict) and value and of_lists is not None:
        return of_lists(value)
    if key == "labels" and isinstance(value, list):
        return "Write a map: `labels: {example.com/tier: web}`."
    if key in _LISTS and isinstance(value, str):
        return f"Write a list: `{key}: [{value}]`."
    return ""


def _taint(text: str) -> str:
    found = _TAINT.fullmatch(text)
    if found is None:
        return ""
    middle = f", value: {found['value']}" if found["value"] else ""
    return f"Write `- {{key: {found['key']}{middle}, effect: {found['effect']}}}`."


def _argument(text: str) -> str:
    found = _PAIR.fullmatch(text)
    if found is None:
        return ""
    name, value = found["name"].lstrip("-"), json.dumps(found["value"])
    return f"Write `- {{name: {name}, value: {value}}}`."


def _arguments(value: Mapping[str, Any]) -> str:
    listed = [
        f"{{name: {k.lstrip('-')}, value: {json.dumps(_plain(v))}}}" for k, v in value.items()
    ]
    return f"Write a list: `[{', '.join(listed)}]`."


def _mirrors(value: Mapping[str, Any]) -> str:
    from_, to = next(iter(value.items()))
    return f"Write a list: `[{{from: {json.dumps(from_)}, to: {json.dumps(to)}}}]`."


def _overrides(value: Mapping[str, Any]) -> str:
    return f"Write a list: `[{{artifact: {next(iter(value))}, ...}}]`."


_OF_ITEMS = {"taints": _taint, "extraArgs": _argument}
_OF_LISTS = {"extraArgs": _arguments, "mirrors": _mirrors, "overrides": _overrides}
_LISTS = frozenset({"podCIDRs", "serviceCIDRs", "clusterDNS", "noProxy", "caCertHashes", "sshHostKeys", "command"})  # fmt: skip


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def wrong_word(path: Path, value: Any, near: str) -> str:
    """What to write for a text that is spelt wrong; `near` is what its syntax suggests."""
    if isinstance(value, str) and _VARIABLE.search(value):
        return (
            "Transom substitutes no variables: write the value, or run envsubst or kustomize first."
        )
    if path and path[-1] == "address" and near and isinstance(value, str):
        port = value.rpartition(":")[2]
        return f"Write `address: {near}` and `host: {{connection: {{ssh: {{port: {port}}}}}}}`."
    if near and path[-1] == "name" and "hosts" in path:
        return f"Write `name: {near}` and `computerName: {value}`."
    return f"Did you mean {near}?" if near else ""
