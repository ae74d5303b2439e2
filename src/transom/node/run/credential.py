"""With what a program goes to the API server: its pod's service account, or the node's own credential.

The server's address and authority are those of the kubelet's kubeconfig, because a service address
cannot be reached before kube-proxy runs. What is written holds no secret, only the path of one.
"""

import base64
import json
import ntpath

from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.kubeconfig import read_access

_SANDBOX = "CONTAINER_SANDBOX_MOUNT_POINT"
_TOKEN = r"var\run\secrets\kubernetes.io\serviceaccount\token"  # noqa: S105 - its path


def kubeconfig_for(machine: Machine, *, own: str, node: str) -> str:
    """The path of the kubeconfig to use: `own`, written for the pod this runs in, or the node's."""
    sandbox = machine.processes.variable(_SANDBOX)
    token = ntpath.join(sandbox, _TOKEN) if sandbox else ""
    if not token or machine.files.kind(token) is not PathKind.FILE:
        return node
    access = read_access(machine.files.read(node).decode())
    authority = base64.b64encode(access.authority.encode()).decode()
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "cluster",
                "cluster": {"server": access.server, "certificate-authority-data": authority},
            }
        ],
        "users": [{"name": "pod", "user": {"tokenFile": token}}],
        "contexts": [{"name": "pod", "context": {"cluster": "cluster", "user": "pod"}}],
        "current-context": "pod",
    }
    machine.files.make_directory(ntpath.dirname(own))
    machine.files.write(own, json.dumps(document, indent=1).encode())
    return own
