"""flanneld.exe, the CNI plugins and kube-proxy.exe program the host's networking service and follow a Service.

They run as plain programs on the first host, with the flags that the community's scripts use; the
HNS stand-in keeps what they program, and the test reads it there.
"""

import json
import re
import subprocess
from typing import Any

import pytest

from transom_lab.hns.summary import summary

_OBJECTS = """
apiVersion: v1
kind: Node
metadata:
  name: lin1
  labels: {kubernetes.io/os: linux, kubernetes.io/arch: amd64, kubernetes.io/hostname: lin1}
  annotations:
    flannel.alpha.coreos.com/kube-subnet-manager: "true"
    flannel.alpha.coreos.com/public-ip: 10.77.0.100
    flannel.alpha.coreos.com/backend-type: vxlan
    flannel.alpha.coreos.com/backend-data: '{"VNI":4096,"VtepMAC":"c6:71:81:86:b2:77"}'
spec: {podCIDR: 10.244.200.0/24, podCIDRs: [10.244.200.0/24]}
---
apiVersion: v1
kind: Namespace
metadata: {name: kube-flannel}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: flannel, namespace: kube-flannel}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: flannel}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get]}
- {apiGroups: [""], resources: [nodes], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [nodes/status], verbs: [patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: flannel}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: flannel}
subjects: [{kind: ServiceAccount, name: flannel, namespace: kube-flannel}]
---
apiVersion: v1
kind: Service
metadata: {name: shop}
spec:
  clusterIP: 10.96.50.10
  ports: [{name: http, port: 80, targetPort: 8080, protocol: TCP}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: shop-1, labels: {kubernetes.io/service-name: shop}}
addressType: IPv4
ports: [{name: http, port: 8080, protocol: TCP}]
endpoints: [{addresses: [10.244.200.5], nodeName: lin1, conditions: {ready: true}}]
"""
_FLANNEL = {
    "Network": "10.244.0.0/16",
    "Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789, "Name": "vxlan0"},
}


@pytest.fixture(scope="module")
def host(cluster):
    """The first host, joined, with a network configuration and the programs; left as it was found."""
    cluster.joined("win1")
    found = cluster.lab.host("win1")
    for name in ("flanneld", "host-local", "win-overlay", "kube-proxy"):
        found.put(cluster.windows_program(name), rf"C:\k\cni\{name}.exe")
    cluster.kubectl("apply", "-f", "-", stdin=_OBJECTS)
    _write(found, r"C:\etc\kube-flannel\net-conf.json", json.dumps(_FLANNEL))
    _write(found, r"C:\k\flannel.conf", _kubeconfig(cluster, "kube-flannel", "flannel"))
    _write(found, r"C:\k\kube-proxy.conf", _kubeconfig(cluster, "kube-system", "kube-proxy"))
    yield found
    for name in ("flanneld", "kube-proxy"):
        found.room.stop(name)
    cluster.kubectl("delete", "-f", "-", "--ignore-not-found", stdin=_OBJECTS)
    cluster.reset("win1")
    found.hns.reset()


def _write(host: Any, place: str, text: str) -> None:
    scratch = host.directory / "scratch"
    scratch.write_text(text)
    host.put(scratch, place)


def _kubeconfig(cluster: Any, namespace: str, account: str) -> str:
    token = cluster.kubectl("-n", namespace, "create", "token", account).strip()
    ca = r"C:\etc\kubernetes\pki\ca.crt"
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "lab",
                "cluster": {"server": "https://10.77.0.2:6443", "certificate-authority": ca},
            }
        ],
        "users": [{"name": "me", "user": {"token": token}}],
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "me"}}],
        "current-context": "lab",
    }
    return json.dumps(document)


def _start(host: Any, name: str, arguments: list[str], **environment: str) -> None:
    host.room.spawn(
        name,
        [str(host.wine.loader), rf"C:\k\cni\{name}.exe", *arguments],
        log=host.directory / f"{name}.log",
        env={**host.wine.environment(host.prefix), **environment},
        cwd=host.drive_c / "k",
    )


def _cni(
    host: Any, command: str, plugin: str, configuration: dict[str, Any], **identity: str
) -> str:
    """Run a CNI plugin as a runtime does: configuration on standard input, the rest by variable."""
    argv, env = host.command([rf"C:\k\cni\{plugin}.exe"])
    done = subprocess.run(
        argv,
        input=json.dumps(configuration),
        env={
            **env,
            "CNI_COMMAND": command,
            "CNI_IFNAME": "eth0",
            "CNI_PATH": r"C:\k\cni",
            **identity,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _shown(host: Any) -> str:
    return "\n".join(summary(host.hns.state()))


def test_the_network_is_programmed_and_follows_a_service(cluster, host, eventually):
    cidr = cluster.get("node", "win1")["spec"]["podCIDR"]
    subnet = cidr.removesuffix(".0/24")
    _start(
        host,
        "flanneld",
        [
            "--kube-subnet-mgr",
            r"--kubeconfig-file=C:\k\flannel.conf",
            f"--iface={host.plan.address}",
            "--ip-masq",
        ],
        NODE_NAME="win1",
    )

    def sees(pattern: str) -> None:
        eventually(lambda: re.search(pattern, _shown(host)) is not None, pattern)

    sees(rf"network vxlan0 Overlay {re.escape(cidr)}")
    sees(r"RemoteSubnetRoute.*10\.244\.200\.0/24.*10\.77\.0\.100")
    annotations = cluster.get("node", "win1")["metadata"]["annotations"]
    assert "VtepMAC" in annotations["flannel.alpha.coreos.com/backend-data"]

    reserve = {
        "cniVersion": "0.2.0",
        "name": "vxlan0",
        "type": "host-local",
        "ipam": {"type": "host-local", "ranges": [[{"subnet": cidr}]]},
    }
    reserved = _cni(host, "ADD", "host-local", reserve, CNI_CONTAINERID="vip", CNI_NETNS="vip")
    source_vip = json.loads(reserved)["ip4"]["ip"].split("/")[0]

    namespace = host.hns.call(
        "HcnCreateNamespace",
        text=json.dumps({"Type": "Host", "SchemaVersion": {"Major": 2, "Minor": 0}}),
    ).text
    overlay = {
        "cniVersion": "0.3.0",
        "name": "vxlan0",
        "type": "win-overlay",
        "apiVersion": 2,
        "ipMasq": True,
        "endpointMacPrefix": "0E-2A",
        "ipam": {"type": "host-local", "subnet": cidr},
    }
    identity = {"CNI_CONTAINERID": "pod1", "CNI_NETNS": namespace}
    _cni(host, "ADD", "win-overlay", overlay, **identity)
    sees(rf"endpoint .*{re.escape(subnet)}\.\d+ .*pod1_vxlan0")

    _start(
        host,
        "kube-proxy",
        [
            r"--kubeconfig=C:\k\kube-proxy.conf",
            "--hostname-override=win1",
            "--proxy-mode=kernelspace",
            "--cluster-cidr=10.244.0.0/16",
            "--network-name=vxlan0",
            f"--source-vip={source_vip}",
            "--enable-dsr=true",
        ],
    )
    sees(rf"vip=10\.96\.50\.10 .*80->8080.*{re.escape(source_vip)}")
    sees(r"endpoint .*10\.244\.200\.5 ")

    moved = [{"addresses": ["10.244.200.6"], "nodeName": "lin1", "conditions": {"ready": True}}]
    patch = json.dumps([{"op": "replace", "path": "/endpoints", "value": moved}])
    cluster.kubectl("patch", "endpointslice", "shop-1", "--type=json", "-p", patch)
    sees(r"endpoint .*10\.244\.200\.6 ")

    cluster.kubectl("delete", "service", "shop")
    eventually(lambda: "10.96.50.10" not in _shown(host), "the policy of the Service is gone")
    _cni(host, "DEL", "win-overlay", overlay, **identity)
    assert "pod1_vxlan0" not in _shown(host)
