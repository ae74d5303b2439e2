"""Whether this host keeps what the steps rely on: the promises of `contract`, with a report."""

from collections.abc import Callable

from transom.errors import TransomError
from transom.model.answers import SelfTest, SelfTestCheck, WindowsVersion
from transom.node.host.protocols import Machine
from transom.node.verbs.contract import promises
from transom.node.verbs.contract.promise import PATIENCE_S, Promise

_POLL_S = 0.1


def selftest(machine: Machine, *, program: str) -> SelfTest:
    """Ask for every promise and report, with the Windows it ran on; `program` is this program's file."""
    checks = tuple(_outcome(name, one, machine) for name, one in promises(program).items())
    build, revision = machine.system.build()
    return SelfTest(
        windows=WindowsVersion(build=build, revision=revision),
        checks=checks,
        failed=sum(1 for item in checks if item.problem),
    )


def be_service(machine: Machine, name: str) -> int:
    """Be the service that one of the promises starts and stops; it ends by itself where nobody stops it."""

    def work(stopped: Callable[[], bool]) -> int:
        deadline = machine.clock.monotonic() + PATIENCE_S
        while not stopped() and machine.clock.monotonic() < deadline:
            machine.clock.sleep(_POLL_S)
        return 0

    return machine.background.be_service(name, work)


def _outcome(name: str, promise: Promise, machine: Machine) -> SelfTestCheck:
    try:
        problem = "" if promise(machine) else "the host answered otherwise"
    except TransomError as error:
        problem = error.message
    return SelfTestCheck(check=name, problem=problem)
