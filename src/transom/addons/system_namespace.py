"""The namespace of the add-ons, where Pod Security lets HostProcess containers run."""

from transom.addons.manifest import NAMESPACE, metadata
from transom.addons.setting import Setting
from transom.model.manifest import Manifest


def system_namespace(setting: Setting) -> Manifest:
    """The namespace; its labels mean nothing to a server without Pod Security."""
    head = metadata(setting, NAMESPACE)
    for mode in ("enforce", "audit", "warn"):
        head["labels"][f"pod-security.kubernetes.io/{mode}"] = "privileged"
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": head}
