"""The cluster's network: ranges, DNS, and the plugin by its `type`."""

from collections.abc import Mapping
from typing import Any

from transom.model import fleet
from transom.spec import syntax
from transom.spec.shape import Items, Number, Object, Text, Union, attribute

_LARGEST_VNI = 2**24 - 1
_LARGEST_PORT = 2**16 - 1
# IPv4 asks every link for 68 bytes; more than 65535 fit into no packet.
_SMALLEST_MTU = 68
_WINDOWS_ONE = "the one Windows accepts"

_MODES = {"Overlay": fleet.NetworkMode.OVERLAY, "L2Bridge": fleet.NetworkMode.L2BRIDGE}
_INSTALLERS = {
    "Operator": fleet.CalicoInstaller.OPERATOR,
    "Manifest": fleet.CalicoInstaller.MANIFEST,
}


def _version(example: str) -> Text:
    return Text(
        about="Its version.",
        default="the newest that the facts know for these hosts",
        syntax=syntax.VERSION,
        examples=(example,),
    )


_MODE = Text(
    about="`Overlay` (VXLAN), or `L2Bridge` (routed, pods on the hosts' own network).",
    default="the plugin's usual one",
    choices=tuple(_MODES),
    make=_MODES.__getitem__,
)


def _plain(title: str, about: str, make: type[Any], example: str) -> Object:
    return Object(title=title, about=about, make=make, keys={"version": _version(example)})


PLUGINS: Mapping[str, Object] = {
    "flannel": Object(
        title="Flannel",
        about="Settings of Flannel.",
        make=fleet.FlannelSpec,
        keys={
            "version": _version("0.28.9"),
            "mode": _MODE,
            "vni": Number(
                about="The VXLAN network identifier of `Overlay`.",
                default=_WINDOWS_ONE,
                minimum=1,
                maximum=_LARGEST_VNI,
                examples=(4096,),
            ),
            "port": Number(
                about="The UDP port of `Overlay`.",
                default=_WINDOWS_ONE,
                minimum=1,
                maximum=_LARGEST_PORT,
                examples=(4789,),
            ),
        },
    ),
    "calico": Object(
        title="Calico",
        about="Settings of Calico.",
        make=fleet.CalicoSpec,
        keys={
            "version": _version("3.30.1"),
            "mode": _MODE,
            "installer": Text(
                about=(
                    "`Operator`: the Tigera operator brings Calico to Windows nodes; `Manifest`: there "
                    "is none, and Transom renders Calico's DaemonSet for them."
                ),
                default="`Operator`",
                choices=tuple(_INSTALLERS),
                make=_INSTALLERS.__getitem__,
            ),
        },
    ),
    "azureCNI": _plain("AzureCNI", "Settings of Azure CNI.", fleet.AzureCNISpec, "1.6.3"),
    "ovnKubernetes": _plain(
        "OVNKubernetes",
        "Settings of OVN-Kubernetes with its hybrid overlay.",
        fleet.OVNKubernetesSpec,
        "1.0.0",
    ),
    "winCNI": Object(
        title="WinCNI",
        about="Settings of wincni: pods routed by switches, routers or the cloud.",
        make=fleet.WinCNISpec,
        keys={
            "version": _version("0.1.0"),
            "nodeSubnet": Text(
                about="The network of the hosts, which pods reach without address translation.",
                syntax=syntax.CIDR,
                examples=("10.127.132.128/25",),
            ),
            "environment": Text(
                about="Where the hosts are, for wincni's own address management.",
                choices=("Azure",),
                make=str.lower,
            ),
        },
    ),
    "winBridge": _plain(
        "WinBridge", "Settings of the reference plugin win-bridge.", fleet.WinBridgeSpec, "1.7.1"
    ),
    "winOverlay": _plain(
        "WinOverlay",
        "Settings of the reference plugin win-overlay.",
        fleet.WinOverlaySpec,
        "1.7.1",
    ),
    "external": Object(
        title="External",
        about="A network that another tool installs; Transom only waits for it.",
        make=fleet.ExternalSpec,
        required=("networkName",),
        keys={
            "networkName": Text(
                about="The name its HNS network has on the hosts.",
                syntax=syntax.TEXT,
                examples=("Calico",),
            ),
            "mode": _MODE,
            "sourceEndpoint": Text(
                about="In mode `Overlay`: the HNS endpoint whose address kube-proxy sends from.",
                default=(
                    "one is reserved with host-local, from which the pods must have theirs too"
                ),
                syntax=syntax.TEXT,
                examples=("VIPEndpoint",),
            ),
        },
    ),
}

TYPES: Mapping[str, str] = {plugin.title: key for key, plugin in PLUGINS.items()}


def _network(*, type: str, **parts: Any) -> fleet.Network:  # noqa: A002 - the document's key
    key = TYPES[type]
    empty = {"network_name": ""} if type == "External" else {}
    plugin = parts.pop(attribute(key), None) or PLUGINS[key].make(**empty)
    return fleet.Network(plugin=plugin, **parts)


NETWORK = Object(
    title="Network",
    about="The cluster's network as it already is, and the plugin that brings it to Windows nodes.",
    make=_network,
    required=("type", "podCIDRs", "serviceCIDRs"),
    union=Union(members=TYPES),
    keys={
        "type": Text(about="Which plugin.", choices=tuple(TYPES)),
        "podCIDRs": Items(
            about="The ranges pods get addresses from, over all nodes.",
            of=Text(about="One range.", syntax=syntax.CIDR, examples=("10.244.0.0/16",)),
            least=1,
            examples=(["10.244.0.0/16"],),
        ),
        "serviceCIDRs": Items(
            about="The ranges Services get addresses from.",
            of=Text(about="One range.", syntax=syntax.CIDR, examples=("10.96.0.0/12",)),
            least=1,
            examples=(["10.96.0.0/12"],),
        ),
        "clusterDNS": Items(
            about="The addresses of the cluster's DNS Service.",
            of=Text(about="One address.", syntax=syntax.ADDRESS, examples=("10.96.0.10",)),
            least=1,
            examples=(["10.96.0.10"],),
        ),
        "clusterDomain": Text(
            about="The DNS domain of the cluster, as its kubelets and its DNS have it.",
            default="`cluster.local`",
            syntax=syntax.DNS_NAME,
            examples=("cluster.local",),
        ),
        "mtu": Number(
            about="The largest packet of pods, where the network needs it smaller than usual.",
            minimum=_SMALLEST_MTU,
            maximum=_LARGEST_PORT,
            examples=(1450,),
        ),
        **PLUGINS,
    },
)
