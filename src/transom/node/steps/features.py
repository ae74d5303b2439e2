"""Windows features that containers need. Enabling may wait for a reboot, which the runner asks for."""

from collections.abc import Sequence

from transom.errors import PermanentError
from transom.model.journal import Drift
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.values import FeatureState

_ON = (FeatureState.ENABLED, FeatureState.ENABLE_PENDING)


@dataclass(frozen=True, slots=True)
class Features(Step[str]):
    """Turns features on and leaves those that are on alone."""

    id: StepId = StepId.FEATURES
    title: str = "Enable Windows features"
    needs: tuple[StepId, ...] = (StepId.PREFLIGHT,)
    seen: Seen = Seen.STAND_IN
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[str]]:
        """Name each feature that is off."""
        states = [
            (feature.name, host.features.state(feature.name)) for feature in want.recipe.features
        ]
        return [
            Drift(name, state.value, "enabled", name) for name, state in states if state not in _ON
        ]

    def apply(self, host: Host, drift: Sequence[Drift[str]]) -> None:
        """Enable each feature; one that Windows does not have is an error."""
        for entry in drift:
            if entry.found == FeatureState.ABSENT.value:
                raise PermanentError(
                    f"this Windows has no feature {entry.subject}",
                    subject=entry.subject,
                    hint="Use an edition of Windows Server that has it.",
                )
            host.features.enable(entry.item)
