"""The runtime has no network configuration."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_FOLDER = r"C:\etc\cni\net.d"


def _examine(seen: Observation) -> Iterator[Trouble]:
    if seen.recipe is None:
        return
    wanted = [
        item.path for item in seen.recipe.files if item.path.lower().startswith(_FOLDER.lower())
    ]
    for path in wanted:
        if path not in seen.texts:
            yield Trouble(
                subject=path, message=f"there is no network configuration at {path}", file=path
            )


DIAGNOSIS = Diagnosis(
    id="cni-configuration-missing",
    title="Network configuration missing",
    symptom="The Node is NotReady with `cni plugin not initialized` or `network plugin is not "
    "ready`.",
    cause="The file that says how pods get their network was removed.",
    remedy=Remedy(
        "`transom join ADDRESS` writes it again.",
        "Nothing: running pods keep their network.",
    ),
    looks_at=("texts", "recipe"),
    seen=Seen.WINE,
    examine=_examine,
    hides=("node-not-ready",),
)
