"""Joining the cluster with the upstream kubeadm, or without it from a given kubeconfig.

The token goes to kubeadm in a configuration file that only administrators can read and that is
removed afterwards: never in an argument, a log or the journal. A join that was cut short is reset
and begun again.
"""

import json
import ntpath
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.model.codec import encode
from transom.model.journal import SERVICE_STATE, Drift, Receipt
from transom.model.kubeadm import is_older, join_configuration
from transom.model.recipe import Directory, JoinPlan, Recipe
from transom.model.records import dataclass
from transom.model.request import JoinSecrets
from transom.model.sddl import ADMINISTRATORS_ONLY
from transom.model.step_id import StepId
from transom.node.engine.changes import ACTS, restore_all
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.access import same_access
from transom.node.host.files import is_whole
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.nouns.processes import Processes
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.host.values import PathKind
from transom.node.kubernetes.kubelet_flags import expected, extra_arguments
from transom.node.kubernetes.manual_join import ManualJoin, empty

_JOIN_TIMEOUT_S = 420
_RESET_TIMEOUT_S = 180
_OUTPUT_CHARACTERS = 2000
_STILL_READY = 'status "Ready" already exists in the cluster'  # kubeadm's words


@dataclass(frozen=True, slots=True)
class Layout:
    """Where kubeadm keeps what it writes; the paths are its own and cannot be chosen."""

    kubernetes: str
    kubelet: str
    ca_certificate: str
    flags_file: str

    @staticmethod
    def of(plan: JoinPlan) -> "Layout":
        """Tell the layout from the two paths the recipe has."""
        kubernetes = ntpath.dirname(ntpath.dirname(plan.ca_certificate))
        kubelet = ntpath.dirname(plan.flags_file)
        return Layout(kubernetes, kubelet, plan.ca_certificate, plan.flags_file)

    @property
    def kubeconfig(self) -> str:
        """The kubelet's own credential: there once the kubelet is known to the cluster."""
        return ntpath.join(self.kubernetes, "kubelet.conf")

    @property
    def bootstrap(self) -> str:
        """The credential of the join itself, removed when it is over."""
        return ntpath.join(self.kubernetes, "bootstrap-kubelet.conf")

    @property
    def configuration(self) -> str:
        """Our file with the token."""
        return ntpath.join(self.kubernetes, "transom-join.json")

    @property
    def client(self) -> str:
        """The node's certificate and key: the kubelet's own link to the newest pair."""
        return ntpath.join(self.kubelet, "pki", "kubelet-client-current.pem")

    @property
    def kubelet_configuration(self) -> str:
        """The kubelet's configuration as kubeadm brought it from the cluster."""
        return ntpath.join(self.kubelet, "config.yaml")

    @property
    def lasting(self) -> tuple[str, ...]:
        """What a join leaves behind; without any of it the kubelet does not start."""
        return (self.kubeconfig, self.ca_certificate, self.flags_file, self.kubelet_configuration)

    def joined(self, files: ReadFiles, *, at_rest: bool) -> bool:
        """Whether a join was brought to its end, and a power cut took none of it back."""
        return files.kind(self.bootstrap) is PathKind.ABSENT and all(
            is_whole(files, path, at_rest=at_rest) for path in self.lasting
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """A join to make, or only a file to remove where there is no configuration."""

    recipe: Recipe
    layout: Layout
    secrets: JoinSecrets | None = field(repr=False)
    joined: bool


@dataclass(frozen=True, slots=True)
class Join(Step[Wanted]):
    """Runs `kubeadm join`, and `kubeadm reset` to undo it.

    The pods that come with it make the first HNS network, hence its disruption.
    """

    id: StepId = StepId.JOIN
    title: str = "Join the cluster"
    needs: tuple[StepId, ...] = (StepId.SERVICES,)
    seen: Seen = Seen.UPSTREAM_BINARY
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Wanted]]:
        """Say whether the host has joined, and whether a token was left lying about."""
        layout = Layout.of(want.recipe.join)
        joined = layout.joined(host.files, at_rest=want.at_rest)
        wanted = Wanted(want.recipe, layout, want.join, joined)
        if not joined:
            return [Drift(want.recipe.join.node_name, "not joined", "joined", wanted)]
        if host.files.kind(layout.configuration) is not PathKind.ABSENT:
            return [Drift(layout.configuration, "left behind", "absent", wanted)]
        return ()

    def apply(self, host: Host, drift: Sequence[Drift[Wanted]]) -> None:
        """Join, and remove the file with the token whatever happens."""
        for entry in drift:
            wanted = entry.item
            if wanted.joined:
                host.files.remove(wanted.layout.configuration, secret=True)
            else:
                _join(host, wanted)

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Reset the node as kubeadm does, then put back what was noted before the join."""
        for intent in reversed(receipt.intents):
            if intent.act == "kubeadm-join" and intent.before is not None:
                _leave(host, receipt, intent.before)
                break
        restore_all(host, receipt)


def whole_configuration(plan: JoinPlan, secrets: JoinSecrets) -> dict[str, Any]:
    """The JoinConfiguration kubeadm reads; JSON, because that is YAML too."""
    registration: dict[str, Any] = {
        "name": plan.node_name,
        "criSocket": plan.cri_socket,
        "taints": [
            {"key": taint.key, "value": taint.value, "effect": taint.effect}
            for taint in plan.taints
        ],
        "kubeletExtraArgs": _extra_args(plan),
        "ignorePreflightErrors": list(plan.ignore_preflight_errors),
    }
    document = join_configuration(plan, secrets, registration)
    document["caCertPath"] = plan.ca_certificate
    if plan.patches_directory:
        document["patches"] = {"directory": plan.patches_directory}
    return document


def _extra_args(plan: JoinPlan) -> Any:
    arguments = extra_arguments(plan)
    if is_older(plan):
        return arguments
    return [{"name": name, "value": value} for name, value in sorted(arguments.items())]


def _join(host: Host, wanted: Wanted) -> None:
    plan, layout, secrets = wanted.recipe.join, wanted.layout, wanted.secrets
    if secrets is None:
        raise UsageError(
            "cannot join: the request has no token and no kubeconfig", hint="Send one with it."
        )
    kubeadm = "" if secrets.kubeconfig else kubeadm_path(wanted.recipe)
    _note_join(host, wanted, kubeadm)
    for path in (layout.ca_certificate, layout.kubeconfig, layout.client):
        host.files.make_directory(ntpath.dirname(path))
    if secrets.kubeconfig:
        _manual(wanted).write(host, secrets.kubeconfig)
        return
    leftovers = (layout.bootstrap, *layout.lasting)
    again = any(host.files.kind(path) is not PathKind.ABSENT for path in leftovers)
    if again:
        reset_node(host.processes, kubeadm, plan.cri_socket)
        _remake_directories(host, wanted)
    document = json.dumps(whole_configuration(plan, secrets), indent=1)
    try:
        host.files.write(
            layout.configuration, document.encode(), acl=ADMINISTRATORS_ONLY, secret=True
        )
        done = host.processes.run(
            [kubeadm, "join", "--config", layout.configuration],
            timeout_s=_JOIN_TIMEOUT_S,
            secrets=(secrets.token, secrets.token.partition(".")[2]),
            search=beside(kubeadm),
        )
    finally:
        host.files.remove(layout.configuration, secret=True)
    if again and _STILL_READY in done.output:
        raise TemporaryError(
            f"the cluster still takes {plan.node_name} for Ready since a join that was cut short",
            subject=plan.node_name,
            hint="Delete the Node, or wait until the cluster misses its kubelet.",
        )
    if done.code != 0:
        raise PermanentError(
            f"kubeadm join ended with {done.code}: {done.output[-_OUTPUT_CHARACTERS:].strip()}",
            subject=plan.node_name,
            hint="The end of kubeadm's output names the check or the step that failed.",
        )


def _note_join(host: Host, wanted: Wanted, kubeadm: str) -> None:
    """Record what kubeadm, the kubelet and the pod network are about to change by themselves."""
    plan = wanted.recipe.join
    for adapter in host.network.adapters():
        host.note("adapter", adapter.name, encode(adapter))
    for service in wanted.recipe.services:
        if service.flags_file:
            host.note(SERVICE_STATE, service.name, {"running": False})
    for directory in _kept_directories(wanted):
        if host.files.kind(directory.path) is PathKind.DIRECTORY:
            host.note("directory", directory.path, ACTS["directory"].look(host, directory.path))
    if wanted.recipe.network.name:
        name = wanted.recipe.network.name
        host.note("hns-network", name, ACTS["hns-network"].look(host, name))
    before = {
        "kubeadm": kubeadm,
        "criSocket": plan.cri_socket,
        "kubelet": wanted.layout.kubelet,
        "services": [item.name for item in wanted.recipe.services if item.flags_file],
    }
    host.note("kubeadm-join", plan.node_name, before)


def _kept_directories(wanted: Wanted) -> list[Directory]:
    """Directories of the recipe that kubeadm empties or removes when it resets."""
    roots = (wanted.layout.kubernetes.lower() + "\\", wanted.layout.kubelet.lower() + "\\")
    return [item for item in wanted.recipe.directories if item.path.lower().startswith(roots)]


def _remake_directories(host: Host, wanted: Wanted) -> None:
    for directory in _kept_directories(wanted):
        host.files.make_directory(directory.path)
        if directory.acl and not same_access(host.files.acl(directory.path), directory.acl):
            host.files.set_acl(directory.path, directory.acl)


def _manual(wanted: Wanted) -> ManualJoin:
    layout, manual = wanted.layout, wanted.recipe.kubelet.manual
    return ManualJoin(
        kubeconfig=layout.kubeconfig,
        client=layout.client,
        ca_certificate=layout.ca_certificate,
        configuration=layout.kubelet_configuration,
        flags_file=layout.flags_file,
        settings=manual.config,
        arguments=(*manual.arguments, *expected(wanted.recipe.join)),
    )


def _leave(host: UndoHost, receipt: Receipt, before: Mapping[str, Any]) -> None:
    """Let kubeadm reset the node, or do the same where it did not join it or is gone from the host."""
    if before["kubeadm"] and host.files.kind(before["kubeadm"]) is PathKind.FILE:
        reset_node(host.processes, before["kubeadm"], before["criSocket"])
        return
    noted = [intent.subject for intent in receipt.intents if intent.act == SERVICE_STATE]
    for service in before.get("services", noted):
        host.services.stop(service)
    empty(host, before["kubelet"])


def reset_node(processes: Processes, kubeadm: str, cri_socket: str) -> None:
    """Let kubeadm take its node away."""
    done = processes.run(
        [kubeadm, "reset", "--force", "--cri-socket", cri_socket],
        timeout_s=_RESET_TIMEOUT_S,
        search=beside(kubeadm),
    )
    if done.code != 0:
        raise PermanentError(
            f"kubeadm reset ended with {done.code}: {done.output[-_OUTPUT_CHARACTERS:].strip()}",
            subject=kubeadm,
            hint="Mend what it names and run the same command again.",
        )


def beside(kubeadm: str) -> tuple[str, ...]:
    """Where kubeadm looks for the kubelet: a new PATH reaches services only after a reboot."""
    return (ntpath.dirname(kubeadm),)


def kubeadm_path(recipe: Recipe) -> str:
    """Where the recipe puts kubeadm."""
    paths = [artifact.path for artifact in recipe.artifacts]
    paths += [member.path for artifact in recipe.artifacts for member in artifact.members]
    for path in paths:
        if ntpath.basename(path).lower() == "kubeadm.exe":
            return path
    raise UsageError("the recipe has no kubeadm.exe", hint="Resolve the fleet again.")
