"""A proxy is set and the cluster's own ranges are not excepted from it."""

from collections.abc import Iterator, Mapping

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.hns_objects import contains, within
from transom.node.doctor.kubelet_settings import kubeconfig_value
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY")
_SERVICES = ("kubelet", "containerd", "kube-proxy", "flanneld")


def _examine(seen: Observation) -> Iterator[Trouble]:
    wanted = _wanted(seen)
    machine = {name.upper(): value for name, value in seen.environment.items()}
    places = {"the machine": machine}
    for service in seen.services:
        if service.name in _SERVICES and service.environment:
            own = dict(entry.partition("=")[::2] for entry in service.environment)
            upper = {name.upper(): value for name, value in own.items()}
            if any(name in upper for name in _PROXIES):
                places[f"the service {service.name}"] = {**machine, **upper}
    for where, variables in places.items():
        missing = _missing(variables, wanted)
        if missing:
            yield Trouble(
                subject="NO_PROXY",
                message=f"{where} sends {', '.join(missing)} to the proxy",
                evidence=(f"NO_PROXY={variables.get('NO_PROXY', '')}",),
            )


def _wanted(seen: Observation) -> list[str]:
    found: list[str] = []
    if seen.recipe is not None:
        plan = seen.recipe.network
        found = [*plan.pod_cidrs, *plan.service_cidrs]
    server = kubeconfig_value(seen, "server").partition("://")[2]
    host = server.rpartition(":")[0].strip("[]") or server
    return [*found, *([host] if host else [])]


def _missing(variables: Mapping[str, str], wanted: list[str]) -> list[str]:
    if not any(variables.get(name) for name in _PROXIES):
        return []
    exceptions = [part.strip() for part in variables.get("NO_PROXY", "").split(",") if part.strip()]
    return [item for item in wanted if not any(_covers(entry, item) for entry in exceptions)]


def _covers(entry: str, item: str) -> bool:
    """As Go's programs read it (golang.org/x/net/http/httpproxy): `*.x` and `.x` are the same."""
    entry, item = entry.lower(), item.lower()
    if entry in ("*", item) or item.endswith("." + entry.removeprefix("*").lstrip(".")):
        return True
    return within(item, entry) if "/" in item else contains(entry, item)


DIAGNOSIS = Diagnosis(
    id="proxy-without-exceptions",
    title="Proxy without exceptions for the cluster",
    symptom="The kubelet or a pod's HostProcess container reaches the internet and not the API "
    "server or a Service.",
    cause="HTTP_PROXY or HTTPS_PROXY is set for the machine or a service, and NO_PROXY names neither "
    "the API server nor the ranges of pods and Services.",
    remedy=Remedy(
        "Add the API server's host and the ranges of pods and Services to NO_PROXY, and reboot "
        "or restart the services.",
        "A reboot ends every pod on this node. Restarting the kubelet, containerd or flanneld "
        "leaves running containers alone. Restarting kube-proxy deletes every balancer: no "
        "Service answers from this node until it has written all of them again, which takes "
        "seconds, and minutes with thousands of Services.",
    ),
    looks_at=("environment", "services", "texts", "recipe"),
    seen=Seen.WINE,
    examine=_examine,
)
