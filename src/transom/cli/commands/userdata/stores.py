"""The store that keeps a join configuration out of boot data: how it is named, and how it is filled."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.output.private_file import write_private

if TYPE_CHECKING:
    from transom.bootstrap.compile import BootPlan
    from transom.site.boot_data import SecretWish


def add_arguments(parser: ArgumentParser) -> None:
    """Add where the secret is, and what becomes of it."""
    from transom.facts.platforms import SecretStore
    from transom.facts.rows import read

    group = parser.add_argument_group("--join secret: the join configuration in a cloud's store")
    group.add_argument("--store", choices=[row.id for row in read(SecretStore)])
    group.add_argument("--secret-name", metavar="NAME", help="of the secret there")
    group.add_argument("--vault", metavar="NAME", help="of the Azure key vault, or its URL")
    group.add_argument(
        "--region", default="", help="of AWS (default: the machine's, from its metadata)"
    )
    group.add_argument(
        "--store-endpoint", metavar="URL", default="", help="(default: the cloud's public one)"
    )
    group.add_argument(
        "--identity", metavar="ID", default="", help="client id of a managed identity of Azure"
    )
    group.add_argument(
        "--keep-secret", action="store_true", help="do not delete it: several machines share it"
    )
    group.add_argument(
        "--write-secret", metavar="FILE", help="write what is to be stored, with the token"
    )


def wish_of(args: Namespace) -> "SecretWish":
    """Give where the secret is, as the arguments name it."""
    from transom.site.boot_data import SecretWish

    return SecretWish(
        store=args.store,
        name=args.secret_name,
        vault=args.vault or "",
        endpoint=args.store_endpoint,
        region=args.region,
        identity=args.identity,
        keep=args.keep_secret,
    )


def write_secret(args: Namespace, plan: "BootPlan") -> None:
    """Write what is to be stored, where asked, and say how and what the machine must be allowed."""
    from transom.bootstrap.compile import secret_content
    from transom.facts.platforms import SecretStore
    from transom.facts.rows import At, one

    row = one(SecretStore, args.store, At())
    file = args.write_secret or "FILE"
    if args.write_secret:
        write_private(args.write_secret, secret_content(plan))
    command = (
        row.put.replace("{name}", args.secret_name)
        .replace("{file}", file)
        .replace("{vault}", args.vault or "")
    )
    print(f"store it:  {command}", file=sys.stderr)
    print(f"allow the machine's identity:  {', '.join(row.rights)}", file=sys.stderr)
