"""A v1alpha1 fleet as v1alpha2: one pure function from a right document to a Fleet and a Client.

Both say exactly what the old document said. Texts are those that were written.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from transom.spec.shapes.client import API_VERSION as CLIENT_VERSION
from transom.spec.shapes.client import KIND as CLIENT_KIND
from transom.spec.shapes.document import API_VERSION, KIND
from transom.spec.syntax import ADDRESS, RELEASE, VERSION, duration_s, suggest_release
from transom.spec.v1alpha1.hosts import merged_hosts
from transom.spec.v1alpha1.network import PLUGINS

Map = dict[str, Any]

_PRIVILEGED = {"hostprocess": "HostProcess", "services": "Services", "wins": "Wins"}
_MODES = {"overlay": "Overlay", "l2bridge": "L2Bridge"}
_TYPES = {key: plugin.title for key, plugin in PLUGINS.items()}
_KEYS = {"wincni": "winCNI"}
_WAYS = {"ssh": "SSH", "winrm": "WinRM"}
_SETTINGS = ("windows", "connection", "kubelet", "labels", "taints", "directories", "longName")
_PLACES = ("file", "env", "command", "secretRef")


class Converted(NamedTuple):
    """The same in v1alpha2: the Fleet, and the Client where there is anything to say in one."""

    fleet: Map
    client: Map | None


def convert(value: Mapping[str, Any]) -> Converted:
    """The documents of v1alpha2 that mean what a right v1alpha1 fleet means."""
    name, spec = value["metadata"]["name"], value["spec"]
    credentials = _Credentials(spec)
    fleet = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": name},
        "spec": dict(_spec(spec, credentials)),
    }
    access = dict(_access(spec, credentials))
    if not access:
        return Converted(fleet, None)
    client = {
        "apiVersion": CLIENT_VERSION,
        "kind": CLIENT_KIND,
        "fleets": [{"fleetName": name, **access}],
    }
    return Converted(fleet, client)


def _spec(spec: Mapping[str, Any], credentials: "_Credentials") -> Iterator[tuple[str, Any]]:
    cluster = _cluster(spec.get("cluster", {}))
    if cluster:
        yield "cluster", cluster
    if spec["kubernetes"]["version"] != "cluster":
        yield "kubernetes", {"version": _version(spec["kubernetes"]["version"])}
    yield "network", _network(spec["network"])
    if "proxy" in spec:
        keys = {"http": "httpProxy", "https": "httpsProxy", "noProxy": "noProxy"}
        yield "proxy", {keys[key]: value for key, value in spec["proxy"].items()}
    source = dict(_source(spec.get("source", {})))
    if source:
        yield "source", source
    if "allowEndOfLife" in spec:
        yield "endOfLifePolicy", "Allow" if spec["allowEndOfLife"] else "Refuse"
    if "privileged" in spec:
        yield "privilegedMode", _PRIVILEGED[spec["privileged"]]
    yield from _levels(spec, credentials)


def _cluster(cluster: Mapping[str, Any]) -> Map:
    names = {"endpoint": "joinEndpoint"}
    kept = {
        names.get(key, key): cluster[key]
        for key in ("caCertHashes", "endpoint", "featureGates")
        if key in cluster
    }
    return kept | ({"version": _version(cluster["version"])} if "version" in cluster else {})


def _levels(spec: Mapping[str, Any], credentials: "_Credentials") -> Iterator[tuple[str, Any]]:
    defaults = spec.get("defaults", {})
    if "upgrade" in defaults:
        yield "rollout", _rollout(defaults["upgrade"])
    settings = _settings(defaults, credentials, ())
    if "runtime" in spec:
        settings["runtime"] = _runtime(spec["runtime"])
    if settings:
        yield "defaults", settings
    if "pools" in spec:
        yield "pools", [_pool(pool, defaults, credentials) for pool in spec["pools"]]
    if "hosts" in spec:
        yield "hosts", list(_hosts(spec, credentials))


def _network(network: Mapping[str, Any]) -> Map:
    (plugin,) = network.keys() & PLUGINS.keys()
    settings = dict(network[plugin])
    if "version" in settings:
        settings["version"] = _version(settings["version"])
    if "mode" in settings:
        settings["mode"] = _MODES[settings["mode"]]
    for key in ("installer", "environment"):
        if key in settings:
            settings[key] = settings[key].capitalize()
    ranges = {key: value for key, value in network.items() if key != plugin}
    own = {_KEYS.get(plugin, plugin): settings} if settings else {}
    return {"type": _TYPES[plugin], **ranges, **own}


def _source(source: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if source.get("mirrors"):
        yield "mirrors", [{"from": old, "to": new} for old, new in source["mirrors"].items()]
    overrides = [
        {"artifact": artifact, **override}
        for artifact, override in source.get("overrides", {}).items()
        if "file" not in override
    ]
    if overrides:
        yield "overrides", overrides
    if source.get("verify"):
        yield "verify", source["verify"]


def _runtime(runtime: Mapping[str, Any]) -> Map:
    (name,) = runtime
    settings = dict(runtime[name])
    if "version" in settings:
        settings["version"] = _version(settings["version"])
    if "mirrors" in settings:
        settings["registries"] = [
            {"host": host, "mirrors": [{"url": url} for url in urls]}
            for host, urls in settings.pop("mirrors").items()
        ]
    return {"type": name.capitalize(), **({name: settings} if settings else {})}


def _pool(pool: Mapping[str, Any], defaults: Mapping[str, Any], credentials: "_Credentials") -> Map:
    rollout = {"rollout": _rollout(pool["upgrade"])} if "upgrade" in pool else {}
    settings = _settings(pool, credentials, (defaults,))
    return {"name": pool["name"], **rollout, **({"host": settings} if settings else {})}


def _hosts(spec: Mapping[str, Any], credentials: "_Credentials") -> Iterator[Map]:
    defaults = spec.get("defaults", {})
    pools = {pool["name"]: pool for pool in spec.get("pools", ())}
    for host, merged in zip(spec["hosts"], merged_hosts(spec), strict=True):
        name = _name(host["name"])
        found: Map = {"name": name}
        if "address" in host:
            found["address"] = host["address"]
        elif name != host["name"]:
            found["address"] = host["name"]
        if "pool" in host:
            found["poolName"] = host["pool"]
        if name != host["name"]:
            found["computerName"] = host["name"]
        key = merged.get("connection", {}).get("ssh", {}).get("hostKey")
        if key is not None:
            found["sshHostKeys"] = [key]
        above = (defaults, *((pools[host["pool"]],) if "pool" in host else ()))
        settings = _settings(host, credentials, above)
        _place(settings, merged.get("connection", {}))
        arguments = settings.get("kubelet", {}).get("extraArgs", [])
        node_ip = next((each["value"] for each in arguments if each["name"] == "node-ip"), "")
        if ADDRESS.matches(node_ip):
            found["nodeIP"] = node_ip
            settings["kubelet"]["extraArgs"] = [e for e in arguments if e["name"] != "node-ip"]
        yield {**found, **({"host": settings} if settings else {})}


def _place(settings: Map, merged: Mapping[str, Any]) -> None:
    """Write where a host is reached into its own settings: v1alpha2 has no such key above it."""
    for way, connection in merged.items():
        if "host" in connection:
            found = settings.setdefault("connection", {"type": _WAYS[way]})
            found.setdefault(way, {})["host"] = connection["host"]


def _settings(
    level: Mapping[str, Any], credentials: "_Credentials", above: Sequence[Mapping[str, Any]]
) -> Map:
    """What a level says, in the words of v1alpha2; `above` are the levels it inherits from."""
    settings = {key: level[key] for key in _SETTINGS if key in level}
    if "windows" in settings:
        settings["windows"] = {"release": _release(settings["windows"]["release"])}
    if "connection" in settings:
        connection = credentials.connection(settings.pop("connection"))
        ways = [way for level in above for way in level.get("connection", ())]
        says_more = connection != {"type": "SSH"} or "ssh" not in ways[-1:]
        settings |= {"connection": connection} if connection and says_more else {}
    if "kubelet" in settings:
        settings["kubelet"] = _kubelet(level["kubelet"], above)
    if "rename" in level:
        settings["computerNamePolicy"] = "Rename" if level["rename"] else "Keep"
    if "reboot" in level:
        settings["rebootPolicy"] = {"allowed": "IfNeeded", "refused": "Never"}[level["reboot"]]
    if "isolation" in level:
        settings["isolation"] = {"process": "Process", "hyperv": "HyperV"}[level["isolation"]]
    return settings


def _kubelet(kubelet: Mapping[str, Any], above: Sequence[Mapping[str, Any]]) -> Map:
    found: Map = {}
    if "extraArgs" in kubelet:
        # Maps merged over the levels; a list replaces the one above, so it has all of them.
        inherited = [level.get("kubelet", {}).get("extraArgs", {}) for level in above]
        arguments: Map = {}
        for each in (*inherited, kubelet["extraArgs"]):
            arguments |= each
        found["extraArgs"] = [{"name": name, "value": text} for name, text in arguments.items()]
    if "config" in kubelet:
        found["config"] = kubelet["config"]
    return found


def _rollout(upgrade: Mapping[str, Any]) -> Map:
    found: Map = {}
    if "maxUnavailable" in upgrade:
        count = upgrade["maxUnavailable"]
        found["maxUnavailable"] = count if count.endswith("%") else int(count)
    drain = upgrade.get("drain", {})
    policies = {"deleteEmptyDirData": "emptyDirPolicy", "force": "unmanagedPodPolicy"}
    new: Map = {}
    if "timeout" in drain:
        new["timeoutSeconds"] = duration_s(drain["timeout"])
    if "gracePeriod" in drain:
        new["gracePeriodSeconds"] = int(drain["gracePeriod"])
    new |= {
        policies[key]: "Delete" if value else "Refuse"
        for key, value in drain.items()
        if key in policies
    }
    return {**found, **({"drain": new} if new else {})}


def _access(spec: Mapping[str, Any], credentials: "_Credentials") -> Iterator[tuple[str, Any]]:
    cluster, source = spec.get("cluster", {}), spec.get("source", {})
    for key in ("kubeconfig", "context"):
        if key in cluster:
            yield key, cluster[key]
    if "tokenFrom" in cluster:
        yield "bootstrapToken", {k: v for k, v in cluster["tokenFrom"].items() if k in _PLACES}
    if "bundle" in source:
        yield "bundle", source["bundle"]
    files = [
        {"artifact": artifact, **override}
        for artifact, override in source.get("overrides", {}).items()
        if "file" in override
    ]
    if files:
        yield "overrides", files
    local = [host["name"] for host in merged_hosts(spec) if "local" in host.get("connection", {})]
    if local:
        yield "localHost", _name(local[0])
    if credentials.named:
        yield "credentials", list(credentials.named.values())


class _Credentials:
    """The credentials of a fleet, each under a name of its own."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.named: dict[str, Map] = {}
        self._spec = spec

    def connection(self, connection: Mapping[str, Any]) -> Map:
        """A connection that names its credential; empty where it says nothing more."""
        (way,) = connection
        if way == "local":
            return {}
        settings = {
            k: v for k, v in connection[way].items() if k not in ("credential", "hostKey", "host")
        }
        if "port" in settings:
            settings["port"] = int(settings["port"])
        found: Map = {"type": _WAYS[way]}
        if settings:
            found[way] = settings
        if "credential" in connection[way]:
            found["credentialName"] = self._name(connection[way]["credential"], way)
        return found

    def _name(self, credential: Mapping[str, Any], way: str) -> str:
        (place,) = credential
        said: Map = {} if place in ("agent", "prompt") else {place: credential[place]}
        types = {"agent": "SSHAgent", "prompt": "Password"}
        type_ = types.get(place) or ("Password" if way == "winrm" else "")
        entry = {**({"type": type_} if type_ else {}), **said}
        for name, known in self.named.items():
            if {key: value for key, value in known.items() if key != "name"} == entry:
                return name
        name = _unused(_credential_name(place, credential[place]), self.named)
        self.named[name] = {"name": name, **entry}
        return name


def _credential_name(place: str, value: Any) -> str:
    text = {"agent": "agent", "prompt": "password"}.get(place, "")
    if place == "file":
        text = re.split(r"[\\/]", value)[-1]
    elif place == "env":
        text = value
    elif place == "command":
        text = value[0]
    elif place == "secretRef":
        text = value["name"]
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40].strip("-") or "credential"


def _unused(name: str, taken: Mapping[str, Any]) -> str:
    if name not in taken:
        return name
    return next(f"{name}-{n}" for n in range(2, len(taken) + 3) if f"{name}-{n}" not in taken)


def _name(written: str) -> str:
    """An object's name for a computer's: in lower case, without what no name may have."""
    parts = (re.sub(r"[^a-z0-9-]+", "-", part).strip("-") for part in written.lower().split("."))
    return ".".join(part for part in parts if part) or "host"


def _release(written: str) -> str:
    return written if RELEASE.matches(written) else suggest_release(written) or written


def _version(written: str) -> str:
    assert VERSION.suggest is not None
    return written if VERSION.matches(written) else VERSION.suggest(written) or written
