"""Values of the model from documents that are right: a Fleet, its hosts, and what a Client says of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from transom.model import fleet as model
from transom.spec.hosts import Entry
from transom.spec.levels import laid_over
from transom.spec.shape import attribute, build, merge
from transom.spec.shapes.client import ACCESS
from transom.spec.shapes.document import SPEC
from transom.spec.shapes.host import DEFAULTS, OWN
from transom.spec.shapes.pool import ROLLOUT

_AS_CLUSTER = model.KubernetesSpec("cluster")
_LEVELS = frozenset({"defaults", "pools", "hosts", "rollout", "cluster", "paused"})
_NAMES = {
    "computer_name_policy": "rename",
    "reboot_policy": "reboot",
    "end_of_life_policy": "allow_end_of_life",
    "privileged_mode": "privileged",
    "computer_name": "computer",
    "node_name": "node",
    "pool_name": "pool",
}


class Access(NamedTuple):
    """One entry of a Client document, and how its relative paths are meant."""

    value: Mapping[str, Any]
    place: Callable[[str], str]
    keep: Callable[[str], str]


def fleet_of(
    value: Mapping[str, Any], entries: Sequence[Entry], access: Access | None
) -> model.Fleet:
    """The fleet of a valid document, with its hosts and what the Client says."""
    spec = value["spec"]
    parts = {
        _NAMES.get(attribute(key), attribute(key)): build(SPEC.keys[key], below)
        for key, below in spec.items()
        if key not in _LEVELS
    }
    runtime = spec.get("defaults", {}).get("runtime")
    found = model.Fleet(
        name=value["metadata"]["name"],
        cluster=_cluster(spec.get("cluster", {})),
        kubernetes=parts.pop("kubernetes", _AS_CLUSTER),
        hosts=_Hosts(spec).all(entries),
        runtime=None if runtime is None else build(DEFAULTS.keys["runtime"], runtime),
        paused=spec.get("paused", False),
        **parts,
    )
    return found if access is None else _reached(found, access)


def _cluster(value: Mapping[str, Any]) -> model.Cluster:
    parts = build(SPEC.keys["cluster"], value)
    return model.Cluster(endpoint=parts.pop("join_endpoint", None), **parts)


class _Hosts:
    """The hosts of one fleet; what a pool says is merged once."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._rollout = spec.get("rollout", {})
        self._pools = {pool["name"]: pool for pool in spec.get("pools", ())}
        self._defaults = spec.get("defaults", {})
        self._levels = {
            name: laid_over(self._defaults, pool.get("host", {}))
            for name, pool in self._pools.items()
        }
        self._of_pools = {name: self._of_pool(name) for name in (None, *self._pools)}

    def all(self, entries: Sequence[Entry]) -> tuple[model.Host, ...]:
        return tuple(self._host(entry) for entry in entries)

    def _of_pool(self, name: str | None) -> dict[str, Any]:
        pool = self._pools[name] if name else {}
        rollout = merge(ROLLOUT, self._rollout, pool.get("rollout", {}))
        return {
            "upgrade": build(ROLLOUT, rollout),
            **{
                key: build(SPEC.keys[key], pool[key])
                for key in ("kubernetes", "proxy")
                if key in pool
            },
        }

    def _host(self, entry: Entry) -> model.Host:
        pool = entry.spec.get("poolName")
        base = self._levels[pool] if pool else self._defaults
        settings = {
            _NAMES.get(attribute(key), attribute(key)): build(DEFAULTS.keys[key], value)
            for key, value in laid_over(base, entry.settings).items()
            # The fleet's own runtime is said once, of the fleet.
            if key != "runtime" or value != self._defaults.get(key)
        }
        own = {
            _NAMES.get(attribute(key), attribute(key)): build(OWN[key], value)
            for key, value in entry.spec.items()
            if key in OWN and key != "host"
        }
        keys = own.pop("ssh_host_keys", ())
        address = own.pop("address", None) or entry.name
        way = settings.pop("connection", None)
        connection = None
        if way is not None:
            connection = model.Connection(host_keys=keys, **way)
        elif keys:
            connection = model.Connection(model.Transport.SSH, host_keys=keys)
        return model.Host(
            name=entry.name,
            address=address,
            connection=connection,
            **own,
            **settings,
            **self._of_pools[pool],
        )


def _reached(fleet: model.Fleet, access: Access) -> model.Fleet:
    """The fleet with what one machine knows of it."""
    known = build(ACCESS, access.value)
    credentials = {name: (place, type_) for name, place, type_ in known.get("credentials", ())}
    kubeconfig, bundle = known.get("kubeconfig"), known.get("bundle")
    token = known.get("bootstrap_token")
    files = {
        name: replace(file, path=access.keep(file.path))
        for name, file in known.get("overrides", ())
    }
    return replace(
        fleet,
        cluster=replace(
            fleet.cluster,
            kubeconfig=access.place(kubeconfig) if kubeconfig else None,
            context=known.get("context"),
            token_from=_placed(token, access) if token else None,
        ),
        source=replace(
            fleet.source,
            bundle=access.keep(bundle) if bundle else None,
            overrides={**fleet.source.overrides, **files},
        ),
        hosts=tuple(
            _entered(host, credentials, access, local=known.get("local_host"))
            for host in fleet.hosts
        ),
    )


def _entered(
    host: model.Host,
    credentials: Mapping[str, tuple[model.Credential, model.SecretType | None]],
    access: Access,
    *,
    local: str | None,
) -> model.Host:
    """The host with the way that its connection names."""
    if host.name == local:
        return replace(host, connection=model.Connection(model.Transport.LOCAL))
    way = host.connection
    if way is None or way.credential_name is None or way.credential_name not in credentials:
        return host
    credential, secret = credentials[way.credential_name]
    if isinstance(credential, model.FromCommand):
        argv = tuple(word.replace("{host}", host.name) for word in credential.argv)
        credential = model.FromCommand(argv)
    return replace(
        host, connection=replace(way, credential=_placed(credential, access), secret=secret)
    )


def _placed(credential: model.Credential, access: Access) -> model.Credential:
    if isinstance(credential, model.FromFile):
        return model.FromFile(access.place(credential.path))
    return credential
