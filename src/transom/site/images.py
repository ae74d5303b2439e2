"""Images of machines: what one is built of from a pinned fleet, and which ones others publish."""

import hashlib
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from transom.bootstrap.compile import Fetched
from transom.documents.images import PublishedImage
from transom.errors import TemporaryError, UsageError
from transom.facts import rows
from transom.facts.imaging import Installer
from transom.facts.platforms import Platform
from transom.facts.rows import At
from transom.facts.windows import Release
from transom.fleet.on_host.program import own_program
from transom.fleet.on_host.windows_update import COMMAND
from transom.image.packer.plan import ImagePlan, must_agree
from transom.model.image import OWNER, without_identity
from transom.model.journal import Owner
from transom.model.records import dataclass
from transom.model.request import Request, Verb
from transom.site.locks import LockedFleets
from transom.site.pinned_host import python_of, recipe_of

PRESENT = "present"
_SUM = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_AZ = "az "


@dataclass(frozen=True, kw_only=True)
class ImageWish:
    """The image that is wanted: the platform, the Windows, whose recipe, and how it gets cloudbase-init.

    `cloudbase_init` is the installer's SHA-256, a file to take it from, or `present` where the base image has it.
    """

    platform: str
    windows: str
    cloudbase_init: str
    cloudbase_init_url: str = ""
    pool: str | None = None
    host: str | None = None
    python: str | None = None
    installs_updates: bool = False


def image_plan(locked: LockedFleets, wish: ImageWish) -> ImagePlan:
    """Plan an image of a prepared node, with every byte of it pinned and nothing of one machine in it."""
    fleet, recipe = recipe_of(locked, wish.host or _host(locked, wish))
    python = python_of(locked, fleet, wish.python)
    plan = ImagePlan(
        platform=rows.one(Platform, wish.platform, At()),
        windows=wish.windows,
        request=Request(
            verb=Verb.PREPARE,
            recipe=without_identity(recipe),
            owner=Owner(cluster="", fleet=fleet.name, who=OWNER),
        ),
        python=Fetched(sha256=python.sha256, url=python.url),
        program=own_program(),
        cloudbase_init=_cloudbase_init(wish),
        updates=COMMAND if wish.installs_updates else (),
    )
    must_agree(plan)
    return plan


def _host(locked: LockedFleets, wish: ImageWish) -> str:
    """Give a host whose recipe is the image's: of the pool, or the first with that Windows."""
    asked = next((row for row in rows.read(Release) if row.is_called(wish.windows)), None)
    for fleet in locked.fleets:
        for host in fleet.hosts:
            found = asked is not None and asked.is_called(host.windows.release)
            if found and wish.pool in (None, host.pool):
                return host.name
    whose = f"pool {wish.pool}" if wish.pool else "the fleet"
    raise UsageError(
        f"no host of {whose} has Windows Server {wish.windows}",
        subject=locked.file,
        hint="an image is made of one host's recipe; `windows.release` says which Windows it has",
    )


def _cloudbase_init(wish: ImageWish) -> Fetched | None:
    wanted = wish.cloudbase_init
    if wanted == PRESENT:
        return None
    row = rows.one(Installer, "cloudbase-init-installer", At())
    url = wish.cloudbase_init_url or row.url.replace("{version}", row.version).replace(
        "{underscored}", row.version.replace(".", "_")
    )
    if given := _SUM.fullmatch(wanted.lower()):
        return Fetched(sha256=given[1], url=url)
    if not Path(wanted).is_file():
        raise UsageError(
            f"{wanted!r} is neither a SHA-256 nor a file nor {PRESENT}",
            subject="--cloudbase-init",
            hint=f"fetch {url} once and name the file: its sum is then part of the template",
        )
    return Fetched(sha256=hashlib.sha256(_read(Path(wanted))).hexdigest(), url=url)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", subject=str(path)) from error


async def with_published(
    images: Sequence[PublishedImage], program: str | None
) -> tuple[PublishedImage, ...]:
    """Give the images with what Azure's own command says of them, where it is installed."""
    if program is None:
        return tuple(images)
    return tuple([await _asked(program, image) for image in images])


async def _asked(program: str, image: PublishedImage) -> PublishedImage:
    from transom.remote.az import published_versions

    if not image.query.startswith(_AZ):
        return image
    arguments = shlex.split(image.query.replace("-o table", "-o json"))[1:]
    try:
        return replace(image, published=await published_versions(program, arguments))
    except TemporaryError as error:
        return replace(image, problem=error.message)
