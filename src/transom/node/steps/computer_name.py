"""The computer's name, only where the fleet says that it may be changed; takes effect with a reboot.

Never on a member of a domain, whose account bears the name: preflight refuses that. Windows takes the
new name from these values when it starts.
"""

from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.values import RegistryData

VALUES = (
    (r"SYSTEM\CurrentControlSet\Control\ComputerName\ComputerName", "ComputerName"),
    (r"SYSTEM\CurrentControlSet\Services\Tcpip\Parameters", "NV Hostname"),
)


@dataclass(frozen=True, slots=True)
class ComputerName(Step[tuple[str, str, str]]):
    """Writes the name of the node as the machine's next one; the running name is left alone."""

    id: StepId = StepId.COMPUTER_NAME
    title: str = "Name the computer"
    needs: tuple[StepId, ...] = (StepId.PREFLIGHT,)
    seen: Seen = Seen.SIMULATED
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[tuple[str, str, str]]]:
        """Compare the machine's next name with the node's, where `rename` allows to change it."""
        name = want.recipe.computer_name.lower()
        if not want.recipe.identity.rename or not name:
            return ()
        found = [(key, value, host.registry.get(key, value)) for key, value in VALUES]
        return [
            Drift(
                f"{key}\\{value}", str(data.value) if data else "absent", name, (key, value, name)
            )
            for key, value, data in found
            if data is None or str(data.value).lower() != name.lower()
        ]

    def apply(self, host: Host, drift: Sequence[Drift[tuple[str, str, str]]]) -> None:
        """Write the name where Windows reads it when it starts."""
        for entry in drift:
            key, value, name = entry.item
            host.registry.make_key(key)
            host.registry.put(key, value, RegistryData("string", name))


def waits_for_boot(host: ReadHost, recipe: Recipe) -> bool:
    """Whether the machine gets the recipe's name only with its next start."""
    name = recipe.computer_name.lower() if recipe.identity.rename else ""
    return bool(name) and host.system.computer_name().lower() != name
