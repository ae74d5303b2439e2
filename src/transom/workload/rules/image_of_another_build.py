"""An image of a build that the nodes do not run.

What it flags: an image whose tag names a Windows release that a node the pod can go to does not run
with process isolation: nodes of the build that a selector, an affinity, a RuntimeClass or a label of
AKS or GKE pins, of the releases given with `--windows`, or of none that this Kubernetes supports.
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
from transom.workload.platform import pinned_builds
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN200", "image-of-another-build")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per image that some of the nodes do not run."""
    if pod.is_host_process:
        return
    pinned = pinned_builds(pod, ctx)
    if pod.spec.get("runtimeClassName") and not pinned:
        return  # a class may ask for Hyper-V isolation, or pin a build that is not known here
    for container in pod.containers:
        release = read_image(container.image).release if container.image else None
        if release is None:
            continue
        text = _refusal(release.build, pinned, ctx)
        if text:
            yield Hit(
                (*container.path, "image"), f"{container.image} is of build {release.build}, {text}"
            )


def _refusal(build: int, pinned: tuple[int, ...], ctx: LintContext) -> str:
    """Why nodes do not run a build; empty where they do, or where they are not known."""
    known = pinned or ctx.builds
    refused = [node for node in known if not runs_on(build, node, ctx.containerd)]
    if refused:
        return f"nodes of {refused[0]}"
    supported = ctx.supported_builds()
    if known or not supported or any(runs_on(build, node, ctx.containerd) for node in supported):
        return ""
    return (
        f"and Kubernetes {ctx.kubernetes.minor_text} has nodes of {', '.join(map(str, supported))}"
    )
