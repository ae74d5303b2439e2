"""A cluster with Windows nodes that runs pods, as far as checks of nodes look: the twin, with a kubelet behind it.

Programs answer as those in agnhost's image and on a Windows host do. `faults` are names of what is broken.
"""

import json
import re
from collections.abc import Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from transom.errors import PermanentError
from transom.kube.door import BACKGROUND, Deletion, Executed, Resource
from transom.model.manifest import Manifest, ObjectName, name_of
from transom.testing.cluster import SERVED, MemoryCluster

EXTRA = (
    Resource("NodeMetrics", "metrics.k8s.io/v1beta1", "nodes", namespaced=False),
    Resource("GMSACredentialSpec", "windows.k8s.io/v1", "gmsacredentialspecs", namespaced=False),
)
API = "10.96.0.1"
MEMORY = 8 << 30
RESERVED = 1 << 30
_USERS = {"ContainerUser": "S-1-5-93-2-2", "ContainerAdministrator": "S-1-5-93-2-1"}


class Clock:
    """Time that passes when it is asked to."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def node(name: str, system: str = "windows", **status: Any) -> dict[str, Any]:
    windows = system == "windows"
    info = {
        "operatingSystem": system,
        "kernelVersion": "10.0.20348.2582" if windows else "6.8.0",
        "kubeletVersion": "v1.37.1",
        "containerRuntimeVersion": "containerd://2.2.1",
        "bootID": f"boot-of-{name}",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/os": system}},
        "spec": {"providerID": f"azure:///{name}"},
        "status": {
            "nodeInfo": info,
            "addresses": [{"type": "InternalIP", "address": "10.0.0.5"}],
            "capacity": {"memory": str(MEMORY), "pods": "110"},
            "allocatable": {"memory": str(MEMORY - RESERVED - (100 << 20)), "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True", "message": ""}],
            **status,
        },
    }


CONFIG = {
    "kubeReserved": {"memory": str(RESERVED)},
    "evictionHard": {"memory.available": "100Mi"},
    "clusterDNS": ["10.96.0.10"],
    "clusterDomain": "cluster.local",
    "shutdownGracePeriod": "30s",
}
FIGURES = {
    "cpu": {"usageNanoCores": 5, "usageCoreNanoSeconds": 500},
    "memory": {"workingSetBytes": 1 << 30, "availableBytes": 1 << 30},
    "fs": {"capacityBytes": 1 << 40, "availableBytes": 1 << 39},
    "network": {"interfaces": [{"name": "eth0"}]},
}


class WindowsCluster(MemoryCluster):
    """The cluster; win1 is what is checked, win2 and lin1 are its peers."""

    def __init__(self, *faults: str, nodes: Sequence[Manifest] | None = None) -> None:
        given = [
            *(nodes or (node("win1"), node("win2"), node("lin1", "linux"))),
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {"name": "kubernetes", "namespace": "default"},
                "spec": {"clusterIP": API},
            },
            {
                "apiVersion": "node.k8s.io/v1",
                "kind": "RuntimeClass",
                "metadata": {"name": "hyperv"},
                "handler": "runhcs-wcow-hypervisor",
            },
            {
                "apiVersion": "metrics.k8s.io/v1beta1",
                "kind": "NodeMetrics",
                "metadata": {"name": "win1"},
                "usage": {} if "no-node-metrics" in faults else {"cpu": "100m"},
            },
        ]
        super().__init__(given, version="1.37.1", served=(*SERVED, *EXTRA))
        self.faults = frozenset(faults)
        self.programs = self._run
        self.files: dict[tuple[str, str, str], str] = {}
        self.created: list[ObjectName] = []
        self.deleted: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        self._addresses = 10
        self._kubelets()

    def _kubelets(self) -> None:
        figures = {k: v for k, v in FIGURES.items() if f"no-{k}-figures" not in self.faults}
        config = {**CONFIG, **({"kubeReserved": {}} if "no-reserves" in self.faults else {})}
        if "no-grace" in self.faults:
            config["shutdownGracePeriod"] = "0s"
        metrics = (
            ""
            if "no-metrics" in self.faults
            else ("node_cpu_usage_seconds_total 5\nnode_memory_working_set_bytes 5\n")
        )
        for name in ("win1", "win2"):
            if "no-configz" not in self.faults:
                self.kubelets[name, "configz"] = json.dumps({"kubeletconfig": config}).encode()
            self.kubelets[name, "stats/summary"] = json.dumps({"node": figures}).encode()
            self.kubelets[name, "metrics/resource"] = metrics.encode()

    async def create(self, manifest: Manifest) -> Manifest:
        made = await super().create(manifest)
        name = name_of(made)
        self.created.append(name)
        if name.kind == "Namespace":
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            account = {"apiVersion": "v1", "kind": "ServiceAccount"}
            self.put({**account, "metadata": {"name": "default", "namespace": name.name}})
        if name.kind == "Pod":
            self.put({**made, **self._started(made)})
        if name.kind == "Service":
            self.put(self._served_service(made))
        return made

    async def delete(self, name: ObjectName, how: Deletion = BACKGROUND) -> bool:
        if name.kind == "Namespace":
            if "stuck-namespace" in self.faults:
                return True
            self.at_once -= 1
            self.deleted.append(name.name)
            for inside in [item for item in self._held if item.namespace == name.name]:
                self.remove(inside)
        return await super().delete(name, how)

    def _address(self) -> str:
        self._addresses += 1
        return f"10.244.1.{self._addresses}"

    def _served_service(self, made: Manifest) -> dict[str, Any]:
        ports = [{**port, "nodePort": 30080 + n} for n, port in enumerate(made["spec"]["ports"])]
        spec = {**made["spec"], "clusterIP": f"10.96.7.{len(self.created) % 250}", "ports": ports}
        given = made["spec"].get("type") == "LoadBalancer" and "no-balancer" not in self.faults
        ingress = [{"ip": "203.0.113.9"}] if given else []
        return {**made, "spec": spec, "status": {"loadBalancer": {"ingress": ingress}}}

    def _started(self, pod: Manifest) -> dict[str, Any]:
        spec, name = pod["spec"], pod["metadata"]["name"]
        on = spec["nodeSelector"]["kubernetes.io/hostname"]
        where = "win2" if "wrong-node" in self.faults else on
        host = bool(spec.get("hostNetwork"))
        address = "10.0.0.5" if host and "odd-address" not in self.faults else self._address()
        statuses = [self._container(item, name) for item in spec["containers"]]
        asked = sum(int(_request(item)) for item in spec["containers"])
        refused = asked > MEMORY - RESERVED and "greedy-runs" not in self.faults
        ready = (all(item["ready"] for item in statuses) and name != "unready") or (
            name == "unready" and "ready-anyway" in self.faults
        )
        slow = timedelta(seconds=1000 if "slow" in self.faults else 5)
        begun = datetime.fromisoformat(pod["metadata"]["creationTimestamp"])
        conditions = [
            {
                "type": "Ready",
                "status": str(ready).capitalize(),
                "lastTransitionTime": (begun + slow).strftime("%Y-%m-%dT%H:%M:%SZ"),
            }
        ]
        status = {
            "phase": "Running",
            "podIP": address,
            "hostIP": "10.0.0.5",
            "conditions": conditions,
            "containerStatuses": statuses,
        }
        if refused:
            reason = "Other" if "odd-refusal" in self.faults else "OutOfmemory"
            status = {"phase": "Failed", "reason": reason, "message": "not enough memory"}
        return {"spec": {**spec, "nodeName": where}, "status": status}

    def _container(self, item: Manifest, pod: str) -> dict[str, Any]:
        restarts = int(pod == "dying" and "never-restarted" not in self.faults)
        status = {
            "name": item["name"],
            "image": item["image"],
            "imageID": f"{item['image'].split(':')[0]}@sha256:{'a' * 64}",
            "ready": True,
            "restartCount": restarts,
            "state": {"running": {"startedAt": "now"}},
        }
        if "no-image" in self.faults:
            waiting = {"reason": "ErrImagePull", "message": "not found"}
            return {**status, "ready": False, "imageID": "", "state": {"waiting": waiting}}
        if "not-healthy" in self.faults and pod == "healthy":
            return {**status, "ready": False}
        if "stress" in (item.get("args") or ()):
            code = 0 if "ends-well" in self.faults else 2
            if "no-limit" not in self.faults:
                return {**status, "state": {"terminated": {"exitCode": code, "reason": "Error"}}}
        return status

    async def ask_kubelet(self, node: str, path: str) -> bytes:
        answer = await super().ask_kubelet(node, path)
        if path != "stats/summary":
            return answer
        figures = {"cpu": {"usageCoreNanoSeconds": 5}, "memory": {"workingSetBytes": 300 << 20}}
        if "no-pod-memory" in self.faults:
            figures.pop("memory")
        pods = [
            {
                "podRef": {k: pod["metadata"][k] for k in ("name", "namespace")},
                "containers": [figures],
                "network": {"name": "eth0"},
            }
            for pod in self.held("v1", "Pod")
        ]
        shown = [] if "no-pods-counted" in self.faults else pods
        return json.dumps({**json.loads(answer), "pods": shown}).encode()

    async def logs(self, pod: ObjectName, *, container: str = "", tail: int | None = None) -> bytes:
        del container, tail
        if "no-log" in self.faults:
            return b"something else\n"
        held = self._held[pod].object
        command = " ".join(held["spec"]["containers"][0].get("command") or ())
        found = re.search(r"echo (\S+?)&", command)
        return f"{found[1]}\r\n".encode() if found else b""

    def forward(self, pod: ObjectName, port: int):
        del port

        class Tunnel:
            def __init__(self) -> None:
                self.left = [b"HTTP/1.0 200 OK\r\n\r\n", pod.name.encode(), b""]

            async def read(self, *, deadline_s: float) -> bytes:
                del deadline_s
                return self.left.pop(0)

            async def write(self, data: bytes) -> None:
                assert data.startswith(b"GET /hostname")

        @asynccontextmanager
        async def tunnel():
            if "no-tunnel" in self.faults:
                raise PermanentError("connection refused")
            yield Tunnel()

        return tunnel()

    # What programs in pods answer.

    def _run(self, pod: ObjectName, command: Sequence[str], stdin: bytes) -> Executed:
        del stdin
        if "pretends" in self.faults:  # as the lab's stand-in for isolated containers
            return Executed(0, b"lab stand-in: not run", b"")
        program = command[0].removesuffix(".exe")
        if f"no-{program}" in self.faults:
            raise PermanentError(f"cannot run {command[0]}: The system cannot find the file")
        held = self._held[pod].object
        answer = getattr(self, f"_{program}")(pod, held, command)
        return answer if isinstance(answer, Executed) else Executed(0, answer.encode(), b"")

    def _cmd(  # noqa: C901, PLR0911 - one line for each command
        self, pod: ObjectName, held: Manifest, command: Sequence[str]
    ) -> Executed | str:
        line = command[2]
        if match := re.fullmatch(r"echo (\S+)> (.+)", line):
            self.files[pod.namespace, pod.name, match[2]] = match[1]
            return ""
        if match := re.fullmatch(r"echo (\w+)& exit ([0-9]+)", line):
            return Executed(0 if "no-exit-code" in self.faults else int(match[2]), b"out\r\n", b"")
        if match := re.fullmatch(r"type (.+)", line):
            return self._type(pod, held, match[1])
        if line == "echo %USERNAME%":
            return self._user(held)
        if line == "whoami /user":
            user = self._user(held)
            sid = "S-1-5-21-1-2-3-500" if "odd-sid" in self.faults else _USERS[user]
            return f"USER INFORMATION\r\n{user} {sid}\r\n"
        if match := re.fullmatch(r"echo %(\w+)%", line):
            return self._variable(pod, held, match[1])
        if line.startswith("dir /b"):
            return "" if "empty-host-path" in self.faults else "hosts\r\nservices\r\n"
        if line.startswith("reg query"):
            build = 17763 if "odd-image" in self.faults else 20348
            return f"    CurrentBuild    REG_SZ    {build}\r\n"
        if line.startswith("if exist"):
            return "" if "walled-host-process" in self.faults else "sees-the-node\r\n"
        if match := re.fullmatch(r"echo (\S+)", line):
            return "other" if "odd-machine" in self.faults else f"{match[1]}\r\n"
        raise AssertionError(line)

    def _user(self, held: Manifest) -> str:
        if "administrator" in self.faults:
            return "ContainerAdministrator"
        users = [
            item.get("securityContext", {}).get("windowsOptions", {}).get("runAsUserName", "")
            for item in held["spec"]["containers"]
        ]
        return users[self._containers.index(self._container_name)] if users else ""

    async def execute(self, pod: ObjectName, command: Sequence[str], **given: Any) -> Executed:
        found = await self.get(pod)
        self._containers = [item["name"] for item in found["spec"]["containers"]] if found else []
        self._container_name = given.get("container") or (self._containers or [""])[0]
        return await super().execute(pod, command, **given)

    def _type(self, pod: ObjectName, held: Manifest, path: str) -> Executed | str:
        folder, _, file = path.rpartition("\\")
        for container in held["spec"]["containers"]:
            for mount in container.get("volumeMounts") or ():
                if mount["mountPath"] != folder:
                    continue
                volume = next(v for v in held["spec"]["volumes"] if v["name"] == mount["name"])
                return self._in_volume(pod, volume, path, file)
        return Executed(1, b"", b"The system cannot find the path specified.")

    def _in_volume(self, pod: ObjectName, volume: Manifest, path: str, file: str) -> Executed | str:
        missing = Executed(1, b"", b"The system cannot find the file specified.")
        if "emptyDir" in volume:
            own = "no-shared-files" in self.faults and self._container_name != "main"
            found = None if own else self.files.get((pod.namespace, pod.name, path))
            return missing if found is None else f"{found}\r\n"
        if "empty-volumes" in self.faults:
            return missing
        for key, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
            if key in volume:
                name = volume[key].get("name") or volume[key]["secretName"]
                held = self._held[ObjectName("v1", kind, pod.namespace, name)].object
                values = held.get("data") or held["stringData"]
                return "before" if "old-files" in self.faults else str(values[file])
        return missing

    def _variable(self, pod: ObjectName, held: Manifest, name: str) -> str:
        if "no-variables" in self.faults:
            return f"%{name}%"
        for item in held["spec"]["containers"][0].get("env") or ():
            source = item["valueFrom"]
            kind = "ConfigMap" if "configMapKeyRef" in source else "Secret"
            given = source.get("configMapKeyRef") or source["secretKeyRef"]
            found = self._held[ObjectName("v1", kind, pod.namespace, given["name"])].object
            return str((found.get("data") or found["stringData"])[given["key"]])
        return f"%{name}%"

    def _whose(self, pod: ObjectName, host: str, port: int) -> str:
        """The pod that answers at an address; empty where none does."""
        if host == "127.0.0.1":
            return pod.name
        pods = [p for p in self.held("v1", "Pod") if p["metadata"]["namespace"] == pod.namespace]
        for item in pods:
            if item["status"].get("podIP") == host and not item["spec"].get("hostNetwork"):
                return str(item["metadata"]["name"])
        for service in self.held("v1", "Service"):
            spec = service["spec"]
            given = [
                i["ip"]
                for i in service.get("status", {}).get("loadBalancer", {}).get("ingress", [])
            ]
            at = host == spec.get("clusterIP") or host in given
            at_node = host == "10.0.0.5" and any(
                p.get("nodePort") == port for p in spec.get("ports", ())
            )
            if service["metadata"]["namespace"] == pod.namespace and (at or at_node):
                return str(spec.get("selector", {}).get("of", ""))
        return ""

    def _curl(self, pod: ObjectName, _held: Manifest, command: Sequence[str]) -> Executed | str:
        url = urlsplit(command[-1])
        if "no-network" in self.faults:
            return Executed(28, b"", b"curl: (28) Connection timed out")
        if "-w" in command:
            return (
                Executed(6, b"", b"curl: (6) Could not resolve host")
                if "no-egress" in self.faults
                else "200"
            )
        if url.path == "/hostname":
            whose = self._whose(pod, str(url.hostname), url.port or 80)
            if "no-way-to-pods" in self.faults:
                whose = ""
            return whose or Executed(7, b"", b"curl: (7) Failed to connect")
        asked = {key: values[0] for key, values in parse_qs(url.query).items()}
        protocol, port = asked["protocol"], int(asked["port"])
        whose = self._whose(pod, asked["host"], port)
        if f"no-{protocol}" in self.faults:
            whose = ""
        if "other-answers" in self.faults and whose:
            whose = "someone-else"
        if "one-way" in self.faults and pod.name != "server":
            whose = ""
        if not whose:
            return json.dumps({"errors": [f"dial {protocol}: i/o timeout"]})
        return json.dumps({"responses": [whose]})

    def _powershell(
        self, pod: ObjectName, _held: Manifest, command: Sequence[str]
    ) -> Executed | str:
        match = re.search(r"Connect\('([^']+)',([0-9]+)\)", command[-1])
        assert match
        whose = "" if "no-udp" in self.faults else self._whose(pod, match[1], int(match[2]))
        return (
            f"{whose}\r\n" if whose else Executed(1, b"", b"Exception calling Receive: timed out")
        )

    def _nslookup(
        self, _pod: ObjectName, _held: Manifest, command: Sequence[str]
    ) -> Executed | str:
        if "no-dns" in self.faults:
            return Executed(0, b"*** Request to UnKnown timed-out", b"")
        return f"Name:    {command[1]}\r\nAddress:  {API}\r\n"

    def _ipconfig(self, _pod: ObjectName, held: Manifest, _command: Sequence[str]) -> str:
        own = held["spec"]["dnsConfig"]
        if "node-dns" in self.faults:
            return "DNS Servers . . . . . : 10.0.0.2\r\n"
        return f"DNS Suffix: {own['searches'][0]}\r\nDNS Servers: {own['nameservers'][0]}\r\n"

    def _nltest(self, _pod: ObjectName, _held: Manifest, _command: Sequence[str]) -> Executed | str:
        if "no-domain" in self.faults:
            return Executed(
                1, b"", b"Getting parent domain failed: Status = 1355 ERROR_NO_SUCH_DOMAIN"
            )
        return "example.com. (1)\r\nThe command completed successfully\r\n"

    def _shutdown(
        self, pod: ObjectName, _held: Manifest, _command: Sequence[str]
    ) -> Executed | str:
        if "refused-reboot" in self.faults:
            return Executed(5, b"", b"Access is denied.(5)")
        if "no-reboot" in self.faults:
            return ""
        on = next(item for item in self.held("v1", "Node") if item["metadata"]["name"] == "win1")
        status = dict(on["status"])
        status["nodeInfo"] = {**status["nodeInfo"], "bootID": f"boot-{self._number}"}
        self.put({**on, "status": status})
        for item in self.held("v1", "Pod"):
            if item["metadata"]["namespace"] == pod.namespace:
                self.put({**item, "status": self._after_boot(item)})
        return ""

    def _after_boot(self, pod: Manifest) -> dict[str, Any]:
        status = dict(pod["status"])
        if "pods-stay-away" in self.faults:
            return {**status, "conditions": [{"type": "Ready", "status": "False"}]}
        if pod["spec"].get("restartPolicy") == "Never":
            told = "Pod was terminated in response to imminent node shutdown."
            ended = {"phase": "Failed", "reason": "Terminated", "message": told}
            return {**status, **({} if "cut-off" in self.faults else ended)}
        statuses = [{**item, "restartCount": 1} for item in status["containerStatuses"]]
        return {**status, "containerStatuses": statuses}


def _request(container: Manifest) -> str:
    text = str(container.get("resources", {}).get("requests", {}).get("memory", "0"))
    return text if text.isdigit() else "0"
