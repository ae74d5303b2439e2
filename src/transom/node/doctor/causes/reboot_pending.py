"""Windows waits for a reboot."""

from collections.abc import Iterator

from transom.model.finding import Severity
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_PENDING = ("enable-pending", "disable-pending")


def _examine(seen: Observation) -> Iterator[Trouble]:
    waiting = [name for name, state in sorted(seen.features.items()) if state in _PENDING]
    if waiting:
        yield Trouble(
            subject=", ".join(waiting),
            message=f"the Windows feature {', '.join(waiting)} waits for a reboot",
            evidence=tuple(f"{name}: {seen.features[name]}" for name in waiting),
        )
    elif seen.reboot_pending:
        yield Trouble(
            subject="Windows",
            message="Windows waits for a reboot to finish an update or an installation",
        )


DIAGNOSIS = Diagnosis(
    id="reboot-pending",
    title="Reboot pending",
    symptom="Containers do not start though everything is installed, or an update that was "
    "installed does not count.",
    cause="A Windows feature or an update takes effect only after a reboot.",
    remedy=Remedy(
        "Drain the node and reboot it: `kubectl drain NODE --ignore-daemonsets`, "
        "`Restart-Computer`.",
        "Every pod on this node: those that are drained start elsewhere, the others stop with "
        "Windows.",
    ),
    looks_at=("reboot_pending", "features"),
    seen=Seen.WINE,
    examine=_examine,
    severity=Severity.WARNING,
)
