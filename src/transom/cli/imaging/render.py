"""`transom image render`: a packer template and all it needs, from a fleet and its lock."""

import hashlib
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import fleet_file, locked_host
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.bootstrap.compile import Fetched
    from transom.image.packer.plan import ImagePlan

SUMMARY = "a packer template that builds an image of a prepared node"

_EXAMPLES = """\
examples:
  transom image render --platform qemu --windows 2022 -f fleet.yaml --cloudbase-init CloudbaseInitSetup.msi -o image
  transom image render --platform azure --windows 2025 --pool web --cloudbase-init SHA256 -o image
  transom image render --platform openstack --windows 2022 --cloudbase-init present -o image
  transom image render --platform vsphere --windows 2022 --format image-builder --cloudbase-init present -o vars

Every address and every sum of the lock is a variable of the template. The image has no name, key or token in it.
exit codes: 0 written, 2 usage, 3 the fleet cannot work or nothing is known of that Windows there
"""
_SUM = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_PRESENT = "present"


def configure(parser: ArgumentParser) -> None:
    """Add the platform, the fleet and what goes into the image."""
    from transom.facts.platforms import Platform
    from transom.facts.rows import read

    parser.epilog = _EXAMPLES
    parser.add_argument("--platform", choices=[row.id for row in read(Platform)], required=True)
    parser.add_argument("--windows", metavar="RELEASE", required=True, help="such as 2022")
    fleet_file.add_argument(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--pool", help="whose recipe it is (default: of the first host of that release)"
    )
    which.add_argument("--host", help="the same, by a host's name")
    parser.add_argument("--lock", metavar="FILE", help="(default: transom.lock beside the fleet)")
    parser.add_argument("--python", metavar="FILE", help="take the sum of Python from this package")
    parser.add_argument(
        "--cloudbase-init",
        metavar="WHAT",
        required=True,
        help="the installer's SHA-256, or the installer to take it from, or `present`: the base image has it",
    )
    parser.add_argument(
        "--cloudbase-init-url", metavar="URL", help="where the installer is (default: its release)"
    )
    parser.add_argument(
        "--updates",
        choices=["notify", "install"],
        default="notify",
        help="install every update on offer, or let Windows only tell of them (default: %(default)s)",
    )
    parser.add_argument(
        "--format",
        choices=["packer", "image-builder"],
        default="packer",
        help="(default: %(default)s)",
    )
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="where to")


def run(args: Namespace) -> int:
    """Write the folder."""
    from transom.image.packer import image_builder
    from transom.image.packer.render import render

    plan = _plan(args)
    folder = Path(args.output)
    if args.format == "image-builder":
        _write(folder, {image_builder.FILE: image_builder.variables(plan)})
        print(
            f"{folder / image_builder.FILE}: PACKER_VAR_FILES={folder / image_builder.FILE} make build-..."
        )
        return 0
    files = render(plan)
    _write(folder, files)
    target = plan.request.recipe.target
    print(
        f"{folder}: {len(files)} files for Windows Server {plan.windows} with Kubernetes"
        f" {target.kubernetes} on {plan.platform.title}"
    )
    print(f"next: transom image validate {folder}; {folder / 'README.md'} has the rest")
    return 0


def _plan(args: Namespace) -> "ImagePlan":
    from transom.bootstrap.compile import Fetched
    from transom.facts.platforms import Platform
    from transom.facts.rows import read
    from transom.fleet.program import own_program
    from transom.image.packer.plan import ImagePlan, must_agree
    from transom.model.image import OWNER, without_identity
    from transom.model.journal import Owner
    from transom.model.request import Request, Verb

    args.host = args.host or _host(args)
    fleet, recipe = locked_host.recipe_of(args)
    python = locked_host.python_of(args, fleet)
    plan = ImagePlan(
        platform=next(row for row in read(Platform) if row.id == args.platform),
        windows=args.windows,
        request=Request(
            verb=Verb.PREPARE,
            recipe=without_identity(recipe),
            owner=Owner(cluster="", fleet=fleet.name, who=OWNER),
        ),
        python=Fetched(sha256=python.sha256, url=python.url),
        program=own_program(),
        cloudbase_init=_cloudbase_init(args),
        updates=_updates(args),
    )
    must_agree(plan)
    return plan


def _updates(args: Namespace) -> tuple[str, ...]:
    if args.updates == "notify":
        return ()
    from transom.fleet.windows_update import COMMAND

    return COMMAND


def _host(args: Namespace) -> str:
    """A host whose recipe is the image's: of the pool, or the first with that Windows."""
    for fleet in fleet_file.read(args.filename):
        for host in fleet.hosts:
            if host.windows.release == args.windows and args.pool in (None, host.pool):
                return host.name
    whose = f"pool {args.pool}" if args.pool else "the fleet"
    raise UsageError(
        f"no host of {whose} has Windows Server {args.windows}",
        subject=args.filename,
        hint="an image is made of one host's recipe; `windows.release` says which Windows it has",
    )


def _cloudbase_init(args: Namespace) -> "Fetched | None":
    from transom.bootstrap.compile import Fetched
    from transom.facts import rows
    from transom.facts.imaging import Installer
    from transom.facts.rows import At

    if args.cloudbase_init == _PRESENT:
        return None
    row = rows.one(Installer, "cloudbase-init-installer", At())
    url = args.cloudbase_init_url or row.url.replace("{version}", row.version).replace(
        "{underscored}", row.version.replace(".", "_")
    )
    if given := _SUM.fullmatch(args.cloudbase_init.lower()):
        return Fetched(sha256=given[1], url=url)
    if not Path(args.cloudbase_init).is_file():
        raise UsageError(
            f"{args.cloudbase_init!r} is neither a SHA-256 nor a file nor {_PRESENT}",
            subject="--cloudbase-init",
            hint=f"fetch {url} once and name the file: its sum is then part of the template",
        )
    content = fleet_file.read_bytes(args.cloudbase_init)
    return Fetched(sha256=hashlib.sha256(content).hexdigest(), url=url)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_file() or path.read_bytes() != content:
                path.write_bytes(content)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}", subject=str(path)) from error
