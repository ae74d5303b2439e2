"""The API model of acs-engine, Azure's engine for clusters before Cluster API; retired, for those who still run it."""

import json

from transom.errors import UnsupportedError
from transom.facts.capi import AcsEngine
from transom.facts.rows import At, one
from transom.model.version import Version


def api_model(kubernetes: Version | None, *, pool: str, user: str) -> str:
    """The model as JSON, with `${VAR}` where only its owner knows; passwords are nowhere."""
    row = one(AcsEngine, "acs-engine", At())
    version = kubernetes or Version.parse(row.kubernetes_default)
    oldest, newest = Version.parse(row.oldest), Version.parse(row.newest)
    if not oldest <= Version(version.major, version.minor) <= newest:
        raise UnsupportedError(
            f"acs-engine makes clusters of Kubernetes {row.oldest} to {row.newest}",
            subject=f"Kubernetes {version}",
            hint="it is retired: use --provider azure for anything newer",
        )
    model = {
        "apiVersion": row.api,
        "properties": {
            "orchestratorProfile": {
                "orchestratorType": "Kubernetes",
                "orchestratorVersion": str(version),
                "kubernetesConfig": {
                    "networkPolicy": "none",
                    "enableAggregatedAPIs": True,
                    "enableRbac": True,
                },
            },
            "masterProfile": {
                "count": 3,
                "dnsPrefix": "${DNS_PREFIX}",
                "vmSize": "${AZURE_CONTROL_PLANE_MACHINE_TYPE:=Standard_D2_v3}",
            },
            "agentPoolProfiles": [
                {
                    "name": pool,
                    "count": 3,
                    "vmSize": "${AZURE_NODE_MACHINE_TYPE:=Standard_D2_v3}",
                    "availabilityProfile": "AvailabilitySet",
                    "osType": "Windows",
                }
            ],
            "windowsProfile": {
                "adminUsername": user,
                "adminPassword": "${WINDOWS_ADMIN_PASSWORD}",
            },
            "linuxProfile": {
                "adminUsername": "azure",
                "ssh": {"publicKeys": [{"keyData": "${SSH_PUBLIC_KEY}"}]},
            },
            "servicePrincipalProfile": {
                "clientId": "${AZURE_CLIENT_ID}",
                "secret": "${AZURE_CLIENT_SECRET}",
            },
        },
    }
    return json.dumps(model, indent=2) + "\n"
