"""`transom image pause`: a Dockerfile for a pause image of one's own."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from transom.errors import UsageError

SUMMARY = "how to make a pause image for a build that no published one has"


def configure(parser: ArgumentParser) -> None:
    """Add the build and the image's name."""
    parser.add_argument("--windows", required=True, metavar="RELEASE", help="such as 2025")
    parser.add_argument(
        "--name", required=True, metavar="IMAGE", help="what it is to be called in your registry"
    )
    parser.add_argument(
        "--from",
        dest="published",
        default="",
        metavar="IMAGE",
        help="a published pause image, or its mirror (default: the newest known)",
    )
    parser.add_argument(
        "-o", "--output", dest="folder", metavar="DIR", help="write Dockerfile there"
    )


def run(args: Namespace) -> int:
    """Print the Dockerfile, or write it and print the command."""
    from transom.image.pause import own_pause

    made = own_pause(args.windows, name=args.name, published=args.published)
    if not args.folder:
        print(made.dockerfile, end="")
        return 0
    path = Path(args.folder) / "Dockerfile"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made.dockerfile, "utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", subject=str(path)) from error
    print(f"{path}: {made.published} on Windows Server {args.windows}")
    print(f"next: cd {args.folder} && {' '.join(made.command)}")
    print(f"then: runtime: {{containerd: {{pauseImage: {made.name}}}}} in the fleet")
    return 0
