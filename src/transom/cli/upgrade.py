"""`transom upgrade`: the nodes of a fleet go to another version of Kubernetes, wave by wave."""

import dataclasses
from argparse import ArgumentParser, Namespace
from pathlib import Path

from transom.cli import console, fleet_access, fleet_change, fleet_file, upgrade_host
from transom.cli.rewriting import replace_file
from transom.errors import UsageError

SUMMARY = "Upgrade nodes in waves: cordon, drain, upgrade, Ready, uncordon; stops at a failure."

_EXAMPLES = """\
examples:
  transom upgrade -f fleet.yaml --to 1.37.1
  transom upgrade -f fleet.yaml --pool web
  transom upgrade -f fleet.yaml --to 1.37.1 --yes --keep-going
  transom upgrade 10.0.0.21 --to 1.37.1     one machine without a fleet; it is not drained

The file's kubernetes.version is changed to what --to says, once that is confirmed; without --to the
nodes go to what the file says. Artifacts of the new version must be locked: `transom lock`.
A node that is not Ready afterwards is rolled back, and no further wave begins.
exit codes: 0 done, 2 usage or not confirmed, 3 refused, 4 try again, 5 a node was rolled back
"""


def configure(parser: ArgumentParser) -> None:
    """Add the fleet, the version and the confirmation."""
    parser.epilog = _EXAMPLES
    fleet_change.add_either_arguments(parser)
    parser.add_argument(
        "--to",
        metavar="VERSION",
        help="such as 1.37.1 (default: the file's, else the API server's)",
    )
    parser.add_argument(
        "--anew",
        action="store_true",
        help="one machine: reset it and join it again where its runtime ends; drain it first",
    )
    parser.add_argument(
        "--keep-going", action="store_true", help="begin the next wave after a failure too"
    )


def run(args: Namespace) -> int:
    """Upgrade one machine, or have the version in the file, plan, ask, upgrade, and sum up."""
    if args.address:
        return upgrade_host.run(args)
    from transom.model.request import Verb

    site = fleet_access.open_site(args)
    if args.to and args.to.removeprefix("v") != site.fleet.kubernetes.version:
        _edit_version(args, site.fleet.name, args.to.removeprefix("v"))
        version = dataclasses.replace(site.fleet.kubernetes, version=args.to.removeprefix("v"))
        fleet = dataclasses.replace(site.fleet, kubernetes=version)
        site = dataclasses.replace(site, fleet=fleet)
    return fleet_change.carry_out(
        args, site, Verb.UPGRADE, name="upgrade", keep_going=args.keep_going
    )


def _edit_version(args: Namespace, fleet: str, version: str) -> None:
    """Write the new version into the file, and nothing else."""
    from transom.model.version import Version
    from transom.spec.editing.change import Replace
    from transom.spec.editing.stream import Stream
    from transom.spec.editing.text import edit

    try:
        Version.parse(version)
    except ValueError as error:
        raise UsageError(f"{version!r} is no version", subject="--to") from error
    if args.filename == "-":
        raise UsageError(
            f"standard input says another version than {version}",
            hint="write kubernetes.version there",
        )
    stream = Stream(fleet_file.read_bytes(args.filename), name=args.filename)
    documents = []
    for document in stream.documents:
        done = document
        if document.value["metadata"]["name"] == fleet:
            outcome = edit(document, [Replace(("spec", "kubernetes", "version"), version)])
            if outcome.refused:
                raise UsageError(
                    f"cannot write the version into {args.filename}: {outcome.refused[0].reason}",
                    subject=args.filename,
                    hint="write it yourself and leave --to out",
                )
            done = outcome.document
        documents.append(done)
    fleet_change.confirm(args, f"Write kubernetes.version: {version} into {args.filename}?")
    replace_file(Path(args.filename), stream.with_documents(documents))
    console.note(f"{args.filename}: kubernetes.version is {version}")
