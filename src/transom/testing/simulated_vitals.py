"""States of the simulated host that only a diagnosis asks for; a test sets them."""

from dataclasses import dataclass, field, replace

from transom.errors import PermanentError
from transom.node.host.values import HnsState, ServiceStatus, Volume
from transom.testing.simulated_network import SimulatedNetwork
from transom.testing.simulated_services import SimulatedServices

_ROOMY = Volume(free=100 << 30, total=200 << 30)


@dataclass
class SimulatedVitals:
    """What the services and networks of the host say, unless a test says more."""

    services: SimulatedServices
    network: SimulatedNetwork
    statuses: dict[str, ServiceStatus] = field(default_factory=dict)
    hns_state: HnsState | None = field(default_factory=HnsState)
    room: Volume = _ROOMY
    named_pipes: tuple[str, ...] = ()
    event_logs: dict[str, str] = field(default_factory=dict)

    def service(self, name: str) -> ServiceStatus | None:
        if self.services.get(name) is None:
            return None
        state = "running" if self.services.running(name) else "stopped"
        return self.statuses.get(name, ServiceStatus(state=state))

    def hns(self) -> HnsState:
        if self.hns_state is None:
            raise PermanentError("the host network service does not answer", subject="hns")
        return self.hns_state

    def volume(self, path: str) -> Volume:
        del path
        return self.room

    def pipes(self) -> tuple[str, ...]:
        return self.named_pipes

    def events(self, log: str, count: int) -> str:
        del count
        if log not in self.event_logs:
            raise PermanentError(f"there is no event log {log}", subject=log)
        return self.event_logs[log]


@dataclass
class SimulatedHns:
    """The host network service as the vitals have it, for changing."""

    vitals: SimulatedVitals

    def state(self) -> HnsState:
        return self.vitals.hns()

    def network(self, name: str) -> str:
        found = (str(item["ID"]) for item in self.state().networks if item.get("Name") == name)
        return next(found, "")

    def delete_endpoint(self, identity: str) -> None:
        state = self.state()
        left = tuple(item for item in state.endpoints if item["ID"] != identity)
        self.vitals.hns_state = replace(state, endpoints=left)

    def delete_balancer(self, identity: str) -> None:
        state = self.state()
        left = tuple(item for item in state.balancers if item["ID"] != identity)
        self.vitals.hns_state = replace(state, balancers=left)
