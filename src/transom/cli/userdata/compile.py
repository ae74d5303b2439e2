"""`transom userdata compile`: boot data that makes a machine a node."""

import hashlib
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli import fleet_file, locked_host
from transom.cli.userdata import source, stores
from transom.cli.userdata.pack import write_private
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.bootstrap.compile import BootPlan, User
    from transom.model.fleet import Fleet
    from transom.model.recipe import Recipe
    from transom.model.request import JoinSecrets

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
        from transom.cli.userdata import rewriting

        return rewriting.run(args)
    from transom.bootstrap.compile import compile_boot_data

    if args.write_program:
        from transom.fleet.program import own_program

        write_private(args.write_program, own_program())
    plan = plan_of(args)
    recipe = plan.request.recipe
    data = compile_boot_data(plan, args.format)
    _check(args, data)
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


def plan_of(args: Namespace) -> "BootPlan":
    """What boot data of the fleet that the arguments name is made of."""
    from transom.fleet.program import own_program

    fleet, recipe = locked_host.recipe_of(args)
    return _plan(args, fleet, recipe, own_program())


def _plan(args: Namespace, fleet: "Fleet", recipe: "Recipe", program: bytes) -> "BootPlan":
    from transom.bootstrap.compile import BootPlan, Fetched
    from transom.model.journal import Owner
    from transom.model.request import Request, Verb

    hashes = fleet.cluster.ca_cert_hashes
    owner = Owner(cluster=hashes[0] if hashes else "", fleet=fleet.name, who="boot-data")
    python = locked_host.python_of(args, fleet)
    machine = source.machine_of(args)
    fits = machine.platform is not None and not machine.platform.limit
    embedded = program if fits and not args.program_url else b""
    sha256 = hashlib.sha256(program).hexdigest()
    return BootPlan(
        request=Request(verb=Verb.JOIN, recipe=recipe, owner=owner, pins=hashes),
        python=Fetched(sha256=python.sha256, url=python.url),
        program=Fetched(sha256=sha256, url=args.program_url),
        embedded=embedded,
        join=_secrets(args, fleet) if _brings_token(args) else None,
        secret=stores.place_of(args) if args.join == "secret" else None,
        users=_users(args),
    )


def _brings_token(args: Namespace) -> bool:
    """Whether a join configuration is made here: for the boot data itself, or for its store."""
    return args.join == "token" or (args.join == "secret" and bool(args.write_secret))


def _secrets(args: Namespace, fleet: "Fleet") -> "JoinSecrets":
    from transom.model.request import JoinSecrets

    cluster = fleet.cluster
    if not args.token_file or not cluster.endpoint or not cluster.ca_cert_hashes:
        raise UsageError(
            "a join by token needs the token, and where to join",
            subject=f"--join {args.join}",
            hint="give --token-file, and cluster.endpoint and cluster.caCertHashes in the fleet",
        )
    token = fleet_file.read_bytes(args.token_file).decode().strip()
    return JoinSecrets(endpoint=cluster.endpoint, token=token, ca_hashes=cluster.ca_cert_hashes)


def _users(args: Namespace) -> "tuple[User, ...]":
    from transom.bootstrap.compile import User

    keys = tuple(fleet_file.read_bytes(file).decode().strip() for file in args.ssh_key)
    return (User(name=args.user, keys=keys),) if keys else ()


def _check(args: Namespace, data: bytes) -> None:
    """Refuse what the platform would not take."""
    from transom.bootstrap.lint import Origin, lint
    from transom.errors import Refused
    from transom.model.finding import Severity
    from transom.model.problem import Refusal

    found = lint(data, source.machine_of(args), Origin(args.out)).findings
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    if errors:
        reasons = [
            Refusal(
                error.rule,
                "boot data",
                f"{len(data)} bytes",
                error.message,
                error.fix,
                error.source,
            )
            for error in errors
        ]
        raise Refused(reasons, subject="the boot data", hint="serve the program with --program-url")
