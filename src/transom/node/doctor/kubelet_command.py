"""What the kubelet is started with: its service's command line, and kubeadm's flags where that reads them."""

from transom.errors import TransomError
from transom.node.doctor.observation import Observation, ServiceSeen
from transom.node.kubernetes.kubelet_flags import flag_name, parse_flags_file

_READS_FLAGS = "--flags-file="


def reads_flags_file(kubelet: ServiceSeen) -> bool:
    """Whether each start reads kubeadm's flags: by the node program, or by a script of somebody else."""
    words = [word.lower() for word in kubelet.arguments]
    named = any(word.endswith("kubelet.exe") for word in words)
    return not named or any(word.startswith(_READS_FLAGS) for word in words)


def kubelet_flag(seen: Observation, name: str) -> str | None:
    """The value the kubelet has of a flag; kubeadm's replaces the service's own."""
    kubelet = seen.service("kubelet")
    if kubelet is None:
        return None
    if reads_flags_file(kubelet):
        try:
            flags = parse_flags_file(seen.text("\\kubeadm-flags.env")[1])
        except TransomError:
            flags = ()
        for flag in reversed(flags):
            if flag_name(flag) == name:
                return flag.partition("=")[2]
    return kubelet.option(name)
