"""The node pulls an image from a registry."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, shell
from transom.verify.running.pods import container_statuses, is_ready, trouble

_PULLS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName")


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod whose image is asked for at its registry even where the node has it."""
    return (shell(case, container={"imagePullPolicy": "Always"}),)


async def prove(attempt: Attempt) -> None:
    """The pod runs, with the digest of what was pulled."""
    found = await attempt.found(SHELL)
    if not is_ready(found):
        raise Fault(f"the node cannot pull the image: {trouble(found)}")
    (status,) = container_statuses(found)
    attempt.evidence["image"] = f"{status.get('image')} {status.get('imageID')}"


CHECK = Check(
    name="image-pull",
    suite=Suite.READINESS,
    what="The node pulls an image: from its public registry, or through your mirror or --image-repository.",
    why="A proxy, an authority or a mirror that only Windows lacks shows first when an image is pulled.",
    needs=(needs.pods,),
    objects=objects,
    prove=prove,
    awaits_pods=False,
    patience_s=600,
)
