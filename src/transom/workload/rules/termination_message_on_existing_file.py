r"""A terminationMessagePath that exists in the image or a volume.

What it flags: a path below the Windows directory, or below a mount of the same container.
Why it fails: the runtime maps a file onto the path, which fails or hides what is there.
Example: `terminationMessagePath: C:\Windows\win.ini`.
Instead: leave the default.
Sources: kubernetes/website, Windows containers in Kubernetes, pod API differences.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.field_values import windows_path
from transom.workload.pods import ContainerView, PodView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN087", "termination-message-on-existing-file")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per container whose path is taken."""
    for container in pod.containers:
        path = container.value.get("terminationMessagePath")
        if isinstance(path, str) and _is_taken(windows_path(path), container):
            yield Hit((*container.path, "terminationMessagePath"), path)


def _is_taken(path: str, container: ContainerView) -> bool:
    mounts = (
        mapping(item).get("mountPath") for item in sequence(container.value.get("volumeMounts"))
    )
    folders = ["c:\\windows", *(windows_path(item) for item in mounts if isinstance(item, str))]
    return any(path == folder or path.startswith(f"{folder}\\") for folder in folders)
