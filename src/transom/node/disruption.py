"""How much a change disturbs a node: declared by every step, judged by plans."""

from enum import Enum


class Disruption(Enum):
    """What applying a step may do to a node that is in use; decides whether it is drained first."""

    NONE = "none"
    KUBELET_RESTART = "kubelet-restart"
    PODS_STOP = "pods-stop"
    NETWORK_BLIP = "network-blip"
    REBOOT = "reboot"
