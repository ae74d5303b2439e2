"""The objects of checks: pods that serve, pods that wait to be asked, Services. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from transom.addons.host_process import SYSTEM_ACCOUNT
from transom.model.manifest import Manifest
from transom.verify.running.case import LINUX, WINDOWS, Case, Isolation, NodeFacts
from transom.verify.running.needs import hyperv_handler

HTTP_PORT, UDP_PORT = 8080, 8081
SERVER, SHELL, HOST = "server", "shell", "host"
# A program that every Windows has, and that ends only when it is ended.
_WAIT = ("cmd.exe", "/c", "for /l %i in (1,0,2) do @ping -n 30 127.0.0.1 >nul")


def server(case: Case, name: str = SERVER, *, on: NodeFacts | None = None, **spec: Any) -> Manifest:
    """A pod that answers HTTP and UDP with its name."""
    return pod(case, name, [served(case, system=(on or case.node).system)], on=on, **spec)


def served(
    case: Case,
    name: str = "main",
    *,
    system: str = WINDOWS,
    http: int = HTTP_PORT,
    udp: int = UDP_PORT,
) -> dict[str, Any]:
    """A container that answers HTTP and UDP with its host name."""
    arguments = ["netexec", f"--http-port={http}", f"--udp-port={udp}"]
    ports = [
        {"containerPort": http, "protocol": "TCP"},
        {"containerPort": udp, "protocol": "UDP"},
    ]
    image = case.image("agnhost", system=system)
    return {"name": name, "image": image, "args": arguments, "ports": ports}


def shell(
    case: Case,
    name: str = SHELL,
    *,
    mounts: Mapping[str, str] | None = None,
    volumes: Sequence[Mapping[str, Any]] = (),
    container: Mapping[str, Any] | None = None,
    **spec: Any,
) -> Manifest:
    """A pod in which programs are run; `mounts` are paths by the name of a volume."""
    mounted = [{"name": key, "mountPath": path} for key, path in (mounts or {}).items()]
    main = {**waiting(case), "volumeMounts": mounted, **(container or {})}
    return pod(case, name, [main], volumes=list(volumes), **spec)


def waiting(case: Case, name: str = "main") -> dict[str, Any]:
    """A container that does nothing."""
    if case.setting.wish.isolation is Isolation.HOST_PROCESS:
        return {"name": name, "image": case.host_process_image(), "command": list(_WAIT)}
    return {"name": name, "image": case.image("agnhost"), "args": ["pause"]}


def host_process(case: Case, name: str = HOST) -> Manifest:
    """A pod whose programs are the node's own."""
    main = {"name": "main", "image": case.host_process_image(), "command": list(_WAIT)}
    found = dict(pod(case, name, [main]))
    found["spec"] = {**found["spec"], **_as_host()}
    found["spec"].pop("runtimeClassName", None)
    return found


def pod(
    case: Case,
    name: str,
    containers: Sequence[Mapping[str, Any]],
    *,
    on: NodeFacts | None = None,
    labels: Mapping[str, str] | None = None,
    **spec: Any,
) -> Manifest:
    """A pod on the node that is checked, or on another one."""
    node = on or case.node
    body = {
        "nodeSelector": {"kubernetes.io/os": node.system, "kubernetes.io/hostname": node.name},
        "tolerations": [{"operator": "Exists"}],
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 5,
        "os": {"name": node.system},
        **(_isolation(case) if node.system == WINDOWS else {}),
        "containers": [{"resources": _resources(case, node), **item} for item in containers],
        **spec,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": case.namespace,
            "labels": {"of": name, **(labels or {})},
        },
        "spec": body,
    }


def _resources(case: Case, node: NodeFacts) -> dict[str, Any]:
    memory = f"{case.expected('pod-mebibytes') if node.system == WINDOWS else 64}Mi"
    return {"requests": {"cpu": "50m", "memory": memory}, "limits": {"memory": memory}}


def _isolation(case: Case) -> dict[str, Any]:
    isolation = case.setting.wish.isolation
    if isolation is Isolation.HOST_PROCESS:
        return _as_host()
    if isolation is Isolation.HYPERV:
        return {"runtimeClassName": case.runtime_class(hyperv_handler())}
    return {}


def _as_host() -> dict[str, Any]:
    options = {"hostProcess": True, "runAsUserName": SYSTEM_ACCOUNT}
    return {"hostNetwork": True, "securityContext": {"windowsOptions": options}}


def service(case: Case, name: str, *, of: str = SERVER, **spec: Any) -> Manifest:
    """A Service of the pods with a name, for HTTP and UDP."""
    ports = [
        {"name": "http", "port": 80, "targetPort": HTTP_PORT, "protocol": "TCP"},
        {"name": "udp", "port": 81, "targetPort": UDP_PORT, "protocol": "UDP"},
    ]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": case.namespace},
        "spec": {"selector": {"of": of}, "ports": ports, **spec},
    }


def data(case: Case, kind: str, name: str, values: Mapping[str, str]) -> Manifest:
    """A ConfigMap or a Secret."""
    key = "stringData" if kind == "Secret" else "data"
    metadata = {"name": name, "namespace": case.namespace}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, key: dict(values)}


__all__ = [
    "HOST",
    "HTTP_PORT",
    "LINUX",
    "SERVER",
    "SHELL",
    "UDP_PORT",
    "data",
    "host_process",
    "pod",
]
__all__ += ["served", "server", "service", "shell", "waiting"]
