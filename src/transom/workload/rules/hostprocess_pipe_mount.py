r"""A named pipe or socket mounted into a HostProcess pod.

What it flags: a hostPath volume of a HostProcess pod that is a named pipe or a unix socket.
Why it fails: HostProcess containers see the host's file system already; mounts of pipes and
sockets are not supported for them.
Example: hostPath `\\.\pipe\containerd-containerd` in a HostProcess pod.
Instead: open the pipe by its own name.
Sources: kubernetes/website, Create a Windows HostProcess Pod, volume mounts.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN061", "hostprocess-pipe-mount")

_PIPES = ("\\\\.\\pipe\\", "//./pipe/")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per volume that is a pipe or a socket."""
    for index, volume in enumerate(sequence(pod.spec.get("volumes"))):
        host_path = mapping(mapping(volume).get("hostPath"))
        path = host_path.get("path")
        if not isinstance(path, str):
            continue
        is_socket = host_path.get("type") == "Socket" or path.endswith(".sock")
        if path.lower().startswith(_PIPES) or is_socket:
            yield Hit(pod.spec_path("volumes", index, "hostPath", "path"), path)
