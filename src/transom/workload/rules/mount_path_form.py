r"""A mountPath that Windows cannot mount at.

What it flags: a mountPath that is the root of drive C:, or has a colon that is not of its drive.
Why it fails: the runtime refuses to mount over C: itself, and no Windows path has a second colon.
Example: `mountPath: "C:\\"`.
Instead: name a folder such as C:\data, another drive, or a pipe.
Sources: kubernetes pkg/volume/util, MakeAbsolutePath; hcsshim, mounts.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.field_values import is_mountable
from transom.workload.pods import PodView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN126", "mount-path-form")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per mount that cannot be made."""
    for container in pod.containers:
        for index, mount in enumerate(sequence(container.value.get("volumeMounts"))):
            path = mapping(mount).get("mountPath")
            if isinstance(path, str) and not is_mountable(path):
                yield Hit((*container.path, "volumeMounts", index, "mountPath"), path)
