"""Whether the host can become what the recipe says: looks only, and reports everything at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from transom.errors import Refused
from transom.model.journal import Drift, Receipt
from transom.model.problem import Refusal
from transom.model.recipe import Artifact, Recipe
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.host.values import PathKind
from transom.node.step import EVERYWHERE, Applies, Disruption, NodeSpec, Seen
from transom.node.steps.artifacts import INTERPRETER
from transom.node.steps.join import Layout

_HOSTPROCESS = "hostprocess"
_ROOM_BYTES = 5 << 30
_GIB = 1 << 30
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Preflight:
    """Refuses a host with every reason; changes nothing, so it has nothing to undo."""

    id: str = "preflight"
    title: str = "Check the host"
    needs: tuple[str, ...] = ()
    disruption: Disruption = Disruption.NONE
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift]:
        """Name each thing that stands in the way."""
        refusals = [
            *_machine(host, want.recipe),
            *_name(host, want.recipe),
            *_recipe(want.recipe),
            *_other_cluster(host, want),
            *_reach(host, want),
        ]
        return [Drift(item.subject, item.found, item.reason, item) for item in refusals]

    def apply(self, host: Host, drift: Sequence[Drift]) -> None:
        """Refuse with all reasons."""
        if drift:
            name = host.system.computer_name()
            raise Refused([entry.item for entry in drift], subject=f"host {name}")

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Do nothing: nothing was changed."""


def _machine(host: ReadHost, recipe: Recipe) -> Iterator[Refusal]:
    if not host.system.elevated():
        yield Refusal(
            id="not-elevated",
            subject="rights",
            found="a process without an administrator's full rights",
            reason="services, features and access can only be changed with them",
            fix="Start again as administrator.",
            source="",
        )
    build, revision = host.system.build()
    if build != recipe.target.windows_build:
        yield Refusal(
            id="windows-build",
            subject="Windows",
            found=f"build {build}",
            reason=f"the recipe is for build {recipe.target.windows_build}",
            fix=f"Set the host's windows.release to the one it has (build {build}).",
            source=recipe.target.why,
        )
    for update in recipe.updates:
        if build == recipe.target.windows_build and revision < update.revision:
            yield Refusal(
                id="windows-update",
                subject=update.kb,
                found=f"revision {revision}",
                reason=f"revision {update.revision} or newer is needed",
                fix=f"Install {update.kb} or a later cumulative update and reboot.",
                source=update.why,
            )
    room = min(
        (host.system.free_bytes(item.path) for item in recipe.artifacts), default=_ROOM_BYTES
    )
    if room < _ROOM_BYTES:
        yield Refusal(
            id="disk-space",
            subject="disk",
            found=f"{room / _GIB:.1f} GiB free",
            reason=f"{_ROOM_BYTES // _GIB} GiB are needed for programs and first images",
            fix="Free space on the volume or choose other directories.",
            source="",
        )


def _name(host: ReadHost, recipe: Recipe) -> Iterator[Refusal]:
    name = host.system.computer_name()
    if name.lower() != recipe.join.node_name.lower():
        yield Refusal(
            id="computer-name",
            subject="computer name",
            found=name,
            reason=f"the node is to be {recipe.join.node_name}, and both must agree",
            fix="Name the host in the fleet as the machine is named, or rename the machine.",
            source="",
        )


def _recipe(recipe: Recipe) -> Iterator[Refusal]:
    for artifact in recipe.artifacts:
        if artifact.sha256 is None:
            yield Refusal(
                id="not-locked",
                subject=artifact.id,
                found="no hash",
                reason="a byte that no lock names is never used",
                fix="Lock the fleet and resolve it again.",
                source=artifact.why,
            )
        if artifact.authenticode is not None:
            yield Refusal(
                id="signature-check",
                subject=artifact.id,
                found="a signature is asked for",
                reason="this version checks hashes only",
                fix="Leave source.verify out; the locked hash is checked in any case.",
                source=artifact.why,
            )
    for file in recipe.files:
        if file.fills:
            yield Refusal(
                id="late-file",
                subject=file.path,
                found=f"it needs {', '.join(file.fills)}",
                reason="this version writes only files that are complete before the join",
                fix="Use a network whose configuration is, such as Flannel.",
                source=file.why,
            )
    if recipe.kubelet.config and not recipe.kubelet.patch_file:
        yield Refusal(
            id="kubelet-configuration",
            subject="kubelet",
            found=f"settings for {', '.join(sorted(recipe.kubelet.config))}",
            reason="this version hands them to kubeadm as a patch, which its version cannot take",
            fix="Use a Kubernetes version whose kubeadm takes patches of the kubelet's configuration.",
            source=", ".join(sorted(set(recipe.kubelet.why.values()))),
        )
    if recipe.target.privileged != _HOSTPROCESS:
        yield Refusal(
            id="privileged-way",
            subject="privileged",
            found=recipe.target.privileged,
            reason="this version leaves kube-proxy and the network to HostProcess pods",
            fix=f"Set privileged to {_HOSTPROCESS}.",
            source=recipe.target.why,
        )
    if recipe.host_networks:
        yield Refusal(
            id="docker-network",
            subject=recipe.host_networks[0].name,
            found="a Docker network",
            reason="this version prepares hosts with containerd only",
            fix="Use containerd.",
            source=recipe.host_networks[0].why,
        )


def _other_cluster(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    layout = Layout.of(want.recipe.join)
    if not want.joined_by_us and host.files.kind(layout.kubeconfig) is not PathKind.ABSENT:
        yield Refusal(
            id="already-joined",
            subject=layout.kubeconfig,
            found="a node that Transom did not join",
            reason="its cluster would lose it",
            fix="Adopt it, or run `kubeadm reset` on it first.",
            source="",
        )


def _reach(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    places: dict[tuple[str, int], str] = {}
    layout = Layout.of(want.recipe.join)
    if want.join is not None and not layout.joined(host.files):
        name, _, port = want.join.endpoint.rpartition(":")
        places[(name.strip("[]"), int(port))] = "the API server"
    proxied = any(item.name.lower().endswith("_proxy") for item in want.recipe.environment)
    for artifact in () if proxied else want.recipe.artifacts:
        if not artifact.file and not _is_there(host, artifact):
            url = urlsplit(artifact.url)
            port_number = url.port or _PORTS.get(url.scheme, 0)
            places.setdefault((url.hostname or "", port_number), "a source of downloads")
    for (name, port_number), what in places.items():
        if not host.network.reaches(name, port_number):
            yield Refusal(
                id="unreachable",
                subject=f"{name}:{port_number}",
                found="no answer",
                reason=f"it is {what}",
                fix="Open the way to it, or name a mirror, bundle or proxy in the fleet.",
                source="",
            )


def _is_there(host: ReadHost, artifact: Artifact) -> bool:
    if artifact.id == INTERPRETER:
        return True  # it runs this
    paths = [member.path for member in artifact.members] or [artifact.path]
    return all(host.files.kind(path) is PathKind.FILE for path in paths)
