"""`transom image`: images of machines and of containers that a fleet's nodes need."""

from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Callable, Mapping
from pathlib import Path

from transom.cli import image_list
from transom.cli.imaging import render, validate
from transom.errors import UsageError

SUMMARY = "Images that Windows nodes need."

_EXAMPLES = """\
examples:
  transom image pause --windows 2025 --name registry.corp/pause:3.10.2-ltsc2025 -o pause
  transom image list --platform azure --kubernetes 1.37.1
  transom image render --platform qemu --windows 2022 --cloudbase-init CloudbaseInitSetup.msi -o image
  transom image validate image
"""
_ACTIONS = {"render": render, "validate": validate}


def configure(parser: ArgumentParser) -> None:
    """Add the actions."""
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    summary = "how to make a pause image for a build that no published one has"
    pause = _action(actions, parser, "pause", summary)
    pause.add_argument("--windows", required=True, metavar="RELEASE", help="such as 2025")
    pause.add_argument(
        "--name", required=True, metavar="IMAGE", help="what it is to be called in your registry"
    )
    pause.add_argument(
        "--from",
        dest="published",
        default="",
        metavar="IMAGE",
        help="a published pause image, or its mirror (default: the newest known)",
    )
    pause.add_argument("-o", "--output", metavar="DIR", help="write Dockerfile there")
    summary = "published images of machines that the facts know"
    listed = _action(actions, parser, "list", summary)
    image_list.configure(listed)
    for name, module in _ACTIONS.items():
        module.configure(_action(actions, parser, name, module.SUMMARY))


def _action(
    actions: "_SubParsersAction[ArgumentParser]", parser: ArgumentParser, name: str, summary: str
) -> ArgumentParser:
    return actions.add_parser(
        name,
        help=summary,
        description=summary,
        allow_abbrev=False,
        formatter_class=parser.formatter_class,
    )


def run(args: Namespace) -> int:
    """Do the action."""
    return _RUNS[args.action](args)


def _pause(args: Namespace) -> int:
    """Print the Dockerfile, or write it and print the command."""
    from transom.image.pause import own_pause

    made = own_pause(args.windows, name=args.name, published=args.published)
    if not args.output:
        print(made.dockerfile, end="")
        return 0
    path = Path(args.output) / "Dockerfile"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made.dockerfile, "utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", subject=str(path)) from error
    print(f"{path}: {made.published} on Windows Server {args.windows}")
    print(f"next: cd {args.output} && {' '.join(made.command)}")
    print(f"then: runtime: {{containerd: {{pauseImage: {made.name}}}}} in the fleet")
    return 0


_RUNS: Mapping[str, Callable[[Namespace], int]] = {
    "list": image_list.run,
    "pause": _pause,
    "render": render.run,
    "validate": validate.run,
}
