"""An image of a build that the nodes do not run.

What it flags: an image whose tag names a Windows release that no node of the cluster runs with
process isolation.
Why it fails: Windows containers share the kernel of their node; the runtime pulls or starts no
image of another build.
Example: an ltsc2019 image on nodes of Windows Server 2022.
Instead: use the tag of the node's build, or pin the build in the selector.
Sources: containerd/platforms, platform_windows_compat.go; learn.microsoft.com, version
compatibility.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.image import read_image, runs_on
from transom.workload.platform import pinned_build
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN200", "image-of-another-build")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per image that some of the nodes do not run."""
    if not ctx.builds or pod.is_host_process or pod.spec.get("runtimeClassName"):
        return
    pinned = pinned_build(pod)
    builds = (pinned,) if pinned else ctx.builds
    for container in pod.containers:
        release = read_image(container.image).release if container.image else None
        if release is None:
            continue
        refused = [build for build in builds if not runs_on(release.build, build, ctx.containerd)]
        if refused:
            text = f"{container.image} is of build {release.build}, nodes of {refused[0]}"
            yield Hit((*container.path, "image"), text)
