"""What `transom image list` and `transom image validate` print with `-o json`."""

from transom.errors import UsageError
from transom.facts.capi import PublishedImage as Row
from transom.facts.rows import At, rows
from transom.model.api_versions import written
from transom.model.problem import Mistake
from transom.model.records import dataclass
from transom.model.version import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedImage:
    """An image, who publishes it, and the command that lists what is there now.

    `published` are the versions that command listed, and `problem` why it listed none; both are
    empty where nobody was asked.
    """

    id: str
    platform: str
    windows: str
    reference: str
    publisher: str
    query: str
    text: str
    source: str
    published: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedImages:
    """Published images that the facts know."""

    api_version: str = written("PublishedImages")
    kind: str = "PublishedImages"
    items: tuple[PublishedImage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageValidation:
    """What is wrong with a rendered folder, and what could not be judged here."""

    api_version: str = written("ImageValidation")
    kind: str = "ImageValidation"
    folder: str
    files: int
    mistakes: tuple[Mistake, ...]
    skipped: tuple[str, ...]


def images_of(platform: str, kubernetes: str) -> tuple[PublishedImage, ...]:
    """Those of a platform and for a version, where these are given."""
    try:
        version = Version.parse(kubernetes) if kubernetes else None
    except ValueError as error:
        raise UsageError(f"{kubernetes!r} is no version", subject="--kubernetes") from error
    return tuple(
        PublishedImage(
            id=row.id,
            platform=row.platform,
            windows=row.windows,
            reference=row.image.replace("{kubernetes}", kubernetes.removeprefix("v"))
            if kubernetes
            else row.image,
            publisher=row.publisher,
            query=row.query,
            text=row.text,
            source=row.source,
        )
        for row in rows(Row, At(kubernetes=version))
        if platform in ("", row.platform)
    )
