"""The lock as variables of image-builder, for those who stay with it: addresses, and the one sum it takes."""

import json
from typing import Any

from transom.image.packer.plan import ImagePlan
from transom.model.version import Version

FILE = "image-builder.json"
_BASE = ("kubeadm", "kubelet", "kubectl", "kube-log-runner")


def variables(plan: ImagePlan) -> bytes:
    """What `PACKER_VAR_FILES` is to name."""
    recipe = plan.request.recipe
    artifacts = {item.id: item for item in recipe.artifacts}
    version = Version.parse(recipe.target.kubernetes)
    found: dict[str, Any] = {
        "kubernetes_semver": f"v{version}",
        "kubernetes_series": f"v{version.major}.{version.minor}",
    }
    bases = {artifacts[name].url.rpartition("/")[0] for name in _BASE if name in artifacts}
    if len(bases) == 1:
        found["kubernetes_base_url"] = bases.pop()
    if containerd := artifacts.get("containerd"):
        found["containerd_version"] = containerd.version
        found["containerd_url"] = containerd.url
        found["containerd_sha256_windows"] = containerd.sha256
    pause = next((item for item in recipe.images if item.purpose == "pause"), None)
    if pause is not None:
        found["pause_image"] = pause.reference
    if plan.cloudbase_init is not None:
        found["cloudbase_init_url"] = plan.cloudbase_init.url
    return (json.dumps(found, indent=2) + "\n").encode()
