"""Whether a host still reaches the world after a step that may have cut it off.

Asked by the runner after network steps and by the watch after a join. It only looks and waits.
"""

from collections.abc import Sequence

from transom.model.records import dataclass
from transom.node.host.nouns.network import ReadNetwork
from transom.node.host.protocols import Machine

_POLL_S = 2.0


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere a host must reach: a server by its port, a gateway (port 0) by an echo."""

    host: str
    port: int = 0

    def answers(self, network: ReadNetwork) -> bool:
        """Whether it can be reached now."""
        if self.port:
            return network.reaches(self.host, self.port)
        return network.answers(self.host)


def server_of(endpoint: str) -> Place:
    """The API server behind `host:port`."""
    host, _, port = endpoint.rpartition(":")
    return Place(host.strip("[]"), int(port))


def answering(network: ReadNetwork, endpoint: str) -> tuple[Place, ...]:
    """The gateways and the API server, where one is named, as far as they answer now.

    What does not answer before a step says nothing about the step afterwards.
    """
    places = [Place(address) for address in network.gateways()]
    places += [server_of(endpoint)] if endpoint else []
    return tuple(place for place in places if place.answers(network))


def is_reached(machine: Machine, places: Sequence[Place], *, patience_s: float) -> bool:
    """Wait until any of the places answers; False where none did for so long."""
    deadline = machine.clock.monotonic() + patience_s
    while not any(place.answers(machine.network) for place in places):
        if machine.clock.monotonic() + _POLL_S > deadline:
            return False
        machine.clock.sleep(_POLL_S)
    return True
