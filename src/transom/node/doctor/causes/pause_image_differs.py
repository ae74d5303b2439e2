"""The runtime is set to another pause image than the recipe, or one that does not fit."""

import re
from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_SANDBOX = re.compile(r"(?m)^\s*(?:sandbox|sandbox_image)\s*=\s*['\"](?P<image>[^'\"]+)['\"]")


def _examine(seen: Observation) -> Iterator[Trouble]:
    path, text = seen.text("\\containerd\\config.toml")
    found = _SANDBOX.search(text)
    images = [item for item in seen.recipe.images if item.purpose == "pause"] if seen.recipe else []
    for image in images:
        if image.builds and seen.build not in image.builds:
            yield Trouble(
                subject=image.reference,
                message=f"{image.reference} has no image for Windows build {seen.build}",
                evidence=(f"it has {', '.join(map(str, image.builds))}",),
            )
        elif found is not None and found["image"] != image.reference:
            yield Trouble(
                subject=found["image"],
                message=f"containerd uses the pause image {found['image']}, the recipe has "
                f"{image.reference}",
                evidence=(found[0].strip(),),
                file=path,
            )


DIAGNOSIS = Diagnosis(
    id="pause-image-differs",
    title="Pause image differs",
    symptom="Every pod stays in ContainerCreating: `failed to get sandbox image` or `no match for "
    "platform in manifest`.",
    cause="containerd is configured with another pause image, or the image has no variant for this "
    "Windows build.",
    remedy=Remedy(
        "Set the image of the recipe in containerd's config.toml and restart containerd; "
        "`transom join ADDRESS` does so.",
        "Running containers go on. No pod can start or end, and `kubectl exec` fails, for the "
        "seconds in which containerd restarts.",
    ),
    looks_at=("texts", "build", "recipe"),
    seen=Seen.STAND_IN,
    examine=_examine,
    hides=("image-build-differs",),
)
