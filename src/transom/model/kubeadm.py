"""kubeadm's JoinConfiguration, and what differs between its versions.

The node program writes a whole one on the host; boot data carries one there without what only the host knows.
"""

from collections.abc import Mapping
from typing import Any

from transom.model.recipe import JoinPlan
from transom.model.request import JoinSecrets

_OLDER = ("v1beta1", "v1beta2", "v1beta3")


def is_older(plan: JoinPlan) -> bool:
    """Whether it has the form from before v1beta4."""
    return plan.api_version.endswith(_OLDER)


def join_configuration(
    plan: JoinPlan, secrets: JoinSecrets, registration: Mapping[str, Any]
) -> dict[str, Any]:
    """The document: where and with what to join, and as whom."""
    return {
        "apiVersion": plan.api_version,
        "kind": "JoinConfiguration",
        **_discovery(plan, secrets),
        "nodeRegistration": dict(registration),
    }


def _discovery(plan: JoinPlan, secrets: JoinSecrets) -> dict[str, Any]:
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
