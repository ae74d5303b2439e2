r"""Mount paths of one container that Windows does not tell apart.

What it flags: two mounts of a container whose paths are the same but for case, slashes and the drive C:.
Why it fails: the API server compares them exactly and takes both; Windows has one directory for them, and
the container does not start or one mount hides the other.
Example: `C:\Data` beside `/data`.
Instead: give each mount a path of its own.
Sources: learn.microsoft.com, Naming files, paths and namespaces.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.field_values import windows_path
from transom.workload.pods import PodView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN146", "mount-paths-differ-by-case")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per mount at the place of an earlier one."""
    for container in pod.containers:
        seen: dict[str, str] = {}
        for index, mount in enumerate(sequence(container.value.get("volumeMounts"))):
            path = mapping(mount).get("mountPath")
            if not isinstance(path, str):
                continue
            earlier = seen.setdefault(windows_path(path), path)
            if earlier != path:
                place = (*container.path, "volumeMounts", index, "mountPath")
                yield Hit(place, f"{path} and {earlier}")
