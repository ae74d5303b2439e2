r"""A named pipe mounted where a directory is expected, or the reverse.

What it flags: a hostPath volume that is a named pipe and is mounted at a path that is none, or a
directory that is mounted at the name of a pipe.
Why it fails: the runtime maps pipes to pipes and directories to directories.
Example: hostPath `\\.\pipe\docker_engine` mounted at `/var/run/docker.sock`.
Instead: use the name of a pipe for both.
Sources: containerd, spec_windows_opts.go; kubernetes/website, Windows storage.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.field_values import is_pipe
from transom.workload.pods import PodView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN147", "pipe-and-directory")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per mount whose two ends are not alike."""
    volumes = [mapping(item) for item in sequence(pod.spec.get("volumes"))]
    sources = {item.get("name"): mapping(item.get("hostPath")).get("path") for item in volumes}
    for container in pod.containers:
        for index, mount in enumerate(map(mapping, sequence(container.value.get("volumeMounts")))):
            source, path = sources.get(mount.get("name")), mount.get("mountPath")
            if not isinstance(source, str) or not isinstance(path, str) or pod.is_host_process:
                continue
            if is_pipe(source) != is_pipe(path):
                place = (*container.path, "volumeMounts", index, "mountPath")
                yield Hit(place, f"{source} at {path}")
