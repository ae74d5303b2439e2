"""The Fleet document as a whole."""

from transom.spec import syntax
from transom.spec.shape import Flag, Items, Object, Text
from transom.spec.v1alpha1.cluster import CLUSTER, KUBERNETES, RUNTIME
from transom.spec.v1alpha1.host import DEFAULTS, HOST, POOL
from transom.spec.v1alpha1.network import NETWORK
from transom.spec.v1alpha1.source import PROXY, SOURCE

API_VERSION = "transom.dev/v1alpha1"
KIND = "Fleet"

SPEC = Object(
    title="Spec",
    about="What the fleet is to be.",
    required=("kubernetes", "network"),
    keys={
        "cluster": CLUSTER,
        "kubernetes": KUBERNETES,
        "runtime": RUNTIME,
        "privileged": Text(
            about=(
                "How programs that act on the host itself are run: `hostprocess` pods, `wins` "
                "(legacy), or Windows `services`. Left out: by version and runtime."
            ),
            choices=("hostprocess", "wins", "services"),
        ),
        "network": NETWORK,
        "source": SOURCE,
        "proxy": PROXY,
        "allowEndOfLife": Flag(
            about="Accept versions that nobody maintains any more, and say so in every plan."
        ),
        "defaults": DEFAULTS,
        "pools": Items(about="Groups of hosts that share settings.", of=POOL),
        "hosts": Items(about="The Windows machines.", of=HOST),
    },
)

METADATA = Object(
    title="Metadata",
    about="What the fleet is called.",
    required=("name",),
    keys={
        "name": Text(
            about="The fleet's name; the journals on its hosts carry it.",
            syntax=syntax.NAME,
            examples=("shop",),
            numeric=True,
        )
    },
)

FLEET = Object(
    title=KIND,
    about="One cluster and the Windows hosts that belong to it.",
    required=("apiVersion", "kind", "metadata", "spec"),
    keys={
        "apiVersion": Text(about="The version of this document's form.", choices=(API_VERSION,)),
        "kind": Text(about="Always `Fleet`.", choices=(KIND,)),
        "metadata": METADATA,
        "spec": SPEC,
    },
)
