"""The cluster, the version of its nodes, and their container runtime."""

from transom.spec import syntax
from transom.spec.shape import Flag, Items, Object, Table, Text
from transom.spec.v1alpha1.credential import TOKEN_FROM

CLUSTER = Object(
    title="Cluster",
    about=(
        "The existing cluster: `kubeconfig` and `context`, or for hosts that join without one "
        "`endpoint`, `caCertHashes` and `tokenFrom`. Left out: what kubectl points at."
    ),
    not_both=(("kubeconfig", "endpoint"), ("context", "endpoint")),
    needs={
        "endpoint": ("caCertHashes", "tokenFrom"),
        "caCertHashes": ("endpoint",),
        "tokenFrom": ("endpoint",),
    },
    keys={
        "kubeconfig": Text(
            about="The kubeconfig that reaches the API server; relative paths begin at this file.",
            syntax=syntax.TEXT,
            examples=("~/.kube/config",),
        ),
        "context": Text(
            about="The context in the kubeconfig; its current one where this is left out.",
            syntax=syntax.TEXT,
            examples=("prod",),
            numeric=True,
        ),
        "endpoint": Text(
            about="Address and port of the API server, for hosts that join without a kubeconfig.",
            syntax=syntax.ENDPOINT,
            examples=("10.0.0.10:6443",),
        ),
        "caCertHashes": Items(
            about="Hashes of the cluster's CA, as `kubeadm token create --print-join-command` shows.",
            of=Text(about="The hash of one CA.", syntax=syntax.CA_HASH),
            least=1,
        ),
        "tokenFrom": TOKEN_FROM,
        "version": Text(
            about="The version the API server runs, where it cannot be asked.",
            syntax=syntax.LOOSE_VERSION,
            examples=("1.37.1",),
            numeric=True,
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
    required=("version",),
    keys={
        "version": Text(
            about=(
                "The version of kubelet, kubeadm and kube-proxy; `cluster` means the version the "
                "API server runs. Read as the text written: 1.30 is not 1.3."
            ),
            syntax=syntax.VERSION_OR_CLUSTER,
            examples=("1.37.1", "cluster"),
            numeric=True,
        )
    },
)

_CONTAINERD = Object(
    title="Containerd",
    about="containerd.",
    keys={
        "version": Text(
            about="Its version; left out, the newest that the facts know for these hosts.",
            syntax=syntax.LOOSE_VERSION,
            examples=("2.3.7",),
            numeric=True,
        ),
        "mirrors": Table(
            about="For a registry the mirrors asked before it, in order. One with /v2/ in its path"
            " is asked there, others at /v2 behind their path.",
            keys=syntax.REGISTRY,
            of=Items(
                about="Mirrors, in order.",
                of=Text(about="A mirror's URL.", syntax=syntax.URL),
                least=1,
            ),
            examples=({"registry.k8s.io": ["https://registry.corp/k8s"]},),
        ),
        "pauseImage": Text(
            about="A pause image in place of the facts'; it must have the builds of all hosts.",
            syntax=syntax.TEXT,
            examples=("registry.corp/pause:3.10.2-ltsc2025",),
        ),
    },
)

_DOCKER = Object(
    title="Docker",
    about="Docker with dockershim: legacy, for the Kubernetes versions that had it.",
    keys={
        "version": Text(
            about="Its version; left out, the newest that the facts know.",
            syntax=syntax.LOOSE_VERSION,
            examples=("20.10.9",),
            numeric=True,
        )
    },
)

RUNTIME = Object(
    title="Runtime",
    about="The container runtime: exactly one of `containerd` and `docker`.",
    exactly_one=("containerd", "docker"),
    keys={"containerd": _CONTAINERD, "docker": _DOCKER},
)
