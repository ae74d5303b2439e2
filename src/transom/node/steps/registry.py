"""Registry values under HKEY_LOCAL_MACHINE that the recipe asks for."""

from collections.abc import Sequence

from transom.model.journal import Drift, Receipt
from transom.model.records import dataclass
from transom.node.acts import restore_all
from transom.node.disruption import Disruption
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.host.values import RegistryData
from transom.node.step import EVERYWHERE, Applies, NodeSpec, Seen


@dataclass(frozen=True, slots=True)
class Registry:
    """Sets each value that differs, making its key where it is missing."""

    id: str = "registry"
    title: str = "Set registry values"
    needs: tuple[str, ...] = ("preflight",)
    disruption: Disruption = Disruption.NONE
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift]:
        """Name each value that differs."""
        found = [(item, host.registry.get(item.key, item.name)) for item in want.recipe.registry]
        return [
            Drift(f"{item.key}\\{item.name}", _text(data), str(item.value), item)
            for item, data in found
            if data != RegistryData(item.type, item.value)
        ]

    def apply(self, host: Host, drift: Sequence[Drift]) -> None:
        """Set each value."""
        for entry in drift:
            item = entry.item
            host.registry.make_key(item.key)
            host.registry.put(item.key, item.name, RegistryData(item.type, item.value))

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Restore values and delete the keys that were made."""
        restore_all(host, receipt)


def _text(data: RegistryData | None) -> str:
    return "absent" if data is None else f"{data.value} ({data.type})"
