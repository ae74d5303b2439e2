"""`transom upgrade`: the nodes of a fleet go to another version of Kubernetes, wave by wave."""

import dataclasses
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transom.cli.options import fleet_access, fleet_change, fleet_file, host_access
from transom.cli.output import console
from transom.cli.output.rewriting import replace_file
from transom.documents.nodes import UpgradeResult
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.site.one_host import Changed

SUMMARY = "Upgrade nodes in waves: cordon, drain, upgrade, Ready, uncordon; stops at a failure."

_EXAMPLES = """\
examples:
  transom upgrade -f fleet.yaml --to 1.37.1
  transom upgrade -f fleet.yaml --pool web
  transom upgrade -f fleet.yaml --to 1.37.1 --yes --keep-going
  transom upgrade 10.0.0.21 --to 1.37.1     one machine without a fleet

The file's kubernetes.version is changed to what --to says, once the plan is confirmed; without --to the
nodes go to what the file says. The new version must be locked: `transom lock --to 1.37.1`.
A node that is not Ready afterwards is rolled back, and no further wave begins. Never more nodes of a pool
are away than its rollout.maxUnavailable: NotReady and cordoned ones count, and are upgraded first.
exit codes: 0 done, 2 usage or not confirmed, 3 refused, 4 try again (too many nodes away), 5 a node was rolled back
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
        help="one machine: drain and reset it, and join it again, where its runtime ends",
    )
    parser.add_argument(
        "--reboot",
        action="store_true",
        help="one machine: reboot it where Windows asks for that, and go on",
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="begin the next wave after a failure too, while maxUnavailable allows it",
    )


def run(args: Namespace) -> int:
    """Upgrade one machine, or have the version in the file, plan, ask, upgrade, and sum up."""
    if fleet_change.is_one_machine(args):
        return _upgrade_machine(args)
    from transom.model.request import Verb

    site, edit = fleet_access.open_site(args), None
    version = args.to.removeprefix("v") if args.to else site.fleet.kubernetes.version
    if version != site.fleet.kubernetes.version:
        edit = _edit_of(args, site.fleet.name, version)
        spec = dataclasses.replace(site.fleet.kubernetes, version=version)
        fleet = dataclasses.replace(site.fleet, kubernetes=spec)
        site = dataclasses.replace(site, fleet=fleet)
    return fleet_change.carry_out(
        args, site, Verb.UPGRADE, name="upgrade", keep_going=args.keep_going, edit=edit
    )


def _upgrade_machine(args: Namespace) -> int:
    from transom.cli.options import one_machine
    from transom.cli.output.fleet_lines import FleetLines
    from transom.site import one_host

    one_machine.refuse_bundle(args)
    lines = FleetLines(1)
    version = host_access.version_of(args.to, option="--to")
    one = one_machine.open_machine(args, lines, kubernetes=version)
    said = (
        "interrupted: the host finishes the step it is at and takes the upgrade back",
        f"to upgrade again: transom upgrade {args.address}",
    )
    done = one_machine.see_to(
        one, lines, lambda one: one_host.upgrade(one, may_join_anew=args.anew), said=said
    )
    _print(done, args.output, lines.elapsed_s)
    return one_machine.exit_code(done.applied)


def _print(done: "Changed", output: str, elapsed_s: float) -> None:
    from transom.cli.options import one_machine

    node, applied = done.node, done.applied
    if output == "json":
        console.print_json(
            UpgradeResult(
                node=node,
                ready=bool(applied.ready),
                before=done.before,
                kubernetes=applied.kubelet,
                anew=done.anew,
                changed=applied.changed,
                notes=applied.notes,
                not_applied=applied.not_applied,
                elapsed_ms=round(elapsed_s * 1000),
            )
        )
        return
    if not applied.changed:
        print(f"{node} is Ready on {applied.kubelet}; nothing to change, {elapsed_s:.1f} s")
    else:
        how = "reset and joined anew" if done.anew else f"{len(applied.changed)} steps changed"
        version = f"Kubernetes {done.before} -> {applied.kubelet}"
        print(f"{node} is Ready: {version}; {how}, {elapsed_s:.1f} s")
    one_machine.print_remarks(applied)


def _edit_of(args: Namespace, fleet: str, version: str) -> fleet_change.FileEdit:
    """The new version written into the file, and nothing else; not done yet."""
    from transom.model.version import Version
    from transom.yamlio.editing.change import Replace
    from transom.yamlio.editing.stream import Stream
    from transom.yamlio.editing.text import edit

    try:
        is_whole = str(Version.parse(version)) == version
    except ValueError:
        is_whole = False
    if not is_whole:
        raise UsageError(
            f"{version!r} is no version in full", subject="--to", hint="write it such as 1.37.1"
        )
    file = _file_of(args.filename, fleet, version)
    stream = Stream(fleet_file.read_bytes(file), name=file)
    documents = []
    for document in stream.documents:
        done = document
        if _is_fleet(document.value, fleet):
            outcome = edit(document, [Replace(("spec", "kubernetes", "version"), version)])
            if outcome.refused:
                raise UsageError(
                    f"cannot write the version into {file}: {outcome.refused[0].reason}",
                    subject=file,
                    hint="write it yourself and leave --to out",
                )
            done = outcome.document
        documents.append(done)
    content = stream.with_documents(documents)

    def write() -> None:
        replace_file(Path(file), content)
        console.note(f"{file}: kubernetes.version is {version}")

    return fleet_change.FileEdit(f"write kubernetes.version: {version} into {file}", write)


def _file_of(files: "fleet_file.Files", fleet: str, version: str) -> str:
    """The file that the Fleet document is in."""
    from transom.yamlio.loader import load

    for name in files.names:
        if name == fleet_file.STANDARD_INPUT:
            raise UsageError(
                f"standard input says another version than {version}",
                hint="write kubernetes.version there",
            )
        for file in fleet_file.listed(name):
            documents = load(fleet_file.read_bytes(file), name=file)
            if any(_is_fleet(document.value, fleet) for document in documents):
                return file
    raise UsageError(f"no file has the fleet {fleet}", subject=str(files))


def _is_fleet(value: Any, fleet: str) -> bool:
    return bool(value.get("kind") == "Fleet" and value["metadata"]["name"] == fleet)
