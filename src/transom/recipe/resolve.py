"""Fleet and facts into recipes, or a refusal with every reason of every host.

Called by the command line, boot data, images and fleets. Pure and deterministic: the same fleet
and facts give the same bytes. Never reads a host, a cluster or a file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from transom.recipe.case import Case
from transom.recipe.cni import cni_files
from transom.recipe.containerd import containerd_files
from transom.recipe.kubelet import join_plan, kubelet_files, kubelet_plan
from transom.recipe.programs import programs
from transom.recipe.refusals import refuse_cases, refuse_fleet
from transom.recipe.sources import from_sources
from transom.recipe.wins import wins_files


def resolve(
    fleet: Fleet,
    *,
    hosts: Sequence[str] = (),
    detected_runtimes: Mapping[str, tuple[str, ...]] | None = None,
) -> list[Recipe]:
    """The recipes of a fleet's hosts, in the fleet's order; raise Refused with every reason."""
    cases = cases_of(fleet, hosts=hosts, detected_runtimes=detected_runtimes or {})
    refusals = [*refuse_fleet(fleet), *refuse_cases(cases)]
    if refusals:
        raise Refused(_distinct(refusals), subject=f"fleet {fleet.name}")
    return _recipes(cases)


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
    kubernetes = _kubernetes(fleet)
    cases: list[Case] = []
    firsts: list[tuple[Host, Case]] = []
    for host in fleet.hosts:
        if hosts and host.name not in hosts:
            continue
        case = Case(
            fleet=fleet,
            host=host,
            kubernetes=kubernetes,
            detected_runtimes=detected_runtimes.get(host.name, ()),
        )
        nameless = replace(host, name="", address="", connection=None)
        first = next(
            (
                first
                for known, first in firsts
                if known == nameless and first.detected_runtimes == case.detected_runtimes
            ),
            None,
        )
        if first is None:
            firsts.append((nameless, case))
        cases.append(case if first is None else replace(case, like=first))
    return cases


def _recipes(cases: Sequence[Case]) -> list[Recipe]:
    """Hosts that are alike share the parts that name none of them."""
    made: dict[str, Recipe] = {}
    for case in cases:
        name = case.host.name
        made[name] = (
            recipe_of(case) if case.like is None else _alike(made[case.like.host.name], case)
        )
    return list(made.values())


def _alike(recipe: Recipe, case: Case) -> Recipe:
    services = _services(case) if case.services_name_host else recipe.services
    return replace(recipe, services=services, **_named_parts(case))


def recipe_of(case: Case) -> Recipe:
    """One host's recipe; the case must have been found free of refusals."""
    kubelet = kubelet_plan(case)
    return Recipe(
        **_named_parts(case),
        services=_services(case),
        files=_files(case, kubelet),
        target=_target(case),
        limits=_limits(),
        network=_network(case),
        features=tuple(Feature(name=r.name, why=r.id) for r in case.rows(FeatureRow)),
        updates=_updates(case),
        directories=_directories(case),
        artifacts=_artifacts(case),
        protected_files=_protected_files(case),
        registry=tuple(
            RegistryValue(key=r.key, name=r.name, type=r.type, value=r.value, why=r.id)
            for r in case.rows(RegistryRow)
        ),
        environment=tuple(
            EnvironmentValue(name=r.name, value=case.say(r.value), append=r.append, why=r.id)
            for r in case.rows(EnvironmentRow)
        ),
        dns_suffixes=(case.host.long_name.dns_suffix,) if case.host.long_name else (),
        routes=tuple(
            Route(prefix=r.prefix, gateway=r.gateway, keep=r.keep, why=r.id)
            for r in case.rows(RouteRow)
        ),
        firewall=tuple(
            FirewallRule(name=r.name, protocol=r.protocol, port=port, why=r.id)
            for r in case.rows(PortRow)
            if (port := case.say(r.port))
        ),
        defender_exclusions=tuple(
            DefenderExclusion(process=case.say(r.process), why=r.id)
            for r in case.rows(ExclusionRow)
        ),
        images=_images(case),
        host_networks=tuple(
            HostNetwork(name=r.name, driver=r.driver, program=case.say(r.program), why=r.id)
            for r in case.rows(HostNetworkRow)
        ),
        kubelet=kubelet,
    )


def _named_parts(case: Case) -> dict[str, Any]:
    """The parts that name the host; with its services `model.recipe.OWN_PARTS`."""
    return {
        "identity": _identity(case),
        "join": join_plan(case),
        "notes": _notes(case),
        "programs": programs(case),
    }


def _files(case: Case, kubelet: KubeletPlan) -> tuple[File, ...]:
    files = containerd_files(case) if case.runtime == "containerd" else []
    return (*files, *cni_files(case), *kubelet_files(kubelet), *wins_files(case))


def checksum_urls(case: Case) -> dict[str, str]:
    """Where each artifact's published sum is, by artifact; empty where there is none."""
    return {
        row.name: case.say(row.checksum, version=case.say(row.version)) if row.checksum else ""
        for row in case.rows(ArtifactRow)
    }


def _kubernetes(fleet: Fleet) -> Version:
    wanted = fleet.kubernetes.version
    if wanted != "cluster":
        return Version.parse(wanted)
    if fleet.cluster.version is None:
        raise UsageError(
            'kubernetes.version is "cluster", and the fleet does not say what the cluster runs',
            subject=f"fleet {fleet.name}",
            hint="set cluster.version, or name a version",
        )
    return Version.parse(fleet.cluster.version)


def _distinct(refusals: Sequence[Refusal]) -> list[Refusal]:
    return list(dict.fromkeys(refusals))


def _identity(case: Case) -> Identity:
    host = case.host
    return Identity(
        fleet=case.fleet.name,
        pool=host.pool or "",
        name=host.name,
        address=host.address,
        rename=host.rename,
        reboot=host.reboot.value,
    )


def _target(case: Case) -> Target:
    assert case.release is not None
    legacy = rows.one(Limit, "limit-legacy-minor", At())
    return Target(
        kubernetes=str(case.kubernetes),
        windows_release=case.release.id,
        windows_build=case.release.build,
        runtime=case.runtime,
        runtime_version=case.runtime_version,
        privileged=case.privileged,
        isolation=case.host.isolation.value,
        end_of_life=case.kubernetes < Version(1, legacy.value + 1),
        why="windows-support",
    )


def _limits() -> Limits:
    disk = rows.one(Limit, "limit-free-disk", At())
    skew = rows.one(Limit, "limit-clock-skew", At())
    return Limits(free_disk_gib=disk.value, clock_skew_s=skew.value, why=f"{disk.id} {skew.id}")


def _network(case: Case) -> NetworkPlan:
    network = case.fleet.network
    overhead = rows.find(MtuRow, f"mtu-{case.mode}", case.at)
    return NetworkPlan(
        plugin=case.plugin,
        version=case.plugin_version,
        mode=case.mode,
        name=case.network_name,
        pod_cidrs=network.pod_cidrs,
        service_cidrs=network.service_cidrs,
        cluster_dns=network.cluster_dns,
        vni=case.vni if case.mode == "overlay" else None,
        port=case.port if case.mode == "overlay" else None,
        mtu=network.mtu or (overhead.bytes if overhead else None),
        why=case.mode_row.id if case.mode_row else f"plugin-{case.plugin}",
    )


def _updates(case: Case) -> tuple[Update, ...]:
    used = {case.mode, "dsr" if case.dsr else ""}
    return tuple(
        Update(kb=row.id, revision=row.revision, why=row.id)
        for row in rows.read(Kb)
        if row.build == case.at.build and row.needed_for in used
    )


def _access(row_id: str) -> str:
    return rows.one(AccessRow, row_id, At()).sddl if row_id else ""


def _directories(case: Case) -> tuple[Directory, ...]:
    return tuple(
        Directory(path=case.places[row.key], acl=_access(row.access), why=row.id)
        for row in case.rows(DirectoryRow)
    )


def _protected_files(case: Case) -> tuple[ProtectedFile, ...]:
    acl = _access("access-administrators-file")
    return tuple(
        ProtectedFile(path=case.say(row.path), acl=acl, why=row.id)
        for row in case.rows(ProtectedFileRow)
    )


def _artifacts(case: Case) -> tuple[Artifact, ...]:
    tarball = case.say(rows.one(ArtifactRow, "artifact-node-tarball", At()).url)
    artifacts = [_artifact(case, row) for row in case.rows(ArtifactRow)]
    return tuple(from_sources(case.fleet.source, artifacts, node_tarball=tarball))


def _artifact(case: Case, row: ArtifactRow) -> Artifact:
    version = case.say(row.version)
    pairs = (member.split(" => ") for member in row.members)
    return Artifact(
        id=row.name,
        version=version,
        url=case.say(row.url, version=version),
        sha256=None,
        unpack=Unpack(row.unpack),
        path=case.say(row.path, version=version),
        members=tuple(Member(name=name, path=case.say(path)) for name, path in pairs),
        why=row.id,
    )


def _images(case: Case) -> tuple[Image, ...]:
    if case.own_pause:
        assert case.release is not None
        own = "fleet runtime.containerd.pauseImage"
        builds = (case.release.build,)
        return (Image(reference=case.own_pause, purpose="pause", builds=builds, why=own),)
    assert case.pause is not None
    pause = case.pause
    return (Image(reference=pause.image, purpose="pause", builds=pause.builds, why=pause.id),)


def _services(case: Case) -> tuple[Service, ...]:
    return tuple(_service(case, row) for row in case.rows(ServiceRow))


def _service(case: Case, row: ServiceRow) -> Service:
    arguments = (a for a in case.rows(ArgumentRow) if a.service == row.name)
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
    proxy, network = case.fleet.proxy, case.fleet.network
    if not (proxy.http or proxy.https):
        return {}
    # Cluster traffic must never leave through the proxy, whatever the fleet remembered to list.
    inside = ["localhost", "127.0.0.1", ".svc", ".cluster.local"]
    inside += [*network.pod_cidrs, *network.service_cidrs, case.host.address]
    inside += [row.address for row in rows.rows(DirectRow, case.at)]
    # The API server is added on the host, which knows it even where this is made without a cluster.
    no_proxy = dict.fromkeys([*proxy.no_proxy, *inside])
    values = {"HTTP_PROXY": proxy.http, "HTTPS_PROXY": proxy.https, "NO_PROXY": ",".join(no_proxy)}
    return {name: value for name, value in values.items() if value}


def _notes(case: Case) -> tuple[str, ...]:
    notes = []
    short = netbios_name(case.host.name)
    if short != case.host.name:
        notes.append(
            f"NetBIOS knows this host as {short.upper()}; its DNS name keeps all characters"
        )
    if case.release is not None and case.release.revision_must_match:
        notes.append(f"images must have the very revision of a {case.release.name} host")
    if case.mode == "overlay" and case.port is None:
        notes.append(
            f"nothing says which UDP port the overlay {case.network_name} uses: "
            "open it in the firewall unless its installer does"
        )
    if case.plugin_row is not None and case.plugin_row.managed and case.plugin_row.needs:
        notes.append(f"{case.plugin_row.title} needs {case.plugin_row.needs}")
    return tuple(notes)
