"""An image is for another Windows build than this host."""

import re
from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_SAID = re.compile(
    r"(?:container operating system|operating system of the container) does not match|0xc0370101"
    r"|no match for platform in manifest|image is incompatible with a \S+ host"
)
_IMAGE = re.compile(r'[Ii]mage(?:=|\s)\\?"?(?P<image>[\w.\-:/]+/[\w.\-:/@]+)')
_SERVICES = ("kubelet", "containerd")


def _examine(seen: Observation) -> Iterator[Trouble]:
    for service in _SERVICES:
        log = seen.log(service)
        lines = [line for line in log.lines if _SAID.search(line)] if log is not None else []
        if log is not None and lines:
            image = _IMAGE.search(lines[-1])
            yield Trouble(
                subject=image["image"] if image else "image",
                message=f"{image['image'] if image else 'an image'} is not for Windows build "
                f"{seen.build}",
                evidence=(lines[-1].strip(),),
                file=log.path,
            )
            return


DIAGNOSIS = Diagnosis(
    id="image-build-differs",
    title="Image of another Windows build",
    symptom="A pod stays in ContainerCreating or fails with `the container operating system does "
    "not match the host operating system`.",
    cause="A process-isolated Windows container needs an image of the host's own build; the image "
    "has another, or none for Windows.",
    remedy=Remedy(
        "Use an image with a variant for this build, or place the pod on nodes of its build "
        "(`transom lint` says which).",
        "Only the pod that is changed.",
    ),
    looks_at=("logs", "build"),
    seen=Seen.SIMULATED,
    examine=_examine,
)
