"""The cluster that this program runs in, as a pod's service account reaches it.

The token is a file that the kubelet replaces; `login` reads it again.
"""

from collections.abc import Mapping
from pathlib import Path

from transom.kube.kubeconfig import Chosen, Cluster, User

CONTEXT = "in-cluster"
FOLDER = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def service_account(environ: Mapping[str, str], folder: Path = FOLDER) -> Chosen | None:
    """The cluster around this pod; None where this is no pod or has no service account."""
    host = environ.get("KUBERNETES_SERVICE_HOST", "")
    port = environ.get("KUBERNETES_SERVICE_PORT", "")
    token = folder / "token"
    if not host or not port or not token.is_file():
        return None
    shown = f"[{host}]" if ":" in host else host
    return Chosen(
        context=CONTEXT,
        cluster=Cluster(server=f"https://{shown}:{port}", authority=str(folder / "ca.crt")),
        user=User(token_file=str(token)),
    )
