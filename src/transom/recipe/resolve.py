"""Fleet and facts into recipes, or a refusal with every reason of every host.

Pure and deterministic: the same fleet and facts give the same bytes. Never reads a host, a cluster
or a file. What a shape's hosts share is made once; a host's own parts are laid over it.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from transom.errors import Refused, UsageError
from transom.facts import rows
from transom.facts.install import (
    AccessRow,
    ArgumentRow,
    ArtifactRow,
    DirectoryRow,
    EnvironmentRow,
    ExclusionRow,
    FeatureRow,
    HostNetworkRow,
    PortRow,
    ProtectedFileRow,
    RegistryRow,
    RouteRow,
    ServiceRow,
)
from transom.facts.join import Limit
from transom.facts.names import netbios_name
from transom.facts.network import DirectRow, MtuRow
from transom.facts.rows import At
from transom.facts.windows import Kb
from transom.model.fleet import Fleet, Host
from transom.model.problem import Refusal
from transom.model.recipe import (
    Artifact,
    DefenderExclusion,
    Directory,
    EnvironmentValue,
    Feature,
    File,
    FirewallRule,
    HostNetwork,
    Identity,
    Image,
    KubeletPlan,
    Limits,
    Member,
    NetworkPlan,
    ProtectedFile,
    Recipe,
    Recovery,
    RegistryValue,
    Route,
    Service,
    Target,
    Unpack,
    Update,
)
from transom.model.version import Version
from transom.recipe.case import Case, cases, shapes_of
from transom.recipe.cni import cni_files
from transom.recipe.containerd import containerd_files
from transom.recipe.kubelet import join_plan, kubelet_files, kubelet_plan
from transom.recipe.programs import programs
from transom.recipe.refusals import refuse_cases, refuse_fleet
from transom.recipe.shape import KUBERNETES, Shape
from transom.recipe.sources import from_sources
from transom.recipe.wins import wins_files


def resolve(
    fleet: Fleet,
    *,
    hosts: Sequence[str] = (),
    detected_runtimes: Mapping[str, tuple[str, ...]] | None = None,
) -> list[Recipe]:
    """The recipes of a fleet's hosts, in the fleet's order; raise Refused with every reason."""
    found = cases_of(fleet, hosts=hosts, detected_runtimes=detected_runtimes or {})
    refusals = [*refuse_fleet(fleet), *refuse_cases(found)]
    if refusals:
        raise Refused(_distinct(refusals), subject=f"fleet {fleet.name}")
    return _recipes(found)


def cases_of(
    fleet: Fleet, *, hosts: Sequence[str], detected_runtimes: Mapping[str, tuple[str, ...]]
) -> list[Case]:
    """The cases of the named hosts, or of all."""
    unknown = sorted(set(hosts) - {host.name for host in fleet.hosts})
    if unknown:
        raise UsageError(
            f"fleet {fleet.name} has no host {', '.join(unknown)}",
            hint=f"its hosts are {', '.join(host.name for host in fleet.hosts) or 'none'}",
        )
    chosen = [host for host in fleet.hosts if not hosts or host.name in hosts]
    versions = partial(_kubernetes, fleet)
    return cases(fleet, chosen, kubernetes=versions, detected_runtimes=detected_runtimes)


def recipe_of(case: Case) -> Recipe:
    """One host's recipe; the case must have been found free of refusals."""
    return Recipe(**_shared_parts(case.shape), **_own_parts(case))


def _recipes(cases: Sequence[Case]) -> list[Recipe]:
    shared = {shape: _shared_parts(shape) for shape in shapes_of(cases)}
    return [Recipe(**shared[case.shape], **_own_parts(case)) for case in cases]


def _own_parts(case: Case) -> dict[str, Any]:
    """The parts that name the host."""
    return {
        "identity": _identity(case),
        "services": _services(case),
        "join": join_plan(case),
        "notes": _notes(case),
        "programs": programs(case),
    }


def _shared_parts(shape: Shape) -> dict[str, Any]:
    """The parts that name no host."""
    kubelet = kubelet_plan(shape)
    return {
        "files": _files(shape, kubelet),
        "target": _target(shape),
        "limits": _limits(),
        "network": _network(shape),
        "updates": _updates(shape),
        "directories": _directories(shape),
        "artifacts": _artifacts(shape),
        "protected_files": _protected_files(shape),
        "images": _images(shape),
        "kubelet": kubelet,
        **_settings_of_windows(shape),
    }


def _settings_of_windows(shape: Shape) -> dict[str, Any]:
    """The parts that are one row of the facts each."""
    long_name = shape.settings.long_name
    return {
        "features": tuple(Feature(name=r.name, why=r.id) for r in shape.rows(FeatureRow)),
        "registry": tuple(
            RegistryValue(key=r.key, name=r.name, type=r.type, value=r.value, why=r.id)
            for r in shape.rows(RegistryRow)
        ),
        "environment": tuple(
            EnvironmentValue(name=r.name, value=shape.say(r.value), append=r.append, why=r.id)
            for r in shape.rows(EnvironmentRow)
        ),
        "dns_suffixes": (long_name.dns_suffix,) if long_name else (),
        "routes": tuple(
            Route(prefix=r.prefix, gateway=r.gateway, keep=r.keep, why=r.id)
            for r in shape.rows(RouteRow)
        ),
        "firewall": tuple(
            FirewallRule(name=r.name, protocol=r.protocol, port=port, why=r.id)
            for r in shape.rows(PortRow)
            if (port := shape.say(r.port))
        ),
        "defender_exclusions": tuple(
            DefenderExclusion(process=shape.say(r.process), why=r.id)
            for r in shape.rows(ExclusionRow)
        ),
        "host_networks": tuple(
            HostNetwork(name=r.name, driver=r.driver, program=shape.say(r.program), why=r.id)
            for r in shape.rows(HostNetworkRow)
        ),
    }


def _files(shape: Shape, kubelet: KubeletPlan) -> tuple[File, ...]:
    files = containerd_files(shape) if shape.runtime == "containerd" else []
    return (*files, *cni_files(shape), *kubelet_files(kubelet), *wins_files(shape))


def checksum_urls(shape: Shape) -> dict[str, str]:
    """Where each artifact's published sum is, by artifact; empty where there is none."""
    return {
        row.name: shape.say(row.checksum, version=shape.say(row.version)) if row.checksum else ""
        for row in shape.rows(ArtifactRow)
    }


def _kubernetes(fleet: Fleet, host: Host) -> Version:
    wanted = fleet.kubernetes_of(host).version
    if wanted != "cluster":
        return Version.parse(wanted)
    locked = next((item.value for item in fleet.locked if item.name == KUBERNETES), "")
    if locked:
        return Version.parse(locked)
    if fleet.cluster.version is None:
        raise UsageError(
            "the fleet names no kubernetes.version, and does not say what the cluster runs",
            subject=f"fleet {fleet.name}",
            hint="write kubernetes: {version: 1.37.1}, or cluster.version",
        )
    return Version.parse(fleet.cluster.version)


def _distinct(refusals: Sequence[Refusal]) -> list[Refusal]:
    return list(dict.fromkeys(refusals))


def _identity(case: Case) -> Identity:
    host = case.host
    return Identity(
        fleet=case.shape.fleet.name,
        pool=host.pool or "",
        name=host.computer_name,
        address=host.address,
        rename=host.rename,
        reboot=host.reboot.value,
    )


def _target(shape: Shape) -> Target:
    assert shape.release is not None
    legacy = rows.one(Limit, "limit-legacy-minor", At())
    return Target(
        kubernetes=str(shape.kubernetes),
        windows_release=shape.release.id,
        windows_build=shape.release.build,
        runtime=shape.runtime,
        runtime_version=shape.runtime_version,
        privileged=shape.privileged,
        isolation=shape.settings.isolation.value,
        end_of_life=shape.kubernetes < Version(1, legacy.value + 1),
        why="windows-support",
    )


def _limits() -> Limits:
    disk = rows.one(Limit, "limit-free-disk", At())
    skew = rows.one(Limit, "limit-clock-skew", At())
    return Limits(free_disk_gib=disk.value, clock_skew_s=skew.value, why=f"{disk.id} {skew.id}")


def _network(shape: Shape) -> NetworkPlan:
    network = shape.fleet.network
    overhead = rows.find(MtuRow, f"mtu-{shape.mode}", shape.at)
    return NetworkPlan(
        plugin=shape.plugin,
        version=shape.plugin_version,
        mode=shape.mode,
        name=shape.network_name,
        pod_cidrs=network.pod_cidrs,
        service_cidrs=network.service_cidrs,
        cluster_dns=network.cluster_dns,
        vni=shape.vni if shape.mode == "overlay" else None,
        port=shape.port if shape.mode == "overlay" else None,
        mtu=network.mtu or (overhead.bytes if overhead else None),
        why=shape.mode_row.id if shape.mode_row else f"plugin-{shape.plugin}",
    )


def _updates(shape: Shape) -> tuple[Update, ...]:
    used = {shape.mode, "dsr" if shape.dsr else ""}
    return tuple(
        Update(kb=row.id, revision=row.revision, why=row.id)
        for row in rows.read(Kb)
        if row.build == shape.at.build and row.needed_for in used
    )


def _access(row_id: str) -> str:
    return rows.one(AccessRow, row_id, At()).sddl if row_id else ""


def _directories(shape: Shape) -> tuple[Directory, ...]:
    return tuple(
        Directory(path=shape.places[row.key], acl=_access(row.access), why=row.id)
        for row in shape.rows(DirectoryRow)
    )


def _protected_files(shape: Shape) -> tuple[ProtectedFile, ...]:
    acl = _access("access-administrators-file")
    return tuple(
        ProtectedFile(path=shape.say(row.path), acl=acl, why=row.id)
        for row in shape.rows(ProtectedFileRow)
    )


def _artifacts(shape: Shape) -> tuple[Artifact, ...]:
    tarball = shape.say(rows.one(ArtifactRow, "artifact-node-tarball", At()).url)
    artifacts = [_artifact(shape, row) for row in shape.rows(ArtifactRow)]
    return tuple(from_sources(shape.fleet.source, artifacts, node_tarball=tarball))


def _artifact(shape: Shape, row: ArtifactRow) -> Artifact:
    version = shape.say(row.version)
    pairs = (member.split(" => ") for member in row.members)
    return Artifact(
        id=row.name,
        version=version,
        url=shape.say(row.url, version=version),
        sha256=None,
        unpack=Unpack(row.unpack),
        path=shape.say(row.path, version=version),
        members=tuple(Member(name=name, path=shape.say(path)) for name, path in pairs),
        why=row.id,
    )


def _images(shape: Shape) -> tuple[Image, ...]:
    if shape.own_pause:
        assert shape.release is not None
        own = "fleet runtime.containerd.pauseImage"
        builds = (shape.release.build,)
        return (Image(reference=shape.own_pause, purpose="pause", builds=builds, why=own),)
    assert shape.pause is not None
    pause = shape.pause
    return (Image(reference=pause.image, purpose="pause", builds=pause.builds, why=pause.id),)


def _services(case: Case) -> tuple[Service, ...]:
    return tuple(_service(case, row) for row in case.shape.rows(ServiceRow))


def _service(case: Case, row: ServiceRow) -> Service:
    arguments = (a for a in case.shape.rows(ArgumentRow) if a.service == row.name)
    command = (case.say(row.program), *(case.say(a.text) for a in arguments))
    recovery = Recovery(restart_delays_ms=row.restart_delays_ms, reset_s=row.reset_s)
    return Service(
        name=row.name,
        display_name=row.display_name,
        command=command,
        start=row.start,
        depends_on=tuple(case.say(name) for name in row.depends_on),
        environment={} if row.runs else _proxy_environment(case),
        recovery=recovery if row.restart_delays_ms else None,
        flags_file=case.say(row.flags_file),
        runs=row.runs,
        why=row.id,
    )


def _proxy_environment(case: Case) -> dict[str, str]:
    proxy, network = case.shape.proxy, case.shape.fleet.network
    if not (proxy.http or proxy.https):
        return {}
    # Cluster traffic must never leave through the proxy, whatever the fleet remembered to list.
    inside = ["localhost", "127.0.0.1", ".svc", f".{case.shape.cluster_domain}"]
    inside += [*network.pod_cidrs, *network.service_cidrs, case.host.address]
    inside += [case.host.node_ip] if case.host.node_ip else []
    inside += [row.address for row in rows.rows(DirectRow, case.shape.at)]
    # The API server is added on the host, which knows it even where this is made without a cluster.
    no_proxy = dict.fromkeys([*proxy.no_proxy, *inside])
    values = {"HTTP_PROXY": proxy.http, "HTTPS_PROXY": proxy.https, "NO_PROXY": ",".join(no_proxy)}
    return {name: value for name, value in values.items() if value}


def _notes(case: Case) -> tuple[str, ...]:
    notes = []
    short = netbios_name(case.host.computer_name)
    if short != case.host.computer_name:
        notes.append(
            f"NetBIOS knows this host as {short.upper()}; its DNS name keeps all characters"
        )
    if case.shape.release is not None and case.shape.release.revision_must_match:
        notes.append(f"images must have the very revision of a {case.shape.release.name} host")
    if case.shape.mode == "overlay" and case.shape.port is None:
        notes.append(
            f"nothing says which UDP port the overlay {case.shape.network_name} uses: "
            "open it in the firewall unless its installer does"
        )
    if (
        case.shape.plugin_row is not None
        and case.shape.plugin_row.managed
        and case.shape.plugin_row.needs
    ):
        notes.append(f"{case.shape.plugin_row.title} needs {case.shape.plugin_row.needs}")
    return tuple(notes)
