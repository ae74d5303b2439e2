"""What a host promises about services."""

from dataclasses import replace

from transom.errors import TransomError
from transom.node.host.protocols import Machine
from transom.node.host.quoting import join_arguments
from transom.node.host.values import ServiceDefinition
from transom.node.verbs.contract.promise import NAME, Promise, refuses

LIFE = "a service runs until it is stopped, and then its program is free"
_PLAIN = ServiceDefinition(
    command=rf'"C:\{NAME}\no such\program.exe" --flag',
    display_name="Transom self-test",
    start="demand",
)
_FULL = replace(
    _PLAIN,
    command=rf"C:\{NAME}\other.exe",
    start="auto",
    depends_on=("RpcSs",),
    environment=("A=1", "B=two words"),
    restart_delays_ms=(1000, 60000),
    reset_s=900,
)


def _defined(machine: Machine) -> bool:
    try:
        machine.services.put(NAME, _FULL)
        found = machine.services.get(NAME.upper())
        stands = not machine.services.running(NAME)
    finally:
        machine.services.put(NAME, None)
    return found == _FULL and stands and machine.services.get(NAME) is None


def _changed(machine: Machine) -> bool:
    """An undo puts back a service that had nothing of what a recipe gave it."""
    try:
        machine.services.put(NAME, _PLAIN)
        machine.services.put(NAME, _FULL)
        more = machine.services.get(NAME)
        machine.services.put(NAME, _PLAIN)
        return more == _FULL and machine.services.get(NAME) == _PLAIN
    finally:
        machine.services.put(NAME, None)


def _delayed(machine: Machine) -> bool:
    wanted = replace(_FULL, start="delayed-auto")
    try:
        machine.services.put(NAME, wanted)
        return machine.services.get(NAME) == wanted
    finally:
        machine.services.put(NAME, None)


def _absent(machine: Machine) -> bool:
    services = machine.services
    services.put(NAME, None)  # what is not there is deleted already
    services.stop(NAME)
    return (
        services.get(NAME) is None
        and not services.running(NAME)
        and refuses(lambda: services.start(NAME))
    )


def _without_program(machine: Machine) -> bool:
    try:
        machine.services.put(NAME, _PLAIN)
        machine.services.stop(NAME)  # what does not run is stopped already
        try:
            machine.services.start(NAME)
        except TransomError:
            return not machine.services.running(NAME)
        return False
    finally:
        machine.services.put(NAME, None)


def lives(machine: Machine, *, program: str) -> bool:
    """Start and stop a service that is this very program."""
    services, python = machine.services, machine.system.interpreter()
    command = join_arguments((python, program, "selftest", "--service", NAME))
    try:
        services.put(NAME, replace(_PLAIN, command=command))
        services.start(NAME)
        services.start(NAME)  # what runs is started already
        ran = services.running(NAME)
        services.stop(NAME)
        return ran and not services.running(NAME) and services.get(NAME) is not None
    finally:
        services.put(NAME, None)


PROMISES: dict[str, Promise] = {
    "services are registered and deleted": _defined,
    "a service is changed and changed back": _changed,
    "a service starts some time after the others": _delayed,
    "a service that is not there has no state and does not start": _absent,
    "a service without its program does not start": _without_program,
}
