"""Registry values under HKEY_LOCAL_MACHINE that the recipe asks for."""

from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.recipe import RegistryValue
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.values import RegistryData


@dataclass(frozen=True, slots=True)
class Registry(Step[RegistryValue]):
    """Sets each value that differs, making its key where it is missing."""

    id: StepId = StepId.REGISTRY
    title: str = "Set registry values"
    needs: tuple[StepId, ...] = (StepId.PREFLIGHT,)
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[RegistryValue]]:
        """Name each value that differs."""
        found = [(item, host.registry.get(item.key, item.name)) for item in want.recipe.registry]
        return [
            Drift(f"{item.key}\\{item.name}", _text(data), str(item.value), item)
            for item, data in found
            if data != RegistryData(item.type, item.value)
        ]

    def apply(self, host: Host, drift: Sequence[Drift[RegistryValue]]) -> None:
        """Set each value."""
        for entry in drift:
            item = entry.item
            host.registry.make_key(item.key)
            host.registry.put(item.key, item.name, RegistryData(item.type, item.value))


def _text(data: RegistryData | None) -> str:
    return "absent" if data is None else f"{data.value} ({data.type})"
