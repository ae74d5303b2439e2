"""With what a program goes to the API server: its pod's service account, or the node's own credential.

The server's address and authority are those of the kubelet's kubeconfig, because a service address
cannot be reached before kube-proxy runs. What is written holds no secret, only the path of one.
"""

import base64
import json
import ntpath

from transom.errors import TransomError
from transom.node.host.protocols import Machine
from transom.node.kubernetes.kubeconfig import read_access
from transom.node.supervise.waiting import NotYet

_SANDBOX = "CONTAINER_SANDBOX_MOUNT_POINT"
_TOKEN = r"var\run\secrets\kubernetes.io\serviceaccount\token"  # noqa: S105 - its path
_DRIVE = "C:\\"


def kubeconfig_for(machine: Machine, *, own: str, node: str) -> str:
    """The path of the kubeconfig to use: `own`, written for the pod this runs in, or the node's.

    The node's credential never stands in for a pod's: it may not list what kube-proxy needs.
    """
    sandbox = machine.processes.variable(_SANDBOX)
    if not sandbox:
        return node
    token = _token(machine, sandbox)
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


def _token(machine: Machine, sandbox: str) -> str:
    """The path of the pod's token, once it can be read.

    hcsshim shows volumes below the sandbox's mount point, which from containerd 1.7 on is best effort, and
    then at their own path too (hcsshim internal/jobcontainers/mounts.go). The kubelet makes the file a link,
    which leads nowhere for a moment while it is replaced (kubernetes pkg/volume/util/atomic_writer.go).
    """
    found = []
    for place in (sandbox, _DRIVE):
        path = ntpath.join(place, _TOKEN)
        try:
            if machine.files.read(path).strip():
                return path
            found.append(f"{path} is empty")
        except TransomError as error:
            found.append(error.message)
    raise NotYet(f"this pod has no service account token that can be read: {'; '.join(found)}")
