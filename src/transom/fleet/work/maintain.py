"""Maintaining a host: the turns that run a person's command and judge what Windows is afterwards."""

from dataclasses import dataclass, field

from transom.errors import PermanentError, Refused, TransomError
from transom.fleet.planning.plan import HostPlan, host_plan
from transom.fleet.survey import survey_host
from transom.fleet.turning import Failed, Phase, Turn
from transom.fleet.work.host import HostWork, api_s, connect
from transom.fleet.work.labels import MAINTAINED
from transom.fleet.work.outcome import Applied, Outcome
from transom.model.answers import Survey
from transom.model.fleet import Reboot
from transom.model.problem import Refusal

_COMMAND_S = 4 * 3600.0
_SAID = 500
_WAITS_FOR_UPGRADE = "upgrade-needed"
_STAYS = "the node stays cordoned; fix it, then re-run the command"


@dataclass(kw_only=True)
class MaintenanceWork(HostWork):
    """A host that is maintained; `day` is written on its Node once it was."""

    command: tuple[str, ...]
    day: str
    reboots: bool
    before: Survey
    after: Survey | None = field(default=None, init=False)

    def applied(self) -> Applied:
        """The host as it is now."""
        node = self.node
        return Applied(
            host=self.host.name,
            outcome=Outcome.CHANGED,
            ready=True,
            kubelet=node.kubelet if node is not None else "",
            notes=(*self.notes, *self._windows()),
        )

    def _windows(self) -> tuple[str, ...]:
        if self.after is None or self.before.inventory.windows == self.after.inventory.windows:
            return ()
        old, new = self.before.inventory.windows, self.after.inventory.windows
        change = f"Windows {old.build}.{old.revision} is now {new.build}.{new.revision}"
        return (f"{self.host.name}: {change}",)


async def command(work: MaintenanceWork) -> Turn:
    """Run the command to its end."""
    done = await work.on_host.program.command(work.command, timeout_s=_COMMAND_S)
    if done.code == 0:
        return None
    name, said = work.host.name, done.output.strip()[-_SAID:]
    error = f"the command ended with {done.code} on {name}: {said}"
    return Failed(PermanentError(error, subject=name, hint=_STAYS))


async def reboot(work: MaintenanceWork) -> Turn:
    """Reboot the host."""
    return await work.on_host.reboot()


async def look_again(work: MaintenanceWork) -> Turn:
    """Refuse a Windows that is no longer the one its recipe, images and pause image are for."""
    await work.on_host.session.close()
    connect = work.doors.connect(work.host)
    work.after = await survey_host(connect, work.request, bring=work.doors.bring)
    refusals = hindrances(host_plan(work.host, work.after, work.request))
    if refusals:
        subject = f"host {work.host.name} after its maintenance"
        return Failed(Refused(refusals, subject=subject))
    return None


async def stays(_work: MaintenanceWork, error: TransomError) -> bool:
    """Say what becomes of the node."""
    error.hint = error.hint or _STAYS
    return False


async def mark_done(work: MaintenanceWork) -> Turn:
    """Write on the Node that it was done, so that a second run goes on after it."""
    await work.api.label_node(work.node_name, {MAINTAINED: work.day})
    return None


def hindrances(host: HostPlan) -> tuple[Refusal, ...]:
    """Why the host cannot be maintained; a node that waits for its upgrade can."""
    return tuple(refusal for refusal in host.refusals if refusal.id != _WAITS_FOR_UPGRADE)


REACH = Phase(name="connect", turn=connect, give_up=stays)
COMMAND = Phase(name="command", says="run the command", turn=command, give_up=stays)
REBOOT = Phase(
    name="reboot",
    says="reboot the host",
    when=lambda work: work.reboots and work.host.reboot is Reboot.ALLOWED,
    turn=reboot,
    give_up=stays,
)
LOOK_AGAIN = Phase(name="look-again", says="look at the host again", turn=look_again)
MARK_DONE = Phase(name="label", turn=mark_done, deadline_s=api_s)
