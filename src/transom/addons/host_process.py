"""A DaemonSet that runs a host's own program by a HostProcess container.

The image is the one that fits every Windows build and holds nothing; what runs was put on the host
by the recipe, with a verified hash.
"""

from typing import Any

from transom.addons.command_line import command_line
from transom.addons.manifest import NAMESPACE, labels, metadata
from transom.addons.setting import Setting
from transom.errors import UnsupportedError
from transom.facts import rows
from transom.facts.addons import AddonImage
from transom.facts.gates import Gate, state
from transom.facts.rows import At
from transom.model.manifest import Manifest
from transom.model.recipe import PREPARED
from transom.model.version import Version

_SYSTEM = "NT AUTHORITY\\SYSTEM"


def daemon_set(setting: Setting, name: str, program: str) -> dict[str, Any]:
    """The DaemonSet of a program on every prepared Windows node."""
    image = rows.one(AddonImage, "image-hostprocess-base", setting.at)
    container = {
        "name": program,
        "image": image.image,
        "imagePullPolicy": "IfNotPresent",
        "command": command_line(setting, program),
        "resources": {
            "requests": {"cpu": "100m", "memory": "100Mi"},
            "limits": {"cpu": "1", "memory": "1Gi"},
        },
    }
    spec = {"serviceAccountName": name, **host_process_pod(setting), "containers": [container]}
    return daemon_set_of(setting, name, spec)


def host_process_pod(setting: Setting) -> dict[str, Any]:
    """What every pod has that acts on prepared Windows nodes themselves."""
    if setting.privileged != "hostprocess":
        raise UnsupportedError(
            f"the fleet runs privileged programs by {setting.privileged}, not by HostProcess pods",
            subject="privileged",
            hint="leave this add-on out, or use privilegedMode: HostProcess",
        )
    return {
        **pod_os(setting),
        "priorityClassName": "system-node-critical",
        "hostNetwork": True,
        "securityContext": {"windowsOptions": {"hostProcess": True, "runAsUserName": _SYSTEM}},
        "nodeSelector": {"kubernetes.io/os": "windows", **PREPARED},
        # A node that joins has taints of the cloud, of Cluster API and of its own; it loses some
        # of them only once its network works.
        "tolerations": [{"operator": "Exists"}],
        "terminationGracePeriodSeconds": 30,
    }


def daemon_set_of(
    setting: Setting, name: str, spec: dict[str, Any], *, namespace: str = NAMESPACE
) -> dict[str, Any]:
    """A DaemonSet of that pod, replaced node by node."""
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata(setting, name, namespace=namespace),
        "spec": {
            "selector": {"matchLabels": {"app.kubernetes.io/name": name}},
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
            "template": {"metadata": {"labels": labels(setting, name)}, "spec": spec},
        },
    }


def pod_os(setting: Setting) -> Manifest:
    """`os` of a pod, where the API server knows it."""
    gate = rows.one(Gate, "IdentifyPodOS", At())
    known = setting.kubernetes >= Version.parse(gate.removed) or state(gate, setting.kubernetes).on
    return {"os": {"name": "windows"}} if known else {}
