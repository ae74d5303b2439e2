"""Calico on Windows nodes of a cluster without the Tigera operator: the DaemonSet that Calico's manifests lack.

It shares Calico's own namespace and account on the Linux side. The containers and their settings are those
that the operator would run.
"""

import json
from collections.abc import Iterator
from typing import Any

from transom.addons.host_process import daemon_set_of, host_process_pod
from transom.addons.manifest import metadata
from transom.addons.setting import Setting
from transom.errors import UsageError
from transom.facts import rows
from transom.facts.addons import AddonImage
from transom.model.manifest import Manifest

NAME = "calico-node-windows"
_NAMESPACE = "kube-system"
_ACCOUNT = "calico-node"
_CONFIG = "calico-windows-cni"
_ROOT = "$env:CONTAINER_SANDBOX_MOUNT_POINT"
_HOME = f"{_ROOT}/CalicoWindows/"
_BACKENDS = {"overlay": "vxlan", "l2bridge": "windows-bgp"}
_LIMITS = {
    "requests": {"cpu": "100m", "memory": "100Mi"},
    "limits": {"cpu": "1", "memory": "1Gi"},
}


def calico_manifest(setting: Setting) -> Iterator[Manifest]:
    """Strict affinity, the CNI configuration that its installer fills, and the DaemonSet."""
    yield {
        "apiVersion": "crd.projectcalico.org/v1",
        "kind": "IPAMConfig",
        "metadata": {"name": "default"},
        # Else Linux nodes borrow addresses of a Windows node, which HNS cannot route.
        "spec": {"strictAffinity": True, "autoAllocateBlocks": True},
    }
    yield {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(setting, _CONFIG, namespace=_NAMESPACE, component=NAME),
        "data": {"config": json.dumps(_cni(setting), indent=2)},
    }
    images = {
        part: rows.one(AddonImage, f"image-calico-{part}", setting.at).image.format(
            version=setting.network.version
        )
        for part in ("node", "cni")
    }
    services = ["felix", "node", *(["confd"] if setting.network.mode == "l2bridge" else [])]
    spec = {
        "serviceAccountName": _ACCOUNT,
        **host_process_pod(setting),
        "initContainers": [_installer(setting, images["cni"])],
        "containers": [_service(setting, name, images["node"]) for name in services],
        "volumes": [_volume(name, path) for name, path in _volumes(setting).items()],
    }
    yield daemon_set_of(setting, NAME, spec, namespace=_NAMESPACE)


def _installer(setting: Setting, image: str) -> dict[str, Any]:
    config = {"name": _CONFIG, "key": "config"}
    network = setting.network
    return {
        "name": "install-cni",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": [f"{_ROOT}/opt/cni/bin/install.exe"],
        "resources": _LIMITS,
        "env": [
            *_values(
                SLEEP="false",
                CNI_BIN_DIR="/host/opt/cni/bin",
                CNI_CONF_NAME="10-calico.conflist",
                CNI_NET_DIR=_unix(setting.places.cni_conf),
                KUBERNETES_DNS_SERVERS=",".join(network.cluster_dns),
                KUBERNETES_SERVICE_CIDRS=",".join(network.service_cidrs),
                VXLAN_VNI=str(network.vni or ""),
                **_api_server(setting),
            ),
            _field("KUBERNETES_NODE_NAME", "spec.nodeName"),
            {"name": "CNI_NETWORK_CONFIG", "valueFrom": {"configMapKeyRef": config}},
        ],
        "volumeMounts": _mounts(("cni-bin", "/host/opt/cni/bin"), ("cni-conf", _MOUNTED_CONF)),
    }


_MOUNTED_CONF = "/host/etc/cni/net.d"


def _service(setting: Setting, name: str, image: str) -> dict[str, Any]:
    folder = "confd/" if name == "confd" else ""
    network = setting.network
    kind = "k8s,bgp,windows" if network.mode == "l2bridge" else "k8s,windows"
    made: dict[str, Any] = {
        "name": name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "args": [f"{_HOME}{folder}{name}-service.ps1"],
        "workingDir": _HOME,
        "resources": _LIMITS,
        "env": [
            *_values(
                DATASTORE_TYPE="kubernetes",
                WAIT_FOR_DATASTORE="true",
                CLUSTER_TYPE=kind,
                CALICO_NETWORKING_BACKEND=_BACKENDS[network.mode],
                CALICO_MANAGE_CNI="true",
                CALICO_DISABLE_FILE_LOGGING="false",
                FELIX_DEFAULTENDPOINTTOHOSTACTION="ACCEPT",
                FELIX_HEALTHENABLED="true",
                FELIX_IPV6SUPPORT="false",
                FELIX_VXLANMTU=str(network.mtu or ""),
                IP="autodetect",
                IP_AUTODETECTION_METHOD="first-found",
                IP6="none",
                KUBE_NETWORK="Calico.*",
                VXLAN_VNI=str(network.vni or ""),
                VXLAN_ADAPTER="",
                **_api_server(setting),
            ),
            _field("NODENAME", "spec.nodeName"),
            _field("NAMESPACE", "metadata.namespace"),
        ],
        "volumeMounts": _mounts(
            ("run", "/var/run/calico"),
            ("lib", "/var/lib/calico"),
            ("cni-logs", "/var/log/calico/cni"),
            ("cni-conf", _MOUNTED_CONF),
        ),
    }
    if name == "felix":
        made |= {
            "livenessProbe": _probe("-felix-live", initialDelaySeconds=10, failureThreshold=6),
            "readinessProbe": _probe("-felix-ready"),
            "lifecycle": {
                "preStop": {"exec": {"command": [f"{_HOME}calico-node.exe", "-shutdown"]}}
            },
        }
    return made


def _cni(setting: Setting) -> dict[str, Any]:
    """What the installer writes on each host; names between underlines are its own to fill."""
    network = setting.network
    policies = [
        {"Type": "OutBoundNAT", "ExceptionList": list(network.service_cidrs)},
        *(
            {"Type": "SDNROUTE", "DestinationPrefix": cidr, "NeedEncap": True}
            for cidr in network.service_cidrs
        ),
    ]
    plugin = {
        "type": "calico",
        "name": network.name,
        "mode": _BACKENDS[network.mode],
        "windows_use_single_network": True,
        "windows_loopback_DSR": "__DSR_SUPPORT__",
        "vxlan_mac_prefix": "0E-2A",
        **({"vxlan_vni": network.vni} if network.vni else {}),
        "mtu": network.mtu or 0,
        "policy": {"type": "k8s"},
        "capabilities": {"dns": True},
        "log_file_path": "c:/var/log/calico/cni/cni.log",
        "nodename": "__KUBERNETES_NODE_NAME__",
        "nodename_file": "__NODENAME_FILE__",
        "nodename_file_optional": True,
        "datastore_type": "kubernetes",
        "kubernetes": {"kubeconfig": f"c:{_unix(setting.places.cni_conf)}/calico-kubeconfig"},
        "ipam": {"type": "calico-ipam", "subnet": "usePodCidr"},
        "DNS": {
            "Nameservers": list(network.cluster_dns),
            "Search": [f"svc.{setting.cluster_domain}"],
        },
        "policies": [{"Name": "EndpointPolicy", "Value": policy} for policy in policies],
    }
    return {"name": network.name, "cniVersion": "0.3.1", "plugins": [plugin]}


def _api_server(setting: Setting) -> dict[str, str]:
    """Its own address: a Windows node reaches no Service before kube-proxy works, which waits for Calico."""
    host, _, port = setting.endpoint.rpartition(":")
    if not host:
        raise UsageError(
            "Calico by manifest must know the API server's own address",
            subject="cluster.joinEndpoint",
            hint="diff and apply ask the cluster; a fleet that says cluster.joinEndpoint needs none",
        )
    return {"KUBERNETES_SERVICE_HOST": host.strip("[]"), "KUBERNETES_SERVICE_PORT": port}


def _volumes(setting: Setting) -> dict[str, str]:
    return {
        "cni-bin": setting.places.cni_bin,
        "cni-conf": setting.places.cni_conf,
        "cni-logs": r"C:\var\log\calico\cni",
        "run": r"C:\var\run\calico",
        "lib": r"C:\var\lib\calico",
    }


def _volume(name: str, path: str) -> dict[str, Any]:
    return {"name": name, "hostPath": {"path": path, "type": "DirectoryOrCreate"}}


def _mounts(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "mountPath": path} for name, path in pairs]


def _values(**values: str) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]


def _field(name: str, path: str) -> dict[str, Any]:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def _probe(word: str, **more: int) -> dict[str, Any]:
    command = [f"{_HOME}calico-node.exe", word]
    return {"exec": {"command": command}, "timeoutSeconds": 10, "periodSeconds": 10, **more}


def _unix(path: str) -> str:
    """A path on drive C as Calico's programs write it."""
    return path.partition(":")[2].replace("\\", "/")
