"""The cluster a fleet belongs to, and the version of its nodes."""

from transom.model.fleet import KubernetesSpec
from transom.spec import syntax
from transom.spec.shape import Flag, Items, Object, Table, Text

CLUSTER = Object(
    title="Cluster",
    about=(
        "Which cluster is meant, whoever's kubeconfig leads to it: a cluster with another authority "
        "is refused before a host is touched."
    ),
    keys={
        "caCertHashes": Items(
            about=(
                "Hashes of the cluster's CA, as `kubeadm token create --print-join-command` shows "
                "them: the identity of the cluster. `transom init` writes it."
            ),
            of=Text(about="The hash of one CA.", syntax=syntax.CA_HASH, make=str.lower),
            least=1,
            default="any cluster that your kubeconfig leads to",
        ),
        "joinEndpoint": Text(
            about="Address and port at which hosts reach the API server.",
            default="what the cluster's `cluster-info` says",
            syntax=syntax.ENDPOINT,
            examples=("10.0.0.10:6443",),
        ),
        "version": Text(
            about="The version the API server runs, where it cannot be asked.",
            default="asked of the API server",
            syntax=syntax.VERSION,
            examples=("1.37.1",),
        ),
        "featureGates": Table(
            about="Feature gates that were switched at the API server.",
            keys=syntax.GATE,
            of=Flag(about="Whether the gate is on."),
            examples=({"WindowsHostProcessContainers": True},),
        ),
    },
)

KUBERNETES = Object(
    title="Kubernetes",
    about="Kubernetes on the hosts.",
    make=KubernetesSpec,
    required=("version",),
    default="the version the API server runs",
    keys={
        "version": Text(
            about="The version of kubelet, kubeadm and kube-proxy, in three parts.",
            syntax=syntax.VERSION,
            examples=("1.37.1",),
        )
    },
)
