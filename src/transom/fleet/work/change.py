"""Bringing a host to its recipe: the turns of a join, an upgrade and an adoption that are theirs alone.

The bootstrap token lives from the moment a run may need it until the Node is registered, and is deleted in any
case.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta

from transom.errors import PermanentError, TemporaryError, TransomError
from transom.fleet.cluster import ClusterEntry
from transom.fleet.on_host.upload import clear_uploads
from transom.fleet.on_host.upload import upload as upload_artifacts
from transom.fleet.planning.effective import node_lacks
from transom.fleet.planning.plan import HostPlan
from transom.fleet.turning import Failed, Phase, Turn, Waiting
from transom.fleet.work.approve import Asker, approve_serving, names_of
from transom.fleet.work.cordon import cordon_of, uncordon
from transom.fleet.work.host import HostWork, api_s, has_api, let_go
from transom.fleet.work.labels import missing_fleet_label, missing_prepared_label
from transom.fleet.work.outcome import Applied, Outcome
from transom.kube.bootstrap_token import NAMESPACE, BootstrapToken, new_token, token_secret
from transom.model.answers import PlannedChange, Survey
from transom.model.event import Event, State
from transom.model.fleet import Reboot
from transom.model.journal import SINGLE_HOST
from transom.model.request import Verb
from transom.model.step_id import StepId
from transom.recipe.node_labels import given_labels

_BRINGING = (StepId.ARTIFACTS, StepId.UPGRADE)
REBOOTS = 2
"""As many as Windows may ask for: features, then updates that waited for those."""


@dataclass(kw_only=True)
class ChangeWork(HostWork):
    """A host whose plan has something to change, and what became of it so far."""

    planned: HostPlan
    survey: Survey
    entry: ClusterEntry
    fleet: str
    approves: bool = True
    changed: tuple[str, ...] = field(default=(), init=False)
    not_applied: tuple[PlannedChange, ...] = field(default=(), init=False)
    state: State | None = field(default=None, init=False)
    reboots: int = field(default=0, init=False)
    since: int | None = field(default=None, init=False)
    peer: str = field(default="", init=False)
    _token: BootstrapToken | None = field(default=None, init=False)
    _forgetting: list[asyncio.Task[None]] = field(default_factory=list, init=False)

    @property
    def is_run(self) -> bool:
        """Whether the run on the host came to its end."""
        return self.state is State.DONE

    @property
    def lacking(self) -> tuple[str, ...]:
        """The artifacts that the host said it does not have, or of other bytes."""
        steps = (step for step in self.survey.plan.steps if step.step in _BRINGING)
        return tuple(change.subject for step in steps for change in step.drift)

    @property
    def uploads(self) -> bool:
        """Whether artifacts go to the host from here."""
        return self.doors.holdings is not None and bool(self.lacking)

    def applied(self) -> Applied:
        """The host as it is now."""
        node = self.node
        return Applied(
            host=self.host.name,
            outcome=Outcome.CHANGED,
            changed=self.changed,
            ready=node.ready if node is not None else None,
            kubelet=node.kubelet if node is not None else "",
            notes=self.notes,
            not_applied=self.not_applied,
        )

    async def close(self) -> None:
        """Delete the token, whatever became of the join, and leave the host."""
        await self.forget_token()
        await super().close()

    def noted(self, event: Event) -> None:
        """Pass on what the node program says; a join that is done needs its token no more."""
        self.watcher.event(event)
        if event.step == StepId.JOIN and event.state is State.CHANGED and self._token is not None:
            # kubeadm has seen the kubelet's own credential.
            self._forgetting.append(asyncio.create_task(self._forget(self._token)))

    async def forget_token(self) -> None:
        """Delete the token, if there is one."""
        await asyncio.gather(*self._forgetting)
        self._forgetting.clear()
        if self._token is not None:
            await self._forget(self._token)
            self._token = None

    async def mint(self) -> None:
        """Have a token for the join, unless there is one."""
        if self._token is not None or self.request.join is None:
            return
        token = new_token()
        secret = token_secret(
            token,
            expires=self.doors.now().astimezone(UTC) + timedelta(seconds=self.request.deadline_s),
            description=f"transom join of {self.request.recipe.identity.name}",
        )
        await self.api.create_secret(secret)
        self._token = token
        self.request = replace(self.request, join=replace(self.request.join, token=token.text))

    async def _forget(self, token: BootstrapToken) -> None:
        # It ends by itself as well, so a cluster that is away keeps nobody from going on.
        with suppress(TransomError):
            await self.api.delete_secret(NAMESPACE, token.secret_name)


async def upload(work: ChangeWork) -> Turn:
    """Have the artifacts on the host that it cannot fetch itself."""
    assert work.doors.holdings is not None
    session, artifacts = work.on_host.session, work.request.recipe.artifacts
    await upload_artifacts(session, artifacts, work.lacking, work.doors.holdings)
    return None


async def token(work: ChangeWork) -> Turn:
    """Have what the host joins with, and the API server's time before it does."""
    secrets = work.request.join
    if secrets is None:
        return None
    if work.doors.api is not None:
        work.since = work.since or await work.api.time()
        if not secrets.kubeconfig:
            await work.mint()
    elif work.doors.token is not None:
        work.request = replace(work.request, join=replace(secrets, token=await work.doors.token()))
    return None


def needs_token(work: ChangeWork) -> bool:
    """Whether the host is still to join."""
    return not work.is_run and (work.planned.joins or work.doors.api is None)


async def run(work: ChangeWork) -> Turn:
    """Launch the node program, or attach to it, and follow it to its end."""
    found = await work.on_host.follow(work.request, work.noted)
    if isinstance(found, Waiting):
        return found
    work.changed, work.state = (*work.changed, *found.changed), found.state
    work.peer = work.on_host.session.peer
    await work.forget_token()
    if found.state is State.CANCELLED:
        return Failed(
            PermanentError(
                "the run was cancelled",
                subject=work.host.name,
                hint="run the same command again to go on, or `transom reset` to take it back",
            )
        )
    return None


async def rolled_back(work: ChangeWork, error: TransomError) -> bool:
    """Let a node that the node program rolled back take pods again, if it is Ready as it was before."""
    if not work.cordons or work.request.verb is not Verb.UPGRADE:
        return False
    with suppress(TransomError):
        node = await work.api.node(work.node_name)
        if isinstance(error, PermanentError) and node is not None and node.ready:
            await let_go(work, error)
    return False


async def reboot(work: ChangeWork) -> Turn:
    """Reboot the host where the run asked for that, and have it run on."""
    name = work.host.name
    if work.host.reboot is not Reboot.ALLOWED or work.reboots == REBOOTS:
        return Failed(
            TemporaryError(
                f"{name} needs a reboot before it can go on",
                subject=name,
                hint="reboot it and run the same command again, or allow it: --reboot for one host, "
                "`rebootPolicy: IfNeeded` in a fleet",
            )
        )
    waiting = await work.on_host.reboot()
    if waiting is None:
        work.reboots += 1
        work.on_host.renew()
    return waiting


async def leave(work: ChangeWork) -> Turn:
    """Take the uploads away, look again at what was not applied before, and end the session."""
    if work.uploads:
        await clear_uploads(work.on_host.session)
    before = work.survey.not_applied
    if work.planned.not_applied and before and work.request.verb is not Verb.ADOPT:
        found = await work.on_host.program.survey(work.request)
        work.not_applied = before if found is None else found.not_applied
    await work.on_host.session.close()
    return None


async def label(work: ChangeWork) -> Turn:
    """Have the labels on the Node that its kubelet may not give it, and see what it still lacks."""
    node = work.node
    assert node is not None
    labels = given_labels(work.host.labels) | missing_fleet_label(node, work.fleet)
    if work.request.verb is not Verb.ADOPT:
        labels |= missing_prepared_label(node)
    if any(node.labels.get(key) != value for key, value in labels.items()):
        await work.api.label_node(node.name, labels)
    if work.request.verb is not Verb.ADOPT:
        shown = replace(node, labels={**node.labels, **labels})
        lacks = node_lacks(work.host, work.request.recipe, shown)
        work.not_applied = (*work.not_applied, *lacks)
    return None


def asks_for_certificate(work: ChangeWork) -> bool:
    """Whether this join lets the kubelet ask for a serving certificate that is to be approved here."""
    asks = bool(work.entry.kubelet.get("serverTLSBootstrap"))
    return work.doors.api is not None and work.planned.joins and work.approves and asks


async def approve(work: ChangeWork) -> Turn:
    """Approve the serving certificate that the node asks for."""
    notes = await approve_serving(work.api, _asker(work))
    if isinstance(notes, Waiting | Failed):
        return notes
    work.notes = (*work.notes, *notes)
    return None


async def not_approved(work: ChangeWork, error: TransomError) -> bool:
    """Say it; the node is one all the same."""
    work.notes = (*work.notes, error.message)
    return True


def _asker(work: ChangeWork) -> Asker:
    """What the operator knows the node by: never what the host says of itself."""
    written = [work.host.node_ip or ""]
    return Asker(
        node=work.node_name,
        names=names_of(work.node_name, (work.host.address, work.peer, *written)),
        since=work.since or 0,
        endpoint=work.entry.endpoint,
        services=work.entry.service_cidrs,
        domain=str(work.entry.kubelet.get("clusterDomain") or ""),
    )


UPLOAD = Phase(
    name="upload",
    says="upload artifacts to the host",
    when=lambda work: work.uploads,
    turn=upload,
)
TOKEN = Phase(name="token", when=needs_token, turn=token, deadline_s=api_s)
RUN = Phase(
    name="run",
    when=lambda work: not work.is_run,
    turn=run,
    give_up=rolled_back,
)
REBOOT = Phase(
    name="reboot",
    says="reboot the host",
    when=lambda work: work.state is State.REBOOT,
    turn=reboot,
)
LEAVE = Phase(name="leave", turn=leave)
LABEL = Phase(name="label", when=has_api, turn=label, deadline_s=api_s)
APPROVE = Phase(
    name="approve",
    says="approve the serving certificate",
    when=asks_for_certificate,
    turn=approve,
    deadline_s=api_s,
    give_up=not_approved,
)


@dataclass(kw_only=True)
class KeepWork(HostWork):
    """A host that is as planned: its Node is looked after, and nothing else."""

    planned: HostPlan
    survey: Survey
    fleet: str

    def applied(self) -> Applied:
        """The host, as it was."""
        node = self.node
        return Applied(
            host=self.host.name,
            outcome=Outcome.UNCHANGED,
            ready=node.ready if node is not None else None,
            kubelet=node.kubelet if node is not None else "",
            notes=self.notes,
            not_applied=self.planned.not_applied,
        )


async def is_ready(work: KeepWork) -> Turn:
    """See the Node Ready now: nothing was changed that could make it so."""
    node = work.node
    if node is not None and node.ready:
        return None
    said = "it has no Node" if node is None else node.problem or "its kubelet is silent"
    name = work.host.name
    place = work.host.address if work.fleet == SINGLE_HOST else f"--host {name}"
    return Failed(
        TemporaryError(
            f"{name} is as planned, but not Ready: {said}",
            subject=name,
            hint=f"`transom doctor {place}` looks for the cause",
        )
    )


async def keep_labels(work: KeepWork) -> Turn:
    """Have the labels on the Node by which Transom and the add-ons know it."""
    node = work.node
    assert node is not None
    lacking = missing_fleet_label(node, work.fleet)
    # An adoption brings none of what the add-ons' pods run.
    has_programs = bool(work.survey.inventory.installed) and work.request.verb is not Verb.ADOPT
    prepared = missing_prepared_label(node) if has_programs else {}
    if lacking or prepared:
        await work.api.label_node(node.name, lacking | prepared)
    if lacking:
        note = f"{node.name} is marked as a node of fleet {work.fleet}"
        work.notes = (*work.notes, note)
    return None


async def keep_schedulable(work: KeepWork) -> Turn:
    """Let the Node take pods again where a run that was cut short left it cordoned."""
    node = work.node
    assert node is not None
    if not await uncordon(work.api, node, work.holder) and (held := cordon_of(node)) is not None:
        work.notes = (*work.notes, f"{node.name} stays cordoned: {held.said}")
    return None


READY_NOW = Phase(name="ready", when=has_api, turn=is_ready)
KEEP_LABELS = Phase(name="label", when=has_api, turn=keep_labels, deadline_s=api_s)
KEEP_SCHEDULABLE = Phase(name="uncordon", when=has_api, turn=keep_schedulable, deadline_s=api_s)
