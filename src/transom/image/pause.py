"""A pause image for a Windows build that no published tag has: the Dockerfile, and how to make it. Pure."""

import re

from transom.errors import UnsupportedError, UsageError
from transom.facts import rows
from transom.facts.rows import At
from transom.facts.windows import PauseBuild, PauseImage, Release
from transom.model.records import dataclass

_IMAGE = re.compile(
    r"[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+(:[\w][\w.-]{0,127})?(@sha256:[0-9a-f]{64})?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPause:
    """What to build, and with what command."""

    dockerfile: str
    command: tuple[str, ...]
    published: str
    name: str


def own_pause(release: str, *, name: str, published: str = "") -> OwnPause:
    """How to make the pause image of a release under that name.

    `published` is an image whose program is taken; left out, the newest that the facts know.
    """
    for image in filter(None, (name, published)):
        if _IMAGE.fullmatch(image) is None:
            raise UsageError(
                f"{image!r} is no name of an image in a registry",
                hint="such as registry.corp/pause:3.10.2-ltsc2025",
            )
    row = next((row for row in rows.read(Release) if release in (row.id, *row.aliases)), None)
    if row is None:
        known = ", ".join(found.id for found in rows.read(Release))
        raise UsageError(f"there is no Windows Server {release}", hint=f"there are {known}")
    if not row.tags:
        raise UnsupportedError(
            f"{row.name} has no base image of its own",
            subject=row.id,
            hint="its hosts run images of another build; `transom explain image-match` says which",
        )
    parts = rows.one(PauseBuild, "pause-build", At())
    taken = published or rows.read(PauseImage)[-1].image
    dockerfile = f"""\
# escape=`
FROM --platform=windows/amd64 {taken} AS published
FROM --platform=windows/amd64 {parts.base}:{row.tags[0]}
COPY --from=published {parts.program} {parts.program}
USER {parts.user}
ENTRYPOINT ["{parts.program}"]
"""
    command = (
        *("docker", "buildx", "build", "--platform", "windows/amd64", "--provenance=false"),
        *("--output", f"type=registry,name={name}", "."),
    )
    return OwnPause(dockerfile=dockerfile, command=command, published=taken, name=name)
