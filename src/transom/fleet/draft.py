"""A first fleet document, written from what a cluster says of itself. Writing is pure.

It is text with comments, for a person to go on with; what cannot be known is
a comment that says so.
"""

import json
import re
from collections.abc import Iterator, Sequence

from transom.addons import calico_pools
from transom.errors import TransomError
from transom.facts import rows
from transom.facts.windows import Release
from transom.fleet.cluster import ClusterEntry, network_of
from transom.fleet.host_lists import ListedHost
from transom.fleet.planning.cluster_checks import plugin_of
from transom.kube.api import Api
from transom.kube.door import Door
from transom.model.fleet import CLUSTER_DOMAIN, FlannelSpec
from transom.model.records import dataclass

_DEFAULT_RELEASE = "2022"
_TYPES = {"calico": "Calico", "azureCNI": "AzureCNI", "ovnKubernetes": "OVNKubernetes"}
_MODES = {"overlay": "Overlay", "l2bridge": "L2Bridge"}
_PROMPTED = "password"
# What some YAML reader takes for a boolean or nothing.
_WORDS = frozenset({"yes", "no", "on", "off", "true", "false", "null"})


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
    yield "apiVersion: transom.dev/v1alpha2"
    yield "kind: Fleet"
    yield "metadata:"
    yield f"  name: {_text(name)}"
    yield "spec:"
    if entry.ca_hashes:
        yield "  cluster: # which cluster this fleet belongs to; another one is refused"
        yield f"    caCertHashes: {json.dumps(list(entry.ca_hashes))}"
    yield "  kubernetes:"
    yield f"    version: {entry.version} # what the API server runs"
    yield from _network(entry, linux)
    yield "  defaults: # what holds for every host, unless its pool or the host says otherwise"
    yield "    windows:"
    yield f"      release: {_release(_DEFAULT_RELEASE)}"
    yield "    connection: # with the SSH agent's keys and those in ~/.ssh; docs/fleet.md has other ways"
    yield "      ssh:"
    yield "        user: Administrator"
    yield "    taints: # keeps pods that know nothing of Windows away"
    yield "      - {key: os, value: windows, effect: NoSchedule}"
    pools = dict.fromkeys(host.pool for host in hosts if host.pool)
    if pools:
        yield "  pools:"
        for pool in pools:
            yield f"    - {{name: {_text(pool)}, rollout: {{maxUnavailable: 1}}}}"
    if hosts:
        yield "  hosts:"
        yield from (f"    - {_host(host)}" for host in hosts)
    else:
        yield "  hosts: []"
        yield "  # - {name: win-01, address: 10.0.0.21}"
    yield from _client(name, kubeconfig, context, asks=any(host.transport for host in hosts))


def _client(name: str, kubeconfig: str, context: str, *, asks: bool) -> Iterator[str]:
    """What only this machine knows, where it is anything."""
    if not (kubeconfig or context or asks):
        return
    yield "---"
    yield "# What only your machine knows. It never goes to a cluster; move it to"
    yield "# ~/.config/transom/client.yaml where this file is shared."
    yield "apiVersion: client.transom.dev/v1alpha1"
    yield "kind: Client"
    yield "fleets:"
    yield f"  - fleetName: {_text(name)}"
    if kubeconfig:
        yield f"    kubeconfig: {json.dumps(kubeconfig)}"
    if context:
        yield f"    context: {json.dumps(context)}"
    if asks:
        yield "    credentials:"
        yield f"      - {{name: {_PROMPTED}, type: Password}} # asked for; or file, env, command, secretRef"


def _network(entry: ClusterEntry, linux: LinuxNetwork | None) -> Iterator[str]:
    yield "  network: # as the cluster's Linux nodes have it"
    ranges = [f"    podCIDRs: {json.dumps(list(entry.pod_cidrs))}"]
    ranges += [f"    serviceCIDRs: {json.dumps(list(entry.service_cidrs))}"]
    if entry.cluster_dns:
        ranges.append(f"    clusterDNS: {json.dumps(list(entry.cluster_dns))}")
    domain = entry.kubelet.get("clusterDomain")
    if isinstance(domain, str) and domain not in ("", CLUSTER_DOMAIN):
        ranges.append(f"    clusterDomain: {json.dumps(domain)}")
    if linux is not None and linux.plugin in _TYPES:
        yield f"    type: {_TYPES[linux.plugin]} # found by its DaemonSet"
        yield from ranges
        if linux.mode:
            yield f"    {linux.plugin}: {{mode: {_MODES[linux.mode]}}}"
        return
    try:
        plugin = network_of(entry).plugin
    except TransomError as error:
        yield f"    # {error.message}"
        yield "    type: External # or Flannel, Calico, AzureCNI, OVNKubernetes"
        yield from ranges
        yield "    external:"
        yield "      networkName: FILL-IN"
        return
    assert isinstance(plugin, FlannelSpec)
    yield "    type: Flannel"
    yield from ranges
    yield "    flannel:"
    yield f"      mode: {_MODES[plugin.mode.value if plugin.mode else 'overlay']}"
    if plugin.vni:
        yield f"      vni: {plugin.vni}"
        yield f"      port: {plugin.port}"


def _release(written: str) -> str:
    """A release as a fleet has it: the name that no YAML reader takes for a number."""
    row = next((row for row in rows.read(Release) if row.is_called(written)), None)
    names = (
        sorted((row.id, *row.aliases), key=lambda name: not name.startswith("ltsc")) if row else []
    )
    return next((name for name in names if not name.isdecimal()), json.dumps(written))


def _text(text: str) -> str:
    """As YAML has it: plain where nothing in it means anything."""
    plain = re.fullmatch(r"[A-Za-z][A-Za-z0-9-]+", text) and text.lower() not in _WORDS
    return text if plain else json.dumps(text)


def _host(host: ListedHost) -> str:
    name = re.sub(r"[^a-z0-9.-]+", "-", host.name.lower()).strip("-.")
    parts = [f"name: {json.dumps(name or host.name)}"]
    if host.address or name != host.name:
        parts.append(f"address: {json.dumps(host.address or host.name)}")
    if host.pool:
        parts.append(f"poolName: {_text(host.pool)}")
    if name and name != host.name:
        parts.append(f"computerName: {json.dumps(host.name)}")
    settings = []
    if host.windows and host.windows != _DEFAULT_RELEASE:
        settings.append(f"windows: {{release: {_release(host.windows)}}}")
    way = [f"user: {json.dumps(host.user)}"] if host.user else []
    port = host.port if host.port.isdecimal() else json.dumps(host.port)
    way += [f"port: {port}"] if host.port else []
    if host.transport:
        type_ = {"winrm": "WinRM", "ssh": "SSH"}[host.transport]
        more = f", {host.transport}: {{{', '.join(way)}}}" if way else ""
        settings.append(f"connection: {{type: {type_}{more}, credentialName: {_PROMPTED}}}")
    elif way:
        settings.append(f"connection: {{ssh: {{{', '.join(way)}}}}}")
    if settings:
        parts.append(f"host: {{{', '.join(settings)}}}")
    return f"{{{', '.join(parts)}}}"
