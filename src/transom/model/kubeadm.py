"""What differs between the versions of kubeadm's JoinConfiguration, for the two who write one.

The node program writes it on the host, boot data carries it there.
"""

from typing import Any

from transom.model.recipe import JoinPlan
from transom.model.request import JoinSecrets

_OLDER = ("v1beta1", "v1beta2", "v1beta3")


def is_older(plan: JoinPlan) -> bool:
    """Whether it has the form from before v1beta4."""
    return plan.api_version.endswith(_OLDER)


def discovery(plan: JoinPlan, secrets: JoinSecrets) -> dict[str, Any]:
    """How kubeadm finds the cluster, and how long it looks, where its version has each."""
    found: dict[str, Any] = {
        "bootstrapToken": {
            "apiServerEndpoint": secrets.endpoint,
            "token": secrets.token,
            "caCertHashes": list(secrets.ca_hashes),
        }
    }
    if is_older(plan):
        return {"discovery": {**found, "timeout": secrets.discovery}}
    return {"discovery": found, "timeouts": {"discovery": secrets.discovery}}
