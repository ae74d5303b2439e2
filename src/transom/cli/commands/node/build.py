"""`transom node build`: node.pyz with its Python beside it, as it lies on a host."""

import hashlib
from argparse import ArgumentParser, Namespace
from pathlib import Path

from transom.cli.commands.join import add_artifact_arguments
from transom.cli.options import host_access, lock_file, source_access
from transom.cli.output import written_folder
from transom.errors import UsageError

SUMMARY = (
    "Build the node program and put python.org's embeddable package beside it: the same inputs "
    "give the same bytes. Python is used by its SHA-256 in the lock, or from your own file."
)

_EXAMPLES = """\
examples:
  transom node build -o transom-node                        Python by the sum in transom.lock
  transom node build -o transom-node --python python-embed.zip
  transom node build -o transom-node --mirror https://www.python.org=https://mirror.corp/python

Copy the folder to C:\\k\\transom on a host; `transom join` then finds it there and brings nothing.
Prints a line for each file as sha256sum does. Made again, it replaces what it made before and nothing else.
exit codes: 0 written, 2 usage or no sum is known, 4 try again, 5 a download has another sum
"""


def configure(parser: ArgumentParser) -> None:
    """Add the folder and where Python comes from."""
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "-o", "--output", dest="folder", metavar="DIR", required=True, help="the folder to write"
    )
    add_artifact_arguments(parser, lock="where the SHA-256 of Python is")


def run(args: Namespace) -> int:
    """Build, write and say the sums."""
    from transom.fleet.on_host.interpreter import interpreter_artifact
    from transom.fleet.on_host.program import BROUGHT
    from transom.model.fleet import Source
    from transom.site.node_program import brought_of

    source = Source(mirrors=host_access.mirrors_of(args.mirror))
    path = Path(args.lock or lock_file.NAME)
    lock = lock_file.load(path)
    if not args.python and interpreter_artifact(source).key not in lock.by_key():
        raise UsageError(
            "no sum is known of the Python for hosts",
            subject=str(path),
            hint="pin it with `transom lock`, or name the package with --python",
        )
    fetchers = source_access.fetchers_of(args.ca_file, args.header)
    files = brought_of(args.python, lock, source, fetchers).files()
    written_folder.write(Path(args.folder), files, mark=BROUGHT)
    for name in sorted(files):
        print(f"{hashlib.sha256(files[name]).hexdigest()}  {name}")
    return 0
