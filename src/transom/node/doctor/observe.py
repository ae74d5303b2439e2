"""Looks at a host once and writes down what it saw; what cannot be seen is named, never fatal.

Reads only, and keeps what it reads as it is, secrets too: a diagnosis needs the very words. Whatever
leaves the program is cleaned on its way out, by `examination` and `collection`.
"""

import json
import ntpath
from collections.abc import Callable, Iterator, Mapping
from typing import ParamSpec, TypeVar

from transom.errors import TransomError
from transom.model.sight import Given
from transom.node.doctor.observation import (
    CertificateSeen,
    HnsSeen,
    JournalSeen,
    LogSeen,
    Observation,
    PathSeen,
    RouteSeen,
    ServiceSeen,
    VolumeSeen,
)
from transom.node.doctor.odd_values import ODD_VALUE, said_of
from transom.node.doctor.places import Places, usual_log
from transom.node.engine.journal import Journal
from transom.node.engine.kept_recipe import kept_recipe
from transom.node.host.protocols import Machine
from transom.node.host.values import HnsState, PathKind
from transom.node.kubernetes.certificate import Certificate, certificates_in
from transom.node.layout import Layout
from transom.node.steps.artifacts import MANIFEST

T = TypeVar("T")
Arguments = ParamSpec("Arguments")

_TAIL_BYTES = 256 << 10
_LINES = 400
_LEASES = 256
_POD_LOGS = r"C:\var\log\pods"
_HNS = "the host network service"
_LOOKS = 3
_PODS = {"kube-proxy": "kube-proxy", "flanneld": "flannel"}


def observe(machine: Machine, layout: Layout, given: Given) -> Observation:
    """Look at everything a diagnosis may ask for."""
    unread: dict[str, str] = {}
    recipe = given.recipe or _try(
        unread, layout.recipe, None, lambda: kept_recipe(machine.files, layout)
    )
    return _Look(machine, Places.of(recipe), unread).at(layout, given)


def _try(unread: dict[str, str], what: str, default: T, look: Callable[[], T]) -> T:
    """What a look sees; where it cannot, the default, and why under that name."""
    try:
        return look()
    except TransomError as error:
        unread[what] = error.message
    except ODD_VALUE as error:
        unread[what] = said_of(error)
    return default


def tail_of(machine: Machine, path: str, size: int) -> str:
    """The last so many bytes of a file as text, from the first whole line on."""
    length = machine.files.size(path)
    with machine.files.open(path) as stream:
        stream.seek(max(0, length - size))
        data = stream.read(size)
    if length > size:
        data = data.partition(b"\n")[2]
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


class _Look:
    """One look: what could be read, and of what could not, why."""

    def __init__(self, machine: Machine, places: Places, unread: dict[str, str]) -> None:
        self._machine = machine
        self._files = machine.files
        self._places = places
        self._unread = unread

    def at(self, layout: Layout, given: Given) -> Observation:
        machine, places = self._machine, self._places
        build, revision = self._try("build", (0, 0), machine.system.build)
        services = self._try("services", (), self._services)
        texts = self._try("configuration", {}, self._texts)
        adapters = self._try("adapters", (), machine.network.adapters)
        return Observation(
            time=int(machine.clock.now()),
            host=self._try("computer name", "unknown", machine.system.computer_name),
            build=build,
            revision=revision,
            elevated=self._elevated(),
            reboot_pending=self._try("pending reboot", False, machine.system.reboot_pending),
            features=self._try("features", {}, self._features),
            addresses=tuple(address for item in adapters for address in item.addresses),
            dns_suffixes=self._try("DNS suffixes", (), machine.network.dns_suffixes),
            environment=self._environment(),
            services=services,
            logs=self._try("logs", (), self._logs, services),
            paths=self._try("paths", (), self._paths),
            texts=texts,
            certificates=self._try("certificates", (), self._certificates),
            volumes=self._try("volumes", (), self._volumes, texts),
            routes=self._try("routes", (), self._routes),
            hns=self._hns(),
            pipes=self._try("named pipes", (), machine.vitals.pipes),
            journal=self._journal(layout),
            recipe=places.recipe,
            cluster=given.cluster,
            unread=self._unread,
        )

    def _environment(self) -> dict[str, str]:
        get = self._machine.environment.get
        found = {
            name: self._try(f"variable {name}", None, get, name) for name in self._places.variables
        }
        return {name: value for name, value in found.items() if value}

    def _logs(self, services: tuple[ServiceSeen, ...]) -> tuple[LogSeen, ...]:
        found = {service.name: log for service in services if (log := self._log(service))}
        found |= self._pod_logs(set(found))
        return tuple(
            LogSeen(service=name, path=path, lines=tuple(text.split("\n")[-_LINES:]))
            for name, (path, text) in found.items()
        )

    def _elevated(self) -> bool:
        elevated = self._try("rights", True, self._machine.system.elevated)
        if not elevated:
            self._unread["rights"] = (
                "this runs without an administrator's full rights, to which much is closed"
            )
        return elevated

    def _try(
        self,
        what: str,
        default: T,
        look: Callable[Arguments, T],
        /,
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> T:
        return _try(self._unread, what, default, lambda: look(*arguments, **named))

    def _features(self) -> dict[str, str]:
        recipe = self._places.recipe
        found: dict[str, str] = {}
        for feature in recipe.features if recipe else ():
            what = f"feature {feature.name}"
            state = self._try(what, None, self._machine.features.state, feature.name)
            if state is not None:
                found[feature.name] = state.value
        return found

    def _services(self) -> tuple[ServiceSeen, ...]:
        found = (
            self._try(f"service {name}", None, self._service, name)
            for name in self._places.services
        )
        return tuple(item for item in found if item is not None)

    def _service(self, name: str) -> ServiceSeen | None:
        definition = self._machine.services.get(name)
        status = self._machine.vitals.service(name)
        if definition is None or status is None:
            return None
        return ServiceSeen(
            name=name,
            command=definition.command,
            start=definition.start,
            depends_on=definition.depends_on,
            environment=definition.environment,
            state=status.state,
            exit_code=status.exit_code,
        )

    def _log(self, service: ServiceSeen) -> tuple[str, str] | None:
        path = service.option("log-file") or usual_log(service.name)
        if not path or self._kind(path) is not PathKind.FILE:
            return None
        return path, self._try(path, "", tail_of, self._machine, path, _TAIL_BYTES)

    def _pod_logs(self, known: set[str]) -> dict[str, tuple[str, str]]:
        """Where kube-proxy and flanneld are pods, their newest logs."""
        found: dict[str, tuple[str, str]] = {}
        for service, mark in _PODS.items():
            if service not in known:
                for pod in self._entries(_POD_LOGS):
                    if mark in pod:
                        found |= self._pod_log(service, ntpath.join(_POD_LOGS, pod))
        return found

    def _pod_log(self, service: str, folder: str) -> dict[str, tuple[str, str]]:
        logs = [
            ntpath.join(folder, container, name)
            for container in self._entries(folder)
            for name in self._entries(ntpath.join(folder, container))
            if name.endswith(".log")
        ]
        if not logs:
            return {}
        path = max(logs, key=_restarts)
        text = self._try(path, "", tail_of, self._machine, path, _TAIL_BYTES)
        return {service: (path, text)}

    def _texts(self) -> dict[str, str]:
        paths = [*self._places.texts, *self._below(self._places.cni)]
        for network in self._entries(self._places.leases):
            folder = ntpath.join(self._places.leases, network)
            paths += self._below(folder)[:_LEASES]
        files = [path for path in dict.fromkeys(paths) if self._kind(path) is PathKind.FILE]
        return {path: self._read(path) for path in files}

    def _read(self, path: str) -> str:
        data = self._try(path, b"", self._files.read, path)
        return data[:_TAIL_BYTES].decode("utf-8", "replace")

    def _kind(self, path: str) -> PathKind:
        return self._try(path, PathKind.ABSENT, self._files.kind, path)

    def _entries(self, folder: str) -> tuple[str, ...]:
        if self._kind(folder) is not PathKind.DIRECTORY:
            return ()
        return self._try(folder, (), self._files.entries, folder)

    def _below(self, folder: str) -> list[str]:
        return [ntpath.join(folder, name) for name in self._entries(folder)]

    def _paths(self) -> tuple[PathSeen, ...]:
        return (*self._accesses(), *self._programs())

    def _accesses(self) -> Iterator[PathSeen]:
        for path in self._places.access:
            kind = self._kind(path)
            there = kind is not PathKind.ABSENT
            acl = self._try(path, "", self._files.acl, path) if there else ""
            yield PathSeen(path=path, kind=kind.value, acl=acl)

    def _programs(self) -> Iterator[PathSeen]:
        wanted = dict(self._places.programs)
        for archive in self._places.archives:
            wanted |= self._members(archive + MANIFEST)
        for path, sha256 in wanted.items():
            kind = self._kind(path)
            found = ""
            if kind is PathKind.FILE:
                found = self._try(path, "", self._files.sha256, path)
            yield PathSeen(path=path, kind=kind.value, sha256=found, wanted_sha256=sha256)

    def _members(self, manifest: str) -> dict[str, str]:
        if self._kind(manifest) is not PathKind.FILE:
            return {}
        try:
            return dict(json.loads(self._read(manifest))["members"])
        except (ValueError, KeyError, TypeError):
            self._unread[manifest] = "it is no list of members"
            return {}

    def _certificates(self) -> tuple[CertificateSeen, ...]:
        files = [
            path
            for folder in self._places.certificates
            for path in self._below(folder)
            if path.lower().endswith((".pem", ".crt"))
        ]
        return tuple(
            CertificateSeen(
                path=path,
                subject=found.subject,
                issuer=found.issuer,
                not_before=found.not_before,
                not_after=found.not_after,
            )
            for path in files
            for found in self._try(path, (), self._certificates_in, path)
        )

    def _certificates_in(self, path: str) -> tuple[Certificate, ...]:
        return tuple(certificates_in(self._read(path)))

    def _volumes(self, texts: Mapping[str, str]) -> tuple[VolumeSeen, ...]:
        found = []
        for path in self._places.volumes(texts):
            volume = self._try(f"volume of {path}", None, self._machine.vitals.volume, path)
            if volume is not None:
                found.append(
                    VolumeSeen(path=path, free_bytes=volume.free, total_bytes=volume.total)
                )
        return tuple(found)

    def _routes(self) -> tuple[RouteSeen, ...]:
        recipe, network = self._places.recipe, self._machine.network
        found = []
        for prefix in [route.prefix for route in recipe.routes] if recipe else []:
            what = f"route {prefix}"
            active = self._try(what, True, network.has_route, prefix)
            gateway = self._try(what, None, network.persistent_route, prefix) or ""
            found.append(RouteSeen(prefix=prefix, active=active, gateway=gateway))
        return tuple(found)

    def _hns(self) -> HnsSeen:
        """What two looks in a row agree on: a single one may see half of a change."""
        try:
            before = self._machine.vitals.hns()
            for _ in range(_LOOKS):
                found = self._machine.vitals.hns()
                if _identities(found) == _identities(before):
                    break
                before = found
            else:
                self._unread[_HNS] = (
                    f"it changed between each of {_LOOKS + 1} looks, so that its balancers and "
                    "endpoints cannot be compared; look again when fewer Services change"
                )
                return HnsSeen(networks=found.networks, settled=False)
        except TransomError as error:
            return HnsSeen(problem=error.message)
        except ODD_VALUE as error:
            self._unread[_HNS] = said_of(error)
            return HnsSeen(settled=False, read=False)
        return HnsSeen(
            networks=found.networks, endpoints=found.endpoints, balancers=found.balancers
        )

    def _journal(self, layout: Layout) -> JournalSeen:
        try:
            contents = Journal.look(self._machine.disk, layout.journal)
        except TransomError as error:
            return JournalSeen(present=True, problem=error.message)
        except ODD_VALUE as error:
            return JournalSeen(present=True, problem=said_of(error))
        if contents is None:
            return JournalSeen()
        return JournalSeen(
            present=True,
            fleet=contents.owner.fleet,
            joined=contents.made("kubeadm-join"),
            routes=tuple(item.subject for item in contents.intents if item.act == "route"),
            intents=len(contents.intents),
            settled=contents.settled,
        )


def _restarts(path: str) -> int:
    """How often a container was restarted before it wrote this log, which is named after that."""
    number = ntpath.basename(path).partition(".")[0]
    return int(number) if number.isdecimal() else -1


def _identities(state: HnsState) -> list[list[str]]:
    """What there is, and which endpoints each balancer leads to."""
    lists = (state.networks, state.endpoints, state.balancers)
    return [
        sorted(f"{item.get('ID')} {item.get('HostComputeEndpoints')}" for item in items)
        for items in lists
    ]
