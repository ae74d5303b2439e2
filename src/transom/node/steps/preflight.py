"""Whether the host can become what the recipe says: looks only, and reports everything at once.

A check is a row of `CHECKS` with the ids of what it refuses for, which are stable: plans and events have them.
"""

import ntpath
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

from transom.errors import Refused
from transom.model.foundation import fixed_differences
from transom.model.journal import Drift, Receipt
from transom.model.problem import Refusal
from transom.model.recipe import Artifact, Recipe
from transom.model.records import dataclass
from transom.model.request import Verb
from transom.model.step_id import StepId
from transom.model.version import Version
from transom.node.engine.reach import Place, server_of
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Present, Seen, Step
from transom.node.host.access import foreign_folders
from transom.node.host.files import is_whole
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.host.signature import objection
from transom.node.host.values import PathKind
from transom.node.kubernetes.certificate import certificates_in
from transom.node.steps.artifacts import INTERPRETER
from transom.node.steps.join import Layout

_GIB = 1 << 30
_PROGRAM = "python.exe"
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Preflight(Step[Refusal]):
    """Refuses a host with every reason of every check; changes nothing, so it has nothing to undo."""

    id: StepId = StepId.PREFLIGHT
    title: str = "Check the host"
    needs: tuple[StepId, ...] = ()
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Refusal]]:
        """Name each thing that stands in the way."""
        return [Drift(item.subject, item.found, item.reason, item) for item in refusals(host, want)]

    def apply(self, host: Host, drift: Sequence[Drift[Refusal]]) -> None:
        """Refuse with all reasons."""
        if drift:
            name = host.system.computer_name()
            raise Refused([entry.item for entry in drift], subject=f"host {name}")

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Do nothing: nothing was changed."""


def refusals(host: ReadHost, want: NodeSpec) -> tuple[Refusal, ...]:
    """Everything that stands in the way, in the order of the checks."""
    return tuple(item for check in CHECKS for item in check.look(host, want))


def cautions(host: ReadHost, recipe: Recipe) -> list[str]:
    """What does not stand in the way but may bite later; said at the start of every run."""
    name = recipe.network.name
    if not name or host.network.hns_network(name):
        return []
    return [
        f"adapter {adapter.name} has the static address {', '.join(adapter.addresses)}: Windows may "
        f"lose it when the network {name} is made; have a console at hand, or use DHCP reservations"
        for adapter in host.network.adapters()
        if not adapter.dhcp
    ]


def _rights(host: ReadHost, _want: NodeSpec) -> Iterator[Refusal]:
    if not host.system.elevated():
        yield Refusal(
            id="not-elevated",
            subject="rights",
            found="a process without an administrator's full rights",
            reason="services, features and access can only be changed with them",
            fix="Start again as administrator.",
            source="",
        )


def _windows(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    recipe = want.recipe
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


def _disk(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    recipe = want.recipe
    wanted = recipe.limits.free_disk_gib * _GIB
    for path in _volumes(recipe):
        room = host.system.free_bytes(path)
        if room < wanted:
            yield Refusal(
                id="disk-space",
                subject=f"disk {path}",
                found=f"{room / _GIB:.1f} GiB free",
                reason=f"{recipe.limits.free_disk_gib} GiB are needed for programs and first images",
                fix="Free space on the volume or choose other directories.",
                source=recipe.limits.why,
            )


def _volumes(recipe: Recipe) -> list[str]:
    paths = [item.path for item in recipe.artifacts] + [item.path for item in recipe.directories]
    return list(dict.fromkeys(ntpath.splitdrive(path)[0].upper() + "\\" for path in paths))


def _name(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    name, wanted = host.system.computer_name(), want.recipe.computer_name
    if not wanted or name.lower() == wanted.lower():
        return
    if want.joined_by_us or not want.recipe.identity.rename:
        yield Refusal(
            id="computer-name-differs",
            subject="computer name",
            found=name,
            reason=f"the fleet calls it {wanted}, and both must agree",
            fix="Write the machine's name as `computerName`, or `computerNamePolicy: Rename` before it joins.",
            source="",
        )
    elif domain := host.system.domain():
        yield Refusal(
            id="domain-member",
            subject="computer name",
            found=f"{name}, a member of the domain {domain}",
            reason="the domain knows the machine by its name, so it is not renamed here",
            fix="Rename it in the domain, or name the host in the fleet as the machine is named.",
            source="",
        )


def _folders(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    yield from foreign_folders(host.files, want.recipe)


def _locked(_host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    for artifact in want.recipe.artifacts:
        if artifact.sha256 is None:
            yield Refusal(
                id="not-locked",
                subject=artifact.id,
                found="no hash",
                reason="a byte that no lock names is never used",
                fix="Lock the fleet and resolve it again.",
                source=artifact.why,
            )


def _interpreter(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    """Whoever brought Python checked its sum; who signed it, only Windows can say."""
    for artifact in want.recipe.artifacts:
        if artifact.id != INTERPRETER or artifact.authenticode is None:
            continue
        for member in artifact.members:
            path = member.path.replace("*", _PROGRAM)
            if host.files.kind(path) is PathKind.ABSENT:
                path = host.system.interpreter()  # a visit has its Python in a folder of its own
            there = host.files.kind(path) is PathKind.FILE
            signature = host.signatures.of(path) if there else None
            problem = objection(signature, artifact.authenticode) if there else "it is not there"
            if problem:
                yield Refusal(
                    id="interpreter-signature",
                    subject=path,
                    found=problem,
                    reason="the fleet asks for this signature in source.verify",
                    fix="Bring a Python that carries it, or correct what source.verify asks for.",
                    source=artifact.why,
                )


def _other_cluster(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    layout = Layout.of(want.recipe.join)
    ours = want.joined_by_us or want.verb is Verb.ADOPT
    if not ours and host.files.kind(layout.kubeconfig) is not PathKind.ABSENT:
        yield Refusal(
            id="already-joined",
            subject=layout.kubeconfig,
            found="a node that Transom did not join",
            reason="its cluster would lose it",
            fix="Adopt it, or run `kubeadm reset` on it first.",
            source="",
        )


def _adoption(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    if want.verb is not Verb.ADOPT or want.joined_by_us:
        return
    layout = Layout.of(want.recipe.join)
    if not layout.joined(host.files, at_rest=False):
        yield _not_a_node(host, want.recipe.join.node_name, layout)
        return
    text = host.files.read(layout.ca_certificate).decode("ascii", "replace")
    found = [certificate.key_pin for certificate in certificates_in(text)]
    if want.cluster and not {want.cluster, *want.pins} & {*found}:
        yield Refusal(
            id="another-cluster",
            subject=layout.ca_certificate,
            found=", ".join(found) or "no certificate",
            reason=f"the cluster's authority is {want.cluster}",
            fix="Use the kubeconfig of the cluster that the node belongs to.",
            source="",
        )


def _not_a_node(host: ReadHost, name: str, layout: Layout) -> Refusal:
    missing = [path for path in layout.lasting if host.files.kind(path) is not PathKind.FILE]
    torn = [path for path in layout.lasting if not is_whole(host.files, path, at_rest=False)]
    found = f"no {', no '.join(missing)}" if missing else f"{layout.bootstrap} is there"
    if torn and not missing:
        return Refusal(
            id="not-a-node",
            subject=name,
            found=f"{', '.join(torn)} without an end of its last line",
            reason="a file that a power cut or an editor left so may have lost more",
            fix="See that it is whole, and end its last line.",
            source="",
        )
    return Refusal(
        id="not-a-node",
        subject=name,
        found=found,
        reason="only a node that kubeadm joined can be adopted",
        fix="Join it instead.",
        source="",
    )


def _foundation(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    """What a node is built on stays while it is one."""
    del host
    made_of = want.present.recipe if want.present is not None else None
    if made_of is None or want.verb is Verb.ADOPT:
        return
    for fixed in fixed_differences(made_of, want.recipe):
        yield Refusal(
            id="fixed-once-joined",
            subject=f"{want.recipe.join.node_name}: {fixed.what}",
            found=fixed.found,
            reason=f"the fleet says {fixed.wanted}, and the pods, addresses and images of a node do not follow",
            fix="Take the change back; or go over in waves: `transom reset --host NAME` and `transom apply "
            "--host NAME`, a few hosts at a time.",
            source="",
        )


def _version(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    name, target, present = want.recipe.join.node_name, want.recipe.target, want.present
    if want.verb is Verb.UPGRADE and not want.joined_by_us:
        yield Refusal(
            id="not-ours",
            subject=name,
            found="no node that Transom joined or adopted",
            reason="there is nothing to upgrade",
            fix="Join the host, or adopt the node first.",
            source="",
        )
    if (
        present is None
        or want.verb is Verb.ADOPT
        or not Layout.of(want.recipe.join).joined(host.files, at_rest=want.at_rest)
    ):
        return
    old, new = Version.parse(present.kubernetes), Version.parse(target.kubernetes)
    if new < old:
        yield Refusal(
            id="downgrade",
            subject=name,
            found=f"Kubernetes {old}",
            reason=f"kubeadm and the kubelet cannot go back to {new}",
            fix=f"Use {old} or newer, or reset the host and join it again.",
            source=target.why,
        )
    elif want.verb is not Verb.UPGRADE and new != old:
        yield Refusal(
            id="upgrade-needed",
            subject=name,
            found=f"Kubernetes {old}",
            reason=f"the recipe is for {new}, and a join replaces no node's version",
            fix="Upgrade the node.",
            source=target.why,
        )
    if want.verb is Verb.UPGRADE and not goes_in_place(present, want.recipe):
        yield Refusal(
            id="reset-needed",
            subject=name,
            found=f"{present.runtime} {present.privileged}".strip(),
            reason=f"a node with {target.runtime} {target.privileged} is made anew, not changed",
            fix="Drain it, reset it and join it with the new recipe.",
            source=target.why,
        )


def goes_in_place(present: Present, recipe: Recipe) -> bool:
    """Whether an upgrade can keep the node: not from one runtime or privileged way to another."""
    target = recipe.target
    return present.runtime == target.runtime and present.privileged in ("", target.privileged)


def _reach_and_clock(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    """Whether what the run needs can be reached; a server that tells its clock is."""
    server = _server(host, want)
    theirs = host.network.time_at(server.host, server.port) if server else None
    yield from _reach(host, want, server if theirs is None else None)
    if theirs is not None:
        yield from _clock(host, want, theirs)


def _reach(host: ReadHost, want: NodeSpec, server: Place | None) -> Iterator[Refusal]:
    sources = _sources(host, want)
    places = {} if server is None else {(server.host, server.port): "the API server"}
    places |= {place: "a source of downloads" for place in sources if place not in places}
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
        elif sources.get((name, port_number)) == "https":
            yield from _trusted(host, want, name, port_number)


def _sources(host: ReadHost, want: NodeSpec) -> dict[tuple[str, int], str]:
    """Where downloads come from, without a proxy between, and how it is spoken to."""
    proxied = any(item.name.lower().endswith("_proxy") for item in want.recipe.environment)
    urls = [
        urlsplit(artifact.url)
        for artifact in (() if proxied else want.recipe.artifacts)
        if not artifact.file and (_is_upgrade(want) or not _is_there(host, artifact))
    ]
    return {(u.hostname or "", u.port or _PORTS.get(u.scheme, 0)): u.scheme for u in urls}


def _trusted(host: ReadHost, want: NodeSpec, name: str, port_number: int) -> Iterator[Refusal]:
    found = host.network.distrust(name, port_number, authorities=want.access.authorities)
    if found:
        yield Refusal(
            id="untrusted-source",
            subject=f"{name}:{port_number}",
            found=found,
            reason="it is a source of downloads",
            fix="Give its authority with --ca-file, or let Windows fetch its root "
            "(ctldl.windowsupdate.com); an inspecting proxy shows a certificate of its own.",
            source="",
        )


def _server(host: ReadHost, want: NodeSpec) -> Place | None:
    """The API server, where a join has to reach it."""
    layout = Layout.of(want.recipe.join)
    if want.join is None or layout.joined(host.files, at_rest=want.at_rest):
        return None
    return server_of(want.join.endpoint)


def _clock(host: ReadHost, want: NodeSpec, theirs: float) -> Iterator[Refusal]:
    off = host.system.now() - theirs
    if abs(off) > want.recipe.limits.clock_skew_s:
        yield Refusal(
            id="clock",
            subject="clock",
            found=f"{abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} the API server's",
            reason=f"with more than {want.recipe.limits.clock_skew_s} s certificates are not valid",
            fix="Let the host keep time with the cluster (`w32tm /resync`).",
            source=want.recipe.limits.why,
        )


def _ports(host: ReadHost, want: NodeSpec) -> Iterator[Refusal]:
    if any(host.services.running(service.name) for service in want.recipe.services):
        return  # it is our own programs that listen
    for rule in want.recipe.firewall:
        listens = rule.protocol == "tcp" and rule.port.isdigit()
        if listens and not host.network.is_free(int(rule.port)):
            yield Refusal(
                id="port-in-use",
                subject=f"port {rule.port}",
                found="another program listens on it",
                reason=f"{rule.name} needs it",
                fix="Stop that program, or let it use another port.",
                source=rule.why,
            )


def _is_upgrade(want: NodeSpec) -> bool:
    """Whether programs have to come that are there in another version."""
    target = want.recipe.target
    return want.present is not None and want.present.kubernetes != target.kubernetes


def _is_there(host: ReadHost, artifact: Artifact) -> bool:
    if artifact.id == INTERPRETER:
        return True  # it runs this
    paths = [member.path for member in artifact.members] or [artifact.path]
    return all(host.files.kind(path) is PathKind.FILE for path in paths)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at, and the ids of all it can refuse a host for."""

    ids: tuple[str, ...]
    look: Callable[[ReadHost, NodeSpec], Iterator[Refusal]]


CHECKS = (
    Check(("not-elevated",), _rights),
    Check(("windows-build", "windows-update"), _windows),
    Check(("disk-space",), _disk),
    Check(("foreign-folder",), _folders),
    Check(("computer-name-differs", "domain-member"), _name),
    Check(("not-locked",), _locked),
    Check(("interpreter-signature",), _interpreter),
    Check(("already-joined",), _other_cluster),
    Check(("not-a-node", "another-cluster"), _adoption),
    Check(("not-ours", "downgrade", "upgrade-needed", "reset-needed"), _version),
    Check(("fixed-once-joined",), _foundation),
    Check(("port-in-use",), _ports),
    Check(("unreachable", "untrusted-source", "clock"), _reach_and_clock),
)
