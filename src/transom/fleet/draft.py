"""A first fleet document, written from what a cluster says of itself. Writing is pure.

It is text with comments, for a person to go on with; what cannot be known is
a comment that says so.
"""

import json
import re
from collections.abc import Iterator, Sequence

from transom.addons import calico_pools
from transom.errors import TransomError
from transom.fleet.cluster import ClusterEntry, network_of
from transom.fleet.host_lists import ListedHost
from transom.fleet.planning.cluster_checks import plugin_of
from transom.kube.api import Api
from transom.kube.door import Door
from transom.model.fleet import FlannelSpec
from transom.model.records import dataclass

_DEFAULT_RELEASE = "2022"
_KNOWN = ("calico", "azureCNI", "ovnKubernetes")


@dataclass(frozen=True, slots=True)
class LinuxNetwork:
    """The plugin that was found on the Linux nodes, by its key in a fleet, and its mode if that is known."""

    plugin: str
    mode: str = ""


async def read_linux_network(
    api: Api, entry: ClusterEntry, objects: Door | None
) -> LinuxNetwork | None:
    """The network by its DaemonSets, and Calico's mode by its pools; None where nothing tells."""
    try:
        found = plugin_of(entry, await api.daemon_sets())
    except TransomError:
        return None
    if found is None or found.name != "calico" or objects is None:
        return None if found is None else LinuxNetwork(found.name)
    try:
        pools = await objects.list(calico_pools.API_VERSION, calico_pools.KIND)
    except TransomError:
        pools = ()
    return LinuxNetwork(found.name, calico_pools.mode_of(pools))


def draft(
    name: str,
    entry: ClusterEntry,
    *,
    kubeconfig: str,
    context: str,
    hosts: Sequence[ListedHost],
    linux: LinuxNetwork | None = None,
) -> str:
    """The document's text; `linux` is the network of the Linux nodes where that is not Flannel."""
    lines = _lines(name, entry, kubeconfig=kubeconfig, context=context, hosts=hosts, linux=linux)
    return "\n".join(lines) + "\n"


def _lines(
    name: str,
    entry: ClusterEntry,
    *,
    kubeconfig: str,
    context: str,
    hosts: Sequence[ListedHost],
    linux: LinuxNetwork | None,
) -> Iterator[str]:
    yield "# Written by `transom init` from the cluster. Next: add hosts, `transom lock`, `transom plan`."
    yield "# Every key: docs/fleet.md; `transom schema` writes a schema for editors."
    yield "apiVersion: transom.dev/v1alpha1"
    yield "kind: Fleet"
    yield "metadata:"
    yield f"  name: {_text(name)}"
    yield "spec:"
    yield "  cluster:"
    if kubeconfig:
        yield f"    kubeconfig: {json.dumps(kubeconfig)}"
    if context:
        yield f"    context: {json.dumps(context)}"
    yield "  kubernetes:"
    yield f"    version: {entry.version} # what the API server runs"
    yield from _network(entry, linux)
    yield "  defaults: # what holds for every host, unless its pool or the host says otherwise"
    yield "    windows:"
    yield f"      release: {_DEFAULT_RELEASE}"
    yield "    connection:"
    yield "      ssh:"
    yield "        user: Administrator"
    yield "        credential:"
    yield "          agent: true # or file, env, command, prompt, secretRef; never the secret itself"
    yield "    taints: # keeps pods that know nothing of Windows away"
    yield "      - {key: os, value: windows, effect: NoSchedule}"
    pools = dict.fromkeys(host.pool for host in hosts if host.pool)
    if pools:
        yield "  pools:"
        for pool in pools:
            yield f"    - {{name: {_text(pool)}, upgrade: {{maxUnavailable: 1}}}}"
    if hosts:
        yield "  hosts:"
        yield from (f"    - {_host(host)}" for host in hosts)
    else:
        yield "  hosts: []"
        yield "  # - {name: win-01, address: 10.0.0.21}"


def _network(entry: ClusterEntry, linux: LinuxNetwork | None) -> Iterator[str]:
    yield "  network: # as the cluster's Linux nodes have it"
    yield f"    podCIDRs: {json.dumps(list(entry.pod_cidrs))}"
    yield f"    serviceCIDRs: {json.dumps(list(entry.service_cidrs))}"
    if entry.cluster_dns:
        yield f"    clusterDNS: {json.dumps(list(entry.cluster_dns))}"
    if linux is not None and linux.plugin in _KNOWN:
        mode = f"mode: {linux.mode}" if linux.mode else ""
        yield f"    {linux.plugin}: {{{mode}}} # found by its DaemonSet"
        return
    try:
        plugin = network_of(entry).plugin
    except TransomError as error:
        yield f"    # {error.message}"
        yield "    external: # or flannel, calico, azureCNI, ovnKubernetes"
        yield "      networkName: FILL-IN"
        return
    assert isinstance(plugin, FlannelSpec)
    yield "    flannel:"
    yield f"      mode: {plugin.mode.value if plugin.mode else 'overlay'}"
    if plugin.vni:
        yield f"      vni: {plugin.vni}"
        yield f"      port: {plugin.port}"


def _text(text: str) -> str:
    """As YAML has it: plain where nothing in it means anything."""
    return text if re.fullmatch(r"[A-Za-z0-9-]+", text) else json.dumps(text)


def _host(host: ListedHost) -> str:
    parts = [f"name: {json.dumps(host.name)}"]
    if host.address:
        parts.append(f"address: {json.dumps(host.address)}")
    if host.pool:
        parts.append(f"pool: {_text(host.pool)}")
    if host.windows and host.windows != _DEFAULT_RELEASE:
        parts.append(f"windows: {{release: {_text(host.windows)}}}")
    way = [f"user: {json.dumps(host.user)}"] if host.user else []
    way += [f"port: {_text(host.port)}"] if host.port else []
    if host.transport:
        way.append("credential: {prompt: true}")
    if way:
        parts.append(f"connection: {{{host.transport or 'ssh'}: {{{', '.join(way)}}}}}")
    return f"{{{', '.join(parts)}}}"
