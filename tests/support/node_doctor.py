"""A simulated host that has joined and is well, with what real programs leave on it."""

import json
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.support.node import FLAGS_FILE, KUBELET, KUBERNETES, RECIPE, new_host

from transom.model.recipe import Image
from transom.model.request import Verb
from transom.model.sight import (
    ClusterSight,
    ConditionSight,
    FlannelSight,
    NodeSight,
    ServiceSight,
)
from transom.node.doctor.examination import examine
from transom.node.engine.runner import Runner
from transom.node.host.values import HnsState
from transom.node.layout import Layout

NETWORK_ID, REMOTE_ID, LOCAL_ID = "AAAA0001", "BBBB0001", "BBBB0002"

ROTATION = "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient"

CONFIG = r"""apiVersion: kubelet.config.k8s.io/v1beta1
authentication:
  anonymous:
    enabled: false
clusterDNS:
- 10.96.0.10
containerRuntimeEndpoint: npipe:////./pipe/containerd-containerd
kind: KubeletConfiguration
rotateCertificates: true
"""

KUBECONFIG = r"""apiVersion: v1
clusters:
- cluster:
    server: https://10.0.0.1:6443
users:
- name: default-auth
  user:
    client-certificate: C:\var\lib\kubelet\pki\kubelet-client-current.pem
"""

TOML = "version = 3\n[plugins.'io.containerd.cri.v1.images'.pinned_images]\nsandbox = 'registry.example/pause:9.9'\n"

STARTED = 'I1116 04:08:08.942964     720 server.go:1336] "Started kubelet"\n'

LOG = r"C:\var\log\kubelet\kubelet.log"


def pem(subject, start, end):
    """A certificate with its key, as the kubelet keeps them in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kubernetes")]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    return made.public_bytes(serialization.Encoding.PEM) + private


HOST_NETWORK = {"ID": "DDDD0001", "Name": "host", "Type": "NAT"}


def remote(identity, address, **more):
    """A remote endpoint as winkernel makes it."""
    return {
        "ID": identity,
        "HostComputeNetwork": NETWORK_ID,
        "Flags": 1,
        "IpConfigurations": [{"IpAddress": address}],
        **more,
    }


def balancer(identity, vip, *endpoints, source="10.244.3.2", port=53, protocol=17):
    """A balancer as winkernel makes it."""
    return {
        "ID": identity,
        "HostComputeEndpoints": [endpoint.lower() for endpoint in endpoints],
        "FrontendVIPs": [vip],
        "SourceVIP": source,
        "PortMappings": [{"ExternalPort": port, "Protocol": protocol}],
    }


def hns(**changes):
    """What the host network service has once flanneld and kube-proxy have worked on an overlay.

    As kubernetes v1.37.1 pkg/proxy/winkernel/proxier.go leaves it: a remote endpoint for each
    cluster IP that no balancer uses, one for each backend elsewhere, and the node's own address as
    the source where a backend is no pod, as the API server.
    """
    vsid = {"Type": "VSID", "Settings": {"IsolationId": 4096}}
    subnet = {"IpAddressPrefix": "10.244.3.0/24", "Policies": [vsid]}
    values = {
        "networks": (
            {
                "ID": NETWORK_ID,
                "Name": "flannel.4096",
                "Type": "Overlay",
                "Ipams": [{"Subnets": [subnet]}],
            },
            HOST_NETWORK,
        ),
        "endpoints": (
            remote(REMOTE_ID, "10.244.0.5"),
            {"ID": LOCAL_ID, "HostComputeNetwork": NETWORK_ID, "Flags": 0},
            remote("BBBB0003", "10.96.0.10"),
            remote("BBBB0004", "10.96.0.1"),
            remote("BBBB0005", "10.0.0.1"),
        ),
        "balancers": (
            balancer("CCCC0001", "10.96.0.10", REMOTE_ID),
            balancer("CCCC0002", "10.96.0.1", "BBBB0005", source="10.0.0.21", port=443, protocol=6),
        ),
    }
    return HnsState(**{**values, **changes})


SERVICES = (
    ServiceSight(
        namespace="default", name="kubernetes", addresses=("10.96.0.1",), backends=("10.0.0.1",)
    ),
    ServiceSight(
        namespace="kube-system",
        name="kube-dns",
        addresses=("10.96.0.10",),
        backends=("10.244.0.5",),
    ),
    # Nobody made its balancer: it has no backend.
    ServiceSight(namespace="shop", name="empty", addresses=("10.96.0.77",)),
)


def sight(host, **changes):
    """What the cluster says of a node that is well."""
    node = NodeSight(
        name="win-01",
        conditions=(
            ConditionSight(type="Ready", status="True"),
            ConditionSight(type="MemoryPressure", status="False"),
        ),
        pod_cidrs=("10.244.3.0/24",),
        kubelet="1.37.1",
    )
    values = {
        "time": int(host.clock.now()),
        "version": "1.37.1",
        "node": node,
        "approvers": (ROTATION,),
        "flannel": FlannelSight(network="10.244.0.0/16", backend="vxlan", vni=4096, port=4789),
        "pod_cidrs": ("10.244.0.0/16",),
        "service_cidrs": ("10.96.0.0/12",),
        "services": SERVICES,
    }
    return ClusterSight(**{**values, **changes})


PAUSE = Image(reference="registry.example/pause:9.9", purpose="pause", builds=(20348,), why="")


def well_host(request_for):
    """A host that joined and is well."""
    from dataclasses import replace

    host = new_host()
    network = replace(RECIPE.network, mtu=1450)
    files = tuple(
        replace(item, content=TOML)
        if item.path.endswith("config.toml")
        else replace(item, content=json.dumps({"name": "flannel.4096", "plugins": []}))
        for item in RECIPE.files
    )
    services = tuple(replace(item, environment={}) for item in RECIPE.services)
    recipe = replace(RECIPE, images=(PAUSE,), network=network, files=files, services=services)
    Runner(host, Layout(), "r").execute(request_for(Verb.JOIN, recipe=recipe))
    now = datetime.fromtimestamp(host.clock.now(), UTC)
    start, end = now - timedelta(days=1), now + timedelta(days=300)
    host.files.write(KUBELET + r"\config.yaml", CONFIG.encode(), acl=host.files.acl(FLAGS_FILE))
    host.files.write(KUBERNETES + r"\kubelet.conf", KUBECONFIG.encode())
    host.files.write(KUBERNETES + r"\pki\ca.crt", pem("kubernetes", start, end))
    host.files.write(
        KUBELET + r"\pki\kubelet-client-current.pem", pem("system:node:win-01", start, end)
    )
    for folder in (r"C:\run\flannel", r"C:\etc\kube-flannel"):
        host.files.make_directory(folder)
    subnet = "FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.3.1/24\nFLANNEL_MTU=1450\n"
    host.files.write(r"C:\run\flannel\subnet.env", subnet.encode())
    backend = {"Type": "vxlan", "VNI": 4096, "Port": 4789}
    net_conf = {"Network": "10.244.0.0/16", "Backend": backend}
    host.files.write(r"C:\etc\kube-flannel\net-conf.json", json.dumps(net_conf).encode())
    host.files.write(LOG, STARTED.encode())
    host.vitals.hns_state = hns()
    return host


def found(seen):
    """The findings of an observation that every cause could judge."""
    examined = examine(seen)
    assert not [what for what in examined.unread if what.startswith("cause ")], examined.unread
    assert all(finding.fix and finding.interrupts for finding in examined.findings)
    return list(examined.findings)
