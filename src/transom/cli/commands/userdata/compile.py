"""`transom userdata compile`: boot data that makes a machine a node."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.commands.userdata import source, stores
from transom.cli.options import fleet_file, lock_file
from transom.cli.output.private_file import write_private

if TYPE_CHECKING:
    from transom.bootstrap.compile import User
    from transom.site.boot_data import BootWish

SUMMARY = (
    "Make boot data that brings the node program by its hash, prepares the machine and joins it."
)

_EXAMPLES = """\
examples:
  transom userdata compile -f fleet.yaml --host win-01 --join token --token-file token --out user-data
  transom userdata compile -f fleet.yaml --platform aws --program-url https://files.corp/node.pyz
  transom userdata compile -f fleet.yaml --format multipart --user capi --ssh-key id_ed25519.pub
  transom userdata compile -f fleet.yaml --write-program node.pyz        the program, to be served
  transom userdata compile -f fleet.yaml --join secret --store aws-ssm --secret-name /shop/join \\
      --token-file token --write-secret join.json --out user-data     the token in the store, not in boot data
  transom userdata compile --from-secret secret/shop-md-win-abcde -n clusters --out user-data
  transom userdata compile --from-secret user-data.yaml > safe.yaml      what Cluster API wrote, made safe

With --join kubeadm-config somebody else, as Cluster API, writes the join configuration; with --join secret the
machine fetches it with its own identity and deletes it in the store. Every machine that
boots with it takes its own name and address. Only --format multipart reports a failure to the platform.
With --from-secret an existing document is rewritten into one that does the same safely, and the differences are shown.
exit codes: 0 written, 1 written, and something in the rewritten document is still wrong, 2 usage, 3 the fleet cannot work or the platform does not take the result
"""


def configure(parser: ArgumentParser) -> None:
    """Add the fleet, the join, the form and what it carries."""
    from transom.bootstrap.compile import FORMATS

    parser.epilog = _EXAMPLES
    fleet_file.add_argument(parser)
    parser.add_argument("--host", help="whose recipe it is (default: the first)")
    parser.add_argument("--lock", metavar="FILE", help="(default: transom.lock beside the fleet)")
    parser.add_argument(
        "--join",
        choices=["kubeadm-config", "token", "secret"],
        default="kubeadm-config",
        help="who brings the credential (default: %(default)s)",
    )
    parser.add_argument("--token-file", metavar="FILE", help="the token; - is standard input")
    parser.add_argument(
        "--format", choices=FORMATS, default="cloud-config", help="(default: %(default)s)"
    )
    source.add_machine_arguments(parser)
    given = parser.add_argument_group("an existing document")
    given.add_argument(
        "--from-secret", metavar="FILE", help="rewrite a file, - or secret/NAME; no fleet is read"
    )
    source.add_cluster_arguments(given)
    stores.add_arguments(parser)
    carried = parser.add_argument_group("what it carries")
    carried.add_argument(
        "--program-url", metavar="URL", default="", help="where node.pyz is served"
    )
    carried.add_argument("--write-program", metavar="FILE", help="write node.pyz, to be served")
    carried.add_argument(
        "--python", metavar="FILE", help="take the sum of Python from this package"
    )
    carried.add_argument("--user", default="capi", help="who may log in (default: %(default)s)")
    carried.add_argument(
        "--ssh-key", metavar="FILE", action="append", default=[], help="of that user"
    )
    parser.add_argument("--out", metavar="FILE", default="-", help="where to (default: -)")


def run(args: Namespace) -> int:
    """Compile, look at the result as cloudbase-init would, and write it."""
    if args.from_secret:
        from transom.cli.commands.userdata import rewriting

        return rewriting.run(args)
    from transom.bootstrap.compile import compile_boot_data
    from transom.site.boot_data import boot_plan, refuse_unfit

    if args.write_program:
        from transom.fleet.on_host.program import own_program

        write_private(args.write_program, own_program())
    plan = boot_plan(lock_file.read_locked(args.filename, args.lock), _wish(args))
    recipe = plan.request.recipe
    data = compile_boot_data(plan, args.format)
    refuse_unfit(data, source.machine_of(args), name=args.out)
    if args.join == "secret":
        stores.write_secret(args, plan)
    if args.out == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_private(args.out, data)
        print(
            f"{args.out}: {args.format}, {len(data)} bytes, for {recipe.identity.pool or recipe.identity.name}"
        )
    return 0


def _wish(args: Namespace) -> "BootWish":
    from transom.site.boot_data import BootWish

    brings_join = args.join == "token" or (args.join == "secret" and bool(args.write_secret))
    token = ""
    if brings_join and args.token_file:
        token = fleet_file.read_bytes(args.token_file).decode().strip()
    return BootWish(
        host=args.host,
        python=args.python,
        machine=source.machine_of(args),
        program_url=args.program_url,
        brings_join=brings_join,
        token=token,
        secret=stores.wish_of(args) if args.join == "secret" else None,
        users=_users(args),
    )


def _users(args: Namespace) -> "tuple[User, ...]":
    from transom.bootstrap.compile import User

    keys = tuple(fleet_file.read_bytes(file).decode().strip() for file in args.ssh_key)
    return (User(name=args.user, keys=keys),) if keys else ()
