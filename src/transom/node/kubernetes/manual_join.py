"""A join without kubeadm: the files it would have written, from a kubeconfig somebody made.

The credential gets a file of its own that only administrators can read, under the name that the
kubelet gives to a pair of its own, and a link to it: so it rotates it in time.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from transom.model.records import dataclass
from transom.model.sddl import ADMINISTRATORS_ONLY
from transom.node.host.protocols import Host, UndoHost
from transom.node.host.values import PathKind
from transom.node.kubernetes.kubeconfig import read_access, with_client_file
from transom.node.kubernetes.kubelet_flags import flags_file

_CURRENT = "current"


@dataclass(frozen=True, slots=True)
class ManualJoin:
    """Where each file goes, and what the kubelet is told in them."""

    kubeconfig: str
    client: str
    ca_certificate: str
    configuration: str
    flags_file: str
    settings: Mapping[str, Any]
    arguments: Sequence[str]

    def write(self, host: Host, kubeconfig: str) -> None:
        """Write everything; a power cut in between leaves a join that is not complete."""
        access = read_access(kubeconfig)
        host.files.write(self.ca_certificate, access.authority.encode())
        client = access.client or self.client
        if access.pem:
            pair = self.client.replace(_CURRENT, _stamp(host.system.now()))
            content = access.pem.encode()
            host.files.write(pair, content, acl=ADMINISTRATORS_ONLY, secret=True)
            # With a file of that name the kubelet never rotates: client-go certificate_store.go.
            host.files.link(self.client, pair)
        settings = (json.dumps(self.settings, indent=1) + "\n").encode()
        host.files.write(self.configuration, settings, acl=ADMINISTRATORS_ONLY)
        host.files.write(self.flags_file, flags_file(self.arguments).encode())
        text = with_client_file(kubeconfig, client)
        host.files.write(self.kubeconfig, text.encode(), acl=ADMINISTRATORS_ONLY, secret=True)


def _stamp(now: float) -> str:
    """The time in the name of a pair, as client-go writes it."""
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d-%H-%M-%S")


def empty(host: UndoHost, directory: str) -> None:
    """Take away what the kubelet left in its directory, as `kubeadm reset` does."""
    if host.files.kind(directory) is not PathKind.DIRECTORY:
        return
    for name in host.files.entries(directory):
        path = f"{directory}\\{name}"
        if host.files.kind(path) is PathKind.DIRECTORY:
            host.files.remove_tree(path)
        else:
            host.files.remove(path)
