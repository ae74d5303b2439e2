"""How the server is recognised, and our certificate shown: one TLS context for a cluster.

A private key lies in a file only while OpenSSL reads it, in a folder that is closed to other users.
"""

import ssl
import tempfile
from pathlib import Path

from transom.kube.kubeconfig import Cluster, User


def context_of(cluster: Cluster, user: User) -> ssl.SSLContext:
    """The context for connections to a cluster; raise OSError or ValueError where it cannot be made."""
    context = _trusting(cluster)
    # Python 3.13 asks for extensions that clusters' authorities often lack (EKS, old kubeadm), and
    # kubectl does not; chain and name stay checked.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if user.certificate:
        show(context, user.certificate, user.key)
    return context


def show(context: ssl.SSLContext, certificate: bytes | str, key: bytes | str) -> None:
    """Have connections from now on made with this certificate; OpenSSL reads it from files only."""
    with tempfile.TemporaryDirectory(prefix="transom-") as folder:  # closed to all others
        files = [
            _written(Path(folder, name), content) if isinstance(content, bytes) else content
            for name, content in (("certificate", certificate), ("key", key))
        ]
        # Without a password OpenSSL would ask for one on the terminal.
        context.load_cert_chain(files[0], files[1] or None, password="")


def _written(path: Path, content: bytes) -> str:
    path.touch(mode=0o600, exist_ok=False)
    path.write_bytes(content)
    return str(path)


def _trusting(cluster: Cluster) -> ssl.SSLContext:
    if isinstance(cluster.authority, bytes):
        return ssl.create_default_context(cadata=cluster.authority.decode("ascii"))
    if cluster.authority:
        return ssl.create_default_context(cafile=cluster.authority)
    import httpx2

    return httpx2.create_ssl_context(verify=not cluster.is_insecure)
