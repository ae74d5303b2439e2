"""The cluster's network: ranges, DNS, and exactly one plugin."""

from collections.abc import Mapping

from transom.spec import syntax
from transom.spec.shape import Items, Number, Object, Text

_LARGEST_VNI = 2**24 - 1
_LARGEST_PORT = 2**16 - 1
# IPv4 asks every link for 68 bytes; more than 65535 fit into no packet.
_SMALLEST_MTU = 68

_VERSION = Text(
    about="Its version; left out, the newest that the facts know for these hosts.",
    syntax=syntax.LOOSE_VERSION,
    examples=("v0.28.9",),
    numeric=True,
)

_MODE = Text(
    about="`overlay` (VXLAN), or `l2bridge` (routed, pods on the hosts' own network).",
    choices=("overlay", "l2bridge"),
    examples=("overlay",),
)


def _plain(title: str, about: str) -> Object:
    return Object(title=title, about=about, keys={"version": _VERSION})


PLUGINS: Mapping[str, Object] = {
    "flannel": Object(
        title="Flannel",
        about="Flannel.",
        keys={
            "version": _VERSION,
            "mode": _MODE,
            "vni": Number(
                about="The VXLAN network identifier of `overlay`; left out, the one Windows accepts.",
                minimum=1,
                maximum=_LARGEST_VNI,
            ),
            "port": Number(
                about="The UDP port of `overlay`; left out, the one Windows accepts.",
                minimum=1,
                maximum=_LARGEST_PORT,
            ),
        },
    ),
    "calico": Object(
        title="Calico",
        about="Calico.",
        keys={
            "version": _VERSION,
            "mode": _MODE,
            "installer": Text(
                about=(
                    "`operator` (the default): the Tigera operator brings Calico to Windows nodes; "
                    "`manifest`: there is none, and Transom renders Calico's DaemonSet for them."
                ),
                choices=("operator", "manifest"),
                examples=("operator",),
            ),
        },
    ),
    "azureCNI": _plain("AzureCNI", "Azure CNI."),
    "ovnKubernetes": _plain("OVNKubernetes", "OVN-Kubernetes with its hybrid overlay."),
    "wincni": Object(
        title="WinCNI",
        about="wincni: pods routed by switches, routers or the cloud.",
        keys={
            "version": _VERSION,
            "nodeSubnet": Text(
                about="The network of the hosts, which pods reach without address translation.",
                syntax=syntax.CIDR,
                examples=("10.127.132.128/25",),
            ),
            "environment": Text(
                about="Where the hosts are, for wincni's own address management.",
                choices=("azure",),
                examples=("azure",),
            ),
        },
    ),
    "winBridge": _plain("WinBridge", "The reference plugin win-bridge."),
    "winOverlay": _plain("WinOverlay", "The reference plugin win-overlay."),
    "weave": _plain("Weave", "Weave: does not support Windows; refused."),
    "external": Object(
        title="External",
        about="A network that somebody else installs; Transom only waits for it.",
        required=("networkName",),
        keys={
            "networkName": Text(
                about="The name its HNS network has on the hosts.",
                syntax=syntax.TEXT,
                examples=("Calico",),
                numeric=True,
            ),
            "mode": _MODE,
            "sourceEndpoint": Text(
                about=(
                    "In mode `overlay`: the HNS endpoint whose address kube-proxy sends from; left "
                    "out, one is reserved with host-local, from which the pods must have theirs too."
                ),
                syntax=syntax.TEXT,
                examples=("VIPEndpoint",),
            ),
        },
    ),
}

NETWORK = Object(
    title="Network",
    about=(
        "The cluster's network as it already is, and exactly one plugin: "
        f"{', '.join(f'`{name}`' for name in PLUGINS)}."
    ),
    required=("podCIDRs", "serviceCIDRs"),
    exactly_one=tuple(PLUGINS),
    keys={
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
        "mtu": Number(
            about="The largest packet of pods, where the network needs it smaller than usual.",
            minimum=_SMALLEST_MTU,
            maximum=_LARGEST_PORT,
            examples=(1450,),
        ),
        **PLUGINS,
    },
)
