"""`transom addons`: what the cluster runs for its Windows nodes."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import fleet_file
from transom.errors import UsageError

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from transom.addons.setting import Setting
    from transom.model.fleet import Fleet

SUMMARY = "kube-proxy, the network and runtime classes for a fleet's Windows nodes."

_EXAMPLES = """\
examples:
  transom addons render -f fleet.yaml                 one YAML stream; nothing is asked of a cluster
  transom addons render -f fleet.yaml --to addons     a folder that kustomize takes

exit codes: 0 done, 2 the fleet has mistakes, 3 it cannot work (every reason is printed)
"""


def configure(parser: ArgumentParser) -> None:
    """Add the actions."""
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    render = _action(actions, "render", "print the manifests; reads no cluster")
    render.add_argument("--to", metavar="DIR", help="write a folder for kustomize instead")


def _action(
    actions: "_SubParsersAction[ArgumentParser]", name: str, summary: str
) -> ArgumentParser:
    made = actions.add_parser(name, help=summary, description=summary, allow_abbrev=False)
    fleet_file.add_argument(made)
    return made


def run(args: Namespace) -> int:
    """Do one action."""
    return _render(args)


def _render(args: Namespace) -> int:
    from transom.addons import delivery
    from transom.addons.catalogue import render

    manifests = render(_setting(_fleet(args.filename)))
    if args.to:
        _write(Path(args.to), delivery.folder(manifests))
    else:
        print(delivery.stream(manifests), end="")
    return 0


def _fleet(file: str) -> "Fleet":
    fleets = fleet_file.read(file)
    if len(fleets) != 1:
        names = ", ".join(fleet.name for fleet in fleets) or "none"
        raise UsageError(
            f"add-ons are of one fleet, and {file} has {len(fleets)}",
            subject=names,
            hint="write each fleet into a file of its own",
        )
    return fleets[0]


def _setting(fleet: "Fleet") -> "Setting":
    from transom.addons.setting import setting_of
    from transom.recipe.resolve import resolve

    recipes = resolve(fleet)
    if not recipes:
        raise UsageError(
            f"fleet {fleet.name} has no hosts, so nothing is known of its nodes",
            hint="add its hosts first",
        )
    return setting_of(fleet, recipes)


def _write(folder: Path, files: dict[str, str]) -> None:
    from transom.addons.delivery import listed

    kustomization = folder / "kustomization.yaml"
    try:
        before = listed(kustomization.read_text("utf-8")) if kustomization.exists() else []
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8", newline="\n")
        for name in before:
            if name not in files:
                (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {folder}", subject=str(folder)) from error
    print(f"{folder}: {len(files)} files")
