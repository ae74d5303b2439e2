"""`transom image render`: a packer template and all it needs, from a fleet and its lock."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.options import fleet_file, lock_file
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.site.images import ImageWish

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
    parser.add_argument(
        "-o", "--output", dest="folder", metavar="DIR", required=True, help="where to"
    )


def run(args: Namespace) -> int:
    """Write the folder."""
    from transom.image.packer import image_builder
    from transom.image.packer.render import render
    from transom.site.images import image_plan

    plan = image_plan(lock_file.read_locked(args.filename, args.lock), _wish(args))
    folder = Path(args.folder)
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


def _wish(args: Namespace) -> "ImageWish":
    from transom.site.images import ImageWish

    return ImageWish(
        platform=args.platform,
        windows=args.windows,
        cloudbase_init=args.cloudbase_init,
        cloudbase_init_url=args.cloudbase_init_url or "",
        pool=args.pool,
        host=args.host,
        python=args.python,
        installs_updates=args.updates == "install",
    )


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_file() or path.read_bytes() != content:
                path.write_bytes(content)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}", subject=str(path)) from error
