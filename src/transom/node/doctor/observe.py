"""Looks at a host once and writes down what it saw; what cannot be seen is named, never fatal.

Called by the verbs `doctor` and `collect`. Reads only. Secrets are taken out before anything is kept.
"""

import json
import ntpath
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

from transom.errors import TransomError
from transom.model.sight import Given
from transom.node.certificate import certificates_in
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
from transom.node.doctor.places import Places, usual_log
from transom.node.doctor.redaction import Redactor
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.journal import Journal
from transom.node.kept_recipe import kept_recipe
from transom.node.layout import Layout
from transom.node.steps.artifacts import MANIFEST

T = TypeVar("T")
Arguments = ParamSpec("Arguments")

_TAIL_BYTES = 256 << 10
_LINES = 400
_LEASES = 256
_POD_LOGS = r"C:\var\log\pods"
_PODS = {"kube-proxy": "kube-proxy", "flanneld": "flannel"}


def observe(machine: Machine, layout: Layout, given: Given) -> Observation:
    """Look at everything a diagnosis may ask for."""
    unread: dict[str, str] = {}
    recipe = given.recipe
    try:
        recipe = recipe or kept_recipe(machine.files, layout)
    except TransomError as error:
        unread[layout.recipe] = error.message
    return _Look(machine, Places.of(recipe), unread).at(layout, given)


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
        self._redactor = Redactor()
        self._unread = unread

    def at(self, layout: Layout, given: Given) -> Observation:
        machine, places = self._machine, self._places
        build, revision = self._try("build", (0, 0), machine.system.build)
        services = tuple(self._services())
        raw_logs = {
            service.name: found for service in services if (found := self._log(service)) is not None
        }
        raw_logs |= self._pod_logs(set(raw_logs))
        raw_texts = dict(self._texts())
        for text in (*raw_texts.values(), *(text for _, text in raw_logs.values())):
            self._redactor.learn(text)
        clean = self._redactor.clean
        variables = {
            name: self._try(f"variable {name}", None, machine.environment.get, name) or ""
            for name in places.variables
        }
        adapters = self._try("adapters", (), machine.network.adapters)
        return Observation(
            time=int(machine.clock.now()),
            host=self._try("computer name", "unknown", machine.system.computer_name),
            build=build,
            revision=revision,
            elevated=self._elevated(),
            reboot_pending=self._try("pending reboot", False, machine.system.reboot_pending),
            features=self._features(),
            addresses=tuple(address for item in adapters for address in item.addresses),
            dns_suffixes=self._try("DNS suffixes", (), machine.network.dns_suffixes),
            environment={name: clean(value) for name, value in variables.items() if value},
            services=services,
            logs=tuple(
                LogSeen(service=name, path=path, lines=tuple(clean(text).split("\n")[-_LINES:]))
                for name, (path, text) in raw_logs.items()
            ),
            paths=tuple(self._paths()),
            texts={path: clean(text) for path, text in raw_texts.items()},
            certificates=tuple(self._certificates()),
            volumes=tuple(self._volumes()),
            routes=tuple(self._routes()),
            hns=self._hns(),
            pipes=self._try("named pipes", (), machine.vitals.pipes),
            journal=self._journal(layout),
            recipe=places.recipe,
            cluster=given.cluster,
            unread=self._unread,
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
        try:
            return look(*arguments, **named)
        except TransomError as error:
            self._unread[what] = error.message
            return default

    def _features(self) -> dict[str, str]:
        recipe = self._places.recipe
        found: dict[str, str] = {}
        for feature in recipe.features if recipe else ():
            what = f"feature {feature.name}"
            state = self._try(what, None, self._machine.features.state, feature.name)
            if state is not None:
                found[feature.name] = state.value
        return found

    def _services(self) -> Iterator[ServiceSeen]:
        clean = self._redactor.clean
        for name in self._places.services:
            what = f"service {name}"
            definition = self._try(what, None, self._machine.services.get, name)
            status = self._try(what, None, self._machine.vitals.service, name)
            if definition is not None and status is not None:
                yield ServiceSeen(
                    name=name,
                    command=clean(definition.command),
                    start=definition.start,
                    depends_on=definition.depends_on,
                    environment=tuple(clean(entry) for entry in definition.environment),
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
        path = logs[-1]
        text = self._try(path, "", tail_of, self._machine, path, _TAIL_BYTES)
        return {service: (path, text)}

    def _texts(self) -> Iterator[tuple[str, str]]:
        paths = [*self._places.texts, *self._below(self._places.cni)]
        for network in self._entries(self._places.leases):
            folder = ntpath.join(self._places.leases, network)
            paths += self._below(folder)[:_LEASES]
        for path in dict.fromkeys(paths):
            if self._kind(path) is PathKind.FILE:
                yield path, self._read(path)

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

    def _paths(self) -> Iterator[PathSeen]:
        for path in self._places.access:
            kind = self._kind(path)
            there = kind is not PathKind.ABSENT
            acl = self._try(path, "", self._files.acl, path) if there else ""
            yield PathSeen(path=path, kind=kind.value, acl=acl)
        wanted = dict(self._places.programs)
        for archive in self._places.archives:
            wanted |= self._members(archive + MANIFEST)
        for path, sha256 in wanted.items():
            kind = self._kind(path)
            found = ""
            if kind is PathKind.FILE:
                found = self._try(path, "", self._hash, path)
            yield PathSeen(path=path, kind=kind.value, sha256=found, wanted_sha256=sha256)

    def _hash(self, path: str) -> str:
        return self._files.sha256(path)

    def _members(self, manifest: str) -> dict[str, str]:
        if self._kind(manifest) is not PathKind.FILE:
            return {}
        try:
            return dict(json.loads(self._read(manifest))["members"])
        except (ValueError, KeyError, TypeError):
            self._unread[manifest] = "it is no list of members"
            return {}

    def _certificates(self) -> Iterator[CertificateSeen]:
        for folder in self._places.certificates:
            for path in self._below(folder):
                if path.lower().endswith((".pem", ".crt")):
                    for found in certificates_in(self._read(path)):
                        yield CertificateSeen(
                            path=path,
                            subject=found.subject,
                            issuer=found.issuer,
                            not_before=found.not_before,
                            not_after=found.not_after,
                        )

    def _volumes(self) -> Iterator[VolumeSeen]:
        for path in self._places.volumes:
            found = self._try(f"volume of {path}", None, self._machine.vitals.volume, path)
            if found is not None:
                yield VolumeSeen(path=path, free_bytes=found.free, total_bytes=found.total)

    def _routes(self) -> Iterator[RouteSeen]:
        recipe, network = self._places.recipe, self._machine.network
        for route in recipe.routes if recipe else ():
            yield RouteSeen(
                prefix=route.prefix,
                active=self._try(f"route {route.prefix}", True, network.has_route, route.prefix),
                gateway=self._try(
                    f"route {route.prefix}", None, network.persistent_route, route.prefix
                )
                or "",
            )

    def _hns(self) -> HnsSeen:
        try:
            found = self._machine.vitals.hns()
        except TransomError as error:
            return HnsSeen(problem=error.message)
        return HnsSeen(
            networks=found.networks, endpoints=found.endpoints, balancers=found.balancers
        )

    def _journal(self, layout: Layout) -> JournalSeen:
        try:
            contents = Journal.look(self._machine.disk, layout.journal)
        except TransomError as error:
            return JournalSeen(present=True, problem=error.message)
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
