"""How much a change disturbs a node: judged by steps, change by change, and by plans."""

from collections.abc import Iterable
from enum import Enum


class Disruption(Enum):
    """What a change may do to a node that is in use; decides whether it is drained first."""

    NONE = "none"
    KUBELET_RESTART = "kubelet-restart"
    PODS_STOP = "pods-stop"
    NETWORK_BLIP = "network-blip"
    REBOOT = "reboot"

    @property
    def is_felt_by_pods(self) -> bool:
        """Whether pods have to leave first; a kubelet that restarts leaves them running."""
        return self not in (Disruption.NONE, Disruption.KUBELET_RESTART)


def worst(found: Iterable[Disruption]) -> Disruption:
    """The most disturbing of them; none where there are none."""
    return max(found, key=tuple(Disruption).index, default=Disruption.NONE)
