"""Native Windows services: containerd, kubelet and what else the recipe runs as one.

The kubelet is started only once the host has joined, because before that it could but fail.
"""

from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.recipe import Service
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.disruption import RUNTIMES, Disruption
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.files import is_whole
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.quoting import join_arguments
from transom.node.host.values import ServiceDefinition
from transom.node.kubernetes.proxy_exceptions import environment_of

AUTOMATIC = "auto"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A service as it should be; `dependents` have to stop while it changes."""

    name: str
    definition: ServiceDefinition
    runs: bool
    dependents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Services(Step[Wanted]):
    """Registers services and starts those that can run."""

    id: StepId = StepId.SERVICES
    title: str = "Register and start services"
    needs: tuple[StepId, ...] = (StepId.ARTIFACTS, StepId.FILES)
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Wanted]]:
        """Name each service that is missing, differs, or should run and does not."""
        services = tuple(service for service in want.recipe.services if not service.runs)
        return service_drift(host, want, services)

    def apply(self, host: Host, drift: Sequence[Drift[Wanted]]) -> None:
        """Register and start each service."""
        apply_services(host, drift)


def service_drift(
    host: ReadHost, want: NodeSpec, services: tuple[Service, ...]
) -> list[Drift[Wanted]]:
    """Compare services of the recipe with those of the host."""
    drift = []
    for service in services:
        wanted = _wanted(host, want, service)
        found = host.services.get(service.name)
        if found != wanted.definition:
            text = "absent" if found is None else found.command
            # A service is stopped to be changed, and with the runtime what runs under it.
            restarts_runtime = found is not None and service.name in RUNTIMES
            stops = Disruption.PODS_STOP if restarts_runtime else None
            drift.append(Drift(service.name, text, wanted.definition.command, wanted, stops))
        elif wanted.runs and not host.services.running(service.name):
            drift.append(Drift(service.name, "stopped", "running", wanted, Disruption.NONE))
    return drift


def apply_services(host: Host, drift: Sequence[Drift[Wanted]]) -> None:
    """Make services as wanted; what had to stop for that is started again."""
    stopped: list[str] = []
    for entry in drift:
        wanted: Wanted = entry.item
        if host.services.get(wanted.name) != wanted.definition:
            for name in (*wanted.dependents, wanted.name):
                if host.services.running(name):
                    host.services.stop(name)
                    stopped.append(name)
            host.services.put(wanted.name, wanted.definition)
        if wanted.runs and not host.services.running(wanted.name):
            host.services.start(wanted.name)
    for name in reversed(stopped):
        if not host.services.running(name):
            host.services.start(name)


def _wanted(host: ReadHost, want: NodeSpec, service: Service) -> Wanted:
    runs = service.start == AUTOMATIC
    if service.flags_file:
        runs = runs and is_whole(host.files, service.flags_file, at_rest=want.at_rest)
    recovery = service.recovery
    variables = environment_of(host, want, service)
    definition = ServiceDefinition(
        command=join_arguments(service.command),
        display_name=service.display_name,
        start=service.start,
        depends_on=service.depends_on,
        environment=tuple(f"{key}={value}" for key, value in sorted(variables.items())),
        restart_delays_ms=recovery.restart_delays_ms if recovery else (),
        reset_s=recovery.reset_s if recovery else 0,
    )
    dependents = [other.name for other in want.recipe.services if service.name in other.depends_on]
    return Wanted(service.name, definition, runs, tuple(reversed(dependents)))
