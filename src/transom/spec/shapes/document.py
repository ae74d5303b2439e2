"""The documents of group transom.dev as a whole: Fleet and WindowsHost."""

from transom.model import fleet
from transom.spec import syntax
from transom.spec.shape import Flag, Items, Object, Text
from transom.spec.shapes.cluster import CLUSTER, KUBERNETES
from transom.spec.shapes.host import DEFAULTS, ENTRY, NAME, OWN
from transom.spec.shapes.metadata import STATUS, metadata
from transom.spec.shapes.network import NETWORK
from transom.spec.shapes.pool import POOL, ROLLOUT
from transom.spec.shapes.source import PROXY, SOURCE

GROUP = "transom.dev"
API_VERSION = f"{GROUP}/v1alpha2"
KIND = "Fleet"
HOST_KIND = "WindowsHost"

_PRIVILEGED = {
    "HostProcess": fleet.Privileged.HOSTPROCESS,
    "Services": fleet.Privileged.SERVICES,
    "Wins": fleet.Privileged.WINS,
}
_END_OF_LIFE = {"Refuse": False, "Allow": True}

SPEC = Object(
    title="FleetSpec",
    about="What the fleet is to be.",
    required=("network",),
    keys={
        "paused": Flag(
            about="While true, `apply`, `upgrade`, `maintain` and `adopt` refuse to change its hosts.",
            default="false",
        ),
        "cluster": CLUSTER,
        "kubernetes": KUBERNETES,
        "network": NETWORK,
        "proxy": PROXY,
        "source": SOURCE,
        "endOfLifePolicy": Text(
            about="Whether versions that nobody maintains any more are accepted; every plan says so.",
            choices=tuple(_END_OF_LIFE),
            default="`Refuse`",
            make=_END_OF_LIFE.__getitem__,
        ),
        "privilegedMode": Text(
            about=(
                "How programs that act on the host itself are run: `HostProcess` pods, Windows "
                "`Services`, or `Wins` (legacy)."
            ),
            choices=tuple(_PRIVILEGED),
            default="by version and runtime",
            make=_PRIVILEGED.__getitem__,
        ),
        "rollout": ROLLOUT,
        "defaults": DEFAULTS,
        "pools": Items(about="Groups of hosts that share settings.", of=POOL, by=("name",)),
        "hosts": Items(
            about="The Windows machines; each may be a WindowsHost document instead.",
            of=ENTRY,
            by=("name",),
        ),
    },
)


def _document(kind: str, about: str, name: Text, spec: Object) -> Object:
    return Object(
        title=kind,
        about=about,
        required=("apiVersion", "kind", "metadata", "spec"),
        extensible=True,
        keys={
            "apiVersion": Text(
                about="The version of this document's form.", choices=(API_VERSION,)
            ),
            "kind": Text(about=f"Always `{kind}`.", choices=(kind,)),
            "metadata": metadata(f"{kind}Metadata", name),
            "spec": spec,
            "status": STATUS,
        },
    )


FLEET = _document(
    KIND,
    "One cluster and the Windows hosts that belong to it.",
    Text(
        about="The fleet's name; the journals on its hosts carry it. It does not change once hosts have joined.",
        syntax=syntax.NAME,
        examples=("shop",),
    ),
    SPEC,
)

WINDOWS_HOST = _document(
    HOST_KIND,
    "One Windows machine of a fleet.",
    NAME,
    Object(
        title="WindowsHostSpec",
        about="Where the machine is, and what it is to be.",
        required=("fleetName",),
        keys={
            "fleetName": Text(
                about="The fleet it belongs to.", syntax=syntax.NAME, examples=("shop",)
            ),
            **OWN,
        },
    ),
)
