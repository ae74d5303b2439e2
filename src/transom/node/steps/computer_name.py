"""The computer's name, only where the fleet says that it may be changed; takes effect with a reboot.

Never on a member of a domain, whose account bears the name: preflight refuses that. Windows takes the
new name from these values when it starts.
"""

from collections.abc import Sequence

from transom.model.journal import Drift, Receipt
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.node.acts import restore_all
from transom.node.disruption import Disruption
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.host.values import RegistryData
from transom.node.step import EVERYWHERE, Applies, NodeSpec, Seen

VALUES = (
    (r"SYSTEM\CurrentControlSet\Control\ComputerName\ComputerName", "ComputerName"),
    (r"SYSTEM\CurrentControlSet\Services\Tcpip\Parameters", "NV Hostname"),
)


@dataclass(frozen=True, slots=True)
class ComputerName:
    """Writes the name of the node as the machine's next one; the running name is left alone."""

    id: str = "computer-name"
    title: str = "Name the computer"
    needs: tuple[str, ...] = ("preflight",)
    disruption: Disruption = Disruption.REBOOT
    seen: Seen = Seen.SIMULATED
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift]:
        """Compare the machine's next name with the node's, where `rename` allows to change it."""
        name = want.recipe.join.node_name
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

    def apply(self, host: Host, drift: Sequence[Drift]) -> None:
        """Write the name where Windows reads it when it starts."""
        for entry in drift:
            key, value, name = entry.item
            host.registry.make_key(key)
            host.registry.put(key, value, RegistryData("string", name))

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Write the old name there again; it too takes effect with a reboot."""
        restore_all(host, receipt)


def waits_for_boot(host: ReadHost, recipe: Recipe) -> bool:
    """Whether the machine gets the recipe's name only with its next start."""
    name = recipe.join.node_name.lower() if recipe.identity.rename else ""
    return bool(name) and host.system.computer_name().lower() != name
