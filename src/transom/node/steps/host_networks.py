"""Legacy: the Docker network called `host`, which the kubelet looks for to start pods with hostNetwork.

Docker on Windows has no such network of its own, so one of type NAT bears the name. A service of
the node program makes it again whenever it is lost; see `keep_networks`.
"""

from collections.abc import Sequence

from transom.errors import PermanentError
from transom.model.journal import Drift
from transom.model.recipe import HostNetwork
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.nouns.processes import Processes
from transom.node.host.protocols import Host, ReadHost

_TIMEOUT_S = 120
_OUTPUT_CHARACTERS = 1000
# Without it Docker gives the network of the host network service another name than its own.
_NAMED = "com.docker.network.windowsshim.networkname"


@dataclass(frozen=True, slots=True)
class HostNetworks(Step[HostNetwork]):
    """Makes each Docker network of the recipe that the host network service does not have."""

    id: StepId = StepId.HOST_NETWORKS
    title: str = "Make Docker's host network"
    needs: tuple[StepId, ...] = (StepId.SERVICES,)
    seen: Seen = Seen.SIMULATED
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[HostNetwork]]:
        """Name each network that is missing."""
        return [
            Drift(network.name, "absent", network.driver, network)
            for network in want.recipe.host_networks
            if not host.network.hns_network(network.name)
        ]

    def apply(self, host: Host, drift: Sequence[Drift[HostNetwork]]) -> None:
        """Let Docker make each network."""
        for entry in drift:
            network = entry.item
            host.note("docker-network", network.name, {"program": network.program})
            host.note("hns-network", network.name, None)
            make_network(host.processes, network)


def make_network(processes: Processes, network: HostNetwork) -> None:
    """Let Docker make a network; one it only remembers is removed first."""
    named = f"{_NAMED}={network.name}"
    create = (network.program, "network", "create", "-d", network.driver, "-o", named, network.name)
    done = processes.run(create, timeout_s=_TIMEOUT_S)
    if done.code != 0 and "already exists" in done.output:
        processes.run((network.program, "network", "rm", network.name), timeout_s=_TIMEOUT_S)
        done = processes.run(create, timeout_s=_TIMEOUT_S)
    if done.code != 0:
        raise PermanentError(
            f"docker could not make the network {network.name}: "
            f"{done.output[-_OUTPUT_CHARACTERS:].strip()}",
            subject=network.name,
            hint="Docker's own log says more; `docker network ls` shows what it has.",
        )
