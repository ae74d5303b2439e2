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


def kubeconfig_value(observation: Observation, key: str) -> str:
    """The first value of that key in the kubelet's kubeconfig, however deep."""
    _, text = observation.text("\\kubelet.conf")
    for line in text.splitlines():
        found, colon, value = line.strip().removeprefix("- ").partition(":")
        if colon and found == key:
            return value.strip().strip("\"'")
    return ""
