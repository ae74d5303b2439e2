"""What a join must know of the cluster, read from it: version, endpoint, authority and network.

Reads only. A cluster that kubeadm did not make, or a network that
cannot be told, is reported with everything that is missing at once.
"""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any
from urllib.parse import urlsplit

from transom.errors import InvalidDocument, Refused, UnsupportedError, UsageError
from transom.facts import rows
from transom.facts.network import ModeRow
from transom.facts.rows import At
from transom.kube.api import Api
from transom.kube.authority import authority_pins
from transom.model.fleet import FLANNEL_MODES, FlannelSpec, Fleet, Network, NetworkMode
from transom.model.problem import Refusal
from transom.model.records import dataclass
from transom.yamlio.loader import load

_CLUSTER_INFO = ("kube-public", "cluster-info", "kubeconfig")
_KUBEADM = ("kube-system", "kubeadm-config", "ClusterConfiguration")
_KUBELET = ("kube-system", "kubelet-config", "kubelet")
_FLANNEL = (
    ("kube-flannel", "kube-flannel-cfg", "net-conf.json"),
    ("kube-system", "kube-flannel-cfg", "net-conf.json"),
)
_HTTPS_PORT = 443
_SHORT_HASH = len("sha256:") + 12
_GATES = "feature-gates"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterEntry:
    """How nodes get in: `endpoint` is where hosts reach the API server.

    `kubelet` is the configuration that kubeadm gives to every kubelet. `flannel` are the settings of
    the Linux side's Flannel, None where it has none. `gates` are what the API server was started with.
    """

    version: str
    endpoint: str
    ca_hashes: tuple[str, ...]
    pod_cidrs: tuple[str, ...] = ()
    service_cidrs: tuple[str, ...] = ()
    kubelet: Mapping[str, Any] = field(default_factory=dict)
    flannel: Mapping[str, Any] | None = None
    gates: Mapping[str, bool] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """Which cluster this is, in few words: where it is, and the beginning of its authority's hash."""
        return (
            f"{self.endpoint} ({self.ca_hashes[0][:_SHORT_HASH]})"
            if self.ca_hashes
            else self.endpoint
        )

    @property
    def cluster_dns(self) -> tuple[str, ...]:
        """The addresses of the cluster's DNS."""
        return tuple(str(address) for address in self.kubelet.get("clusterDNS") or ())


def refuse_another_cluster(fleet: Fleet, ca_hashes: Sequence[str]) -> None:
    """Raise where the cluster that answers is not the one that the fleet says it belongs to."""
    wanted = fleet.cluster.ca_cert_hashes
    if not wanted or not ca_hashes or set(wanted) & {found.lower() for found in ca_hashes}:
        return
    refusal = Refusal(
        id="another-authority",
        subject="cluster.caCertHashes",
        found=", ".join(ca_hashes),
        reason=f"fleet {fleet.name} belongs to the cluster with {', '.join(wanted)}",
        fix="Use the kubeconfig and context of that cluster; `--context` names one. If the cluster has a new "
        "authority, add its hash to cluster.caCertHashes.",
        source="the fleet",
    )
    raise Refused([refusal], subject=f"fleet {fleet.name}")


async def read_entry(api: Api) -> ClusterEntry:
    """Read everything but the network's meaning; raise with all that is missing."""
    version = await api.version()
    problems: list[str] = []
    info = await _document(api, _CLUSTER_INFO, problems)
    kubeadm = await _document(api, _KUBEADM, problems)
    kubelet = await _document(api, _KUBELET, problems)
    if problems:
        raise UsageError(
            f"the cluster has no {', no '.join(problems)}",
            hint="a join by kubeadm needs a cluster that kubeadm made, and the right to read these",
        )
    endpoint, pins = _access(info)
    networking = kubeadm.get("networking") or {}
    pods, services = (_list(networking.get(key)) for key in ("podSubnet", "serviceSubnet"))
    return ClusterEntry(
        version=version,
        endpoint=endpoint,
        ca_hashes=pins,
        pod_cidrs=pods,
        service_cidrs=services,
        kubelet=kubelet,
        flannel=await _flannel_settings(api),
        gates=_gates(kubeadm),
    )


def network_of(entry: ClusterEntry) -> Network:
    """The cluster's network in the fleet's words."""
    if entry.flannel is None:
        raise UsageError(
            "cannot tell the cluster's pod network: there is no ConfigMap kube-flannel-cfg",
            hint="install Flannel; other networks are joined with a fleet file",
        )
    return Network(
        pod_cidrs=entry.pod_cidrs or _list(entry.flannel.get("Network")),
        service_cidrs=entry.service_cidrs,
        cluster_dns=entry.cluster_dns,
        plugin=_flannel(entry.flannel.get("Backend") or {}),
    )


def flannel_mode(settings: Mapping[str, Any]) -> NetworkMode | None:
    """The mode that Flannel's settings mean, None where Windows has none like it."""
    backend = settings.get("Backend")
    return FLANNEL_MODES.get(str(backend.get("Type"))) if isinstance(backend, Mapping) else None


async def endpoint_of(api: Api) -> str:
    """Where nodes reach the API server; empty where the cluster does not tell."""
    info = await _document(api, _CLUSTER_INFO, [])
    return _access(info)[0] if info else ""


async def _document(
    api: Api, place: tuple[str, str, str], problems: list[str]
) -> Mapping[str, Any]:
    namespace, name, key = place
    data = await api.config_map(namespace, name)
    if data is None or key not in data:
        problems.append(f"ConfigMap {namespace}/{name} with {key}")
        return {}
    try:
        found = load(data[key], name=f"ConfigMap {namespace}/{name}")
    except InvalidDocument as error:
        raise UsageError(
            f"ConfigMap {namespace}/{name} holds no readable {key}", subject=name
        ) from error
    value = found[0].value if found else None
    return value if isinstance(value, dict) else {}


def _access(info: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    try:
        cluster = info["clusters"][0]["cluster"]
        server = urlsplit(cluster["server"])
        pem = base64.b64decode(cluster["certificate-authority-data"])
        pins = authority_pins(pem)
    except (KeyError, IndexError, TypeError, ValueError, binascii.Error) as error:
        raise UsageError(
            "the cluster's cluster-info names no API server with its authority",
            subject="ConfigMap kube-public/cluster-info",
            hint="`kubeadm init phase bootstrap-token` writes it anew",
        ) from error
    host = server.hostname or ""
    name = f"[{host}]" if ":" in host else host
    return f"{name}:{server.port or _HTTPS_PORT}", pins


def _gates(kubeadm: Mapping[str, Any]) -> dict[str, bool]:
    """The API server's feature gates: a map of arguments, or since v1beta4 a list of them."""
    server = kubeadm.get("apiServer")
    given = server.get("extraArgs") if isinstance(server, Mapping) else None
    if isinstance(given, Mapping):
        texts = [str(given.get(_GATES, ""))]
    else:
        items = [item for item in given or () if isinstance(item, Mapping)]
        texts = [str(item.get("value", "")) for item in items if item.get("name") == _GATES]
    pairs = (pair.partition("=") for text in texts for pair in text.split(",") if "=" in pair)
    return {name.strip(): value.strip().lower() == "true" for name, _, value in pairs}


async def _flannel_settings(api: Api) -> Mapping[str, Any] | None:
    for namespace, name, key in _FLANNEL:
        data = await api.config_map(namespace, name)
        if data is not None:
            try:
                found = json.loads(data[key])
            except (KeyError, ValueError) as error:
                raise UsageError(
                    f"ConfigMap {namespace}/{name} holds no readable {key}", subject=name
                ) from error
            return found if isinstance(found, dict) else {}
    return None


def _flannel(backend: Mapping[str, Any]) -> FlannelSpec:
    mode = FLANNEL_MODES.get(str(backend.get("Type")))
    if mode is None:
        raise UnsupportedError(
            f"Flannel's backend {backend.get('Type')} has no counterpart on Windows",
            subject="ConfigMap kube-flannel-cfg",
            hint=f"use one of {', '.join(FLANNEL_MODES)}",
        )
    if mode is NetworkMode.L2BRIDGE:
        return FlannelSpec(mode=mode)
    vni, port = backend.get("VNI"), backend.get("Port")
    if not isinstance(vni, int) or not isinstance(port, int):
        fact = rows.one(ModeRow, "mode-flannel-overlay", At())
        raise UnsupportedError(
            "the cluster's Flannel uses the VNI and port of Linux, which Windows cannot",
            subject="ConfigMap kube-flannel-cfg",
            hint=f'its Backend needs "VNI": {fact.vni}, "Port": {fact.port} on every node',
        )
    return FlannelSpec(mode=mode, vni=vni, port=port)


def _list(text: object) -> tuple[str, ...]:
    return tuple(part.strip() for part in str(text or "").split(",") if part.strip())
