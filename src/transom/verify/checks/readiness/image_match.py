"""The node runs the variant of an image that is made for its Windows build."""

import re

from transom.model.manifest import Manifest
from transom.verify.check import Certain, Check, NotProven, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, shown
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, shell
from transom.workload.image import runs_on

_QUERY = r'reg query "HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion" /v CurrentBuild'
_BUILD = re.compile(r"CurrentBuild\s+REG_SZ\s+([0-9]{4,6})")


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod of an image that has several builds."""
    return (shell(case),)


async def prove(attempt: Attempt) -> None:
    """Compare the build in the container's own registry with the node's."""
    text = await attempt.line(SHELL, _QUERY)
    found = _BUILD.search(text)
    if found is None:
        raise NotProven(f"the container does not say its build: {shown(text)!r}")
    build, node = int(found[1]), attempt.case.node
    attempt.evidence["builds"] = f"image {build}, node {node.build}, {node.runtime}"
    if not runs_on(build, node.build, node.containerd):
        raise Certain(
            f"the runtime chose the image of build {build} for a node of build {node.build}: "
            "process isolation does not hold for that pair"
        )


CHECK = Check(
    name="image-match",
    suite=Suite.READINESS,
    what="Of an image with several Windows builds the node runs one that fits its own build.",
    why="An image of another build starts on some hosts and fails in ways that look like the program's.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    lab="no isolated container runs there, and so no image's own registry",
)
