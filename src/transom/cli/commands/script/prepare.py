"""`transom script prepare`: a folder that makes a machine a node from its own PowerShell prompt."""

import hashlib
from argparse import ArgumentParser, Namespace
from pathlib import Path

from transom.cli.options import fleet_file, lock_file
from transom.cli.output import written_folder

SUMMARY = (
    "Write Prepare-Node.ps1, which is the same file for every machine and can be signed once, with the "
    "recipe of one host, the node program and their sums beside it. No secret is in any of them."
)

_EXAMPLES = """\
examples:
  transom script prepare -f fleet.yaml --host win-01 -o win-01
  transom script prepare -f fleet.yaml --host win-01 -o win-01 --python python-embed.zip   without internet

Then on the machine, in a Windows PowerShell started as administrator:
  .\\win-01\\Prepare-Node.ps1                          everything up to the join
  .\\win-01\\Prepare-Node.ps1 -Join                    and the join; asks for the token without showing it
  .\\win-01\\Prepare-Node.ps1 -JoinConfig join.yaml    the join with kubeadm's configuration file
exit codes: 0 written, 2 usage or something is not locked, 3 the fleet cannot work
"""


def configure(parser: ArgumentParser) -> None:
    """Add the fleet, the host and the folder."""
    parser.epilog = _EXAMPLES
    fleet_file.add_argument(parser)
    parser.add_argument("--host", help="whose recipe it is (default: the first)")
    parser.add_argument("--lock", metavar="FILE", help="(default: transom.lock beside the fleet)")
    parser.add_argument(
        "--python", metavar="FILE", help="put this package beside it, so that nothing is fetched"
    )
    parser.add_argument(
        "-o", "--output", dest="folder", metavar="DIR", required=True, help="the folder to write"
    )


def run(args: Namespace) -> int:
    """Write the folder and say how it is used."""
    from transom.fleet import script
    from transom.fleet.on_host.program import own_program
    from transom.model.entry import BroughtFile
    from transom.site.pinned_host import python_of, recipe_of

    locked = lock_file.read_locked(args.filename, args.lock)
    fleet, recipe = recipe_of(locked, args.host, python_beside=True)
    python = python_of(locked, fleet, args.python)
    files = script.script_files(
        fleet,
        recipe,
        program=own_program(),
        python=BroughtFile(file=script.PYTHON, url=python.url, sha256=python.sha256),
        archive=python.content,
    )
    folder = Path(args.folder)
    signed = _signed(folder / script.SCRIPT)
    written_folder.write(folder, {**files, **signed}, mark=script.ENTRY)
    target = recipe.target
    print(
        f"{folder}: {recipe.join.node_name}, Kubernetes {target.kubernetes}, "
        f"Windows Server {target.windows_release}"
    )
    kept = " (signed, kept as it was)" if signed else ""
    print(f"  {script.SCRIPT}  sha256 {hashlib.sha256(files[script.SCRIPT]).hexdigest()}{kept}")
    print("  Python    " + ("beside it" if python.content else f"fetched from {python.url}"))
    print(f"next: copy the folder to the machine and start {script.SCRIPT} as administrator")
    return 0


def _signed(path: Path) -> dict[str, bytes]:
    from transom.fleet.script import is_signed_script

    content = path.read_bytes() if path.is_file() else b""
    return {path.name: content} if is_signed_script(content) else {}
