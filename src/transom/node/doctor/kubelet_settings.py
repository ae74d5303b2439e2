"""The kubelet's configuration as far as a diagnosis needs it: values at the top level of its YAML.

kubeadm writes plain block style; no YAML reader ships to hosts, and none is needed for that.
"""

from transom.node.doctor.observation import Observation


def setting(observation: Observation, key: str) -> str:
    """A top-level value, that of the instance's own file first; empty where it is not set."""
    for name in ("instance-config.yaml", "config.yaml"):
        _, text = observation.text("\\" + name)
        for line in text.splitlines():
            found, colon, value = line.partition(":")
            if colon and found == key:
                return value.strip().strip("\"'")
    return ""


def mapping(observation: Observation, key: str) -> dict[str, str]:
    """A top-level mapping of plain values, that of the instance's own file over the other."""
    found: dict[str, str] = {}
    for name in ("config.yaml", "instance-config.yaml"):
        _, text = observation.text("\\" + name)
        is_inside = False
        for line in text.splitlines():
            if line[:1] not in (" ", "\t"):
                is_inside = line.partition(":")[0] == key
            elif is_inside:
                member, _, value = line.strip().partition(":")
                found[member.strip("\"'")] = value.strip().strip("\"'")
    return found


def kubeconfig_value(observation: Observation, key: str) -> str:
    """The first value of that key in the kubelet's kubeconfig, however deep."""
    _, text = observation.text("\\kubelet.conf")
    for line in text.splitlines():
        found, colon, value = line.strip().removeprefix("- ").partition(":")
        if colon and found == key:
            return value.strip().strip("\"'")
    return ""
