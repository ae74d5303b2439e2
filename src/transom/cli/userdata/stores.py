"""The store that keeps a join configuration out of boot data: how it is named, and how it is filled."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.userdata.pack import write_private
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.bootstrap.compile import BootPlan
    from transom.model.secret import SecretPlace


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


def place_of(args: Namespace) -> "SecretPlace":
    """Where the secret is, with every mistake about it at once."""
    from transom.facts.platforms import SecretStore
    from transom.facts.rows import At, one
    from transom.model.secret import SecretPlace

    lacking = [
        option
        for option, given in (
            ("--store", args.store),
            ("--secret-name", args.secret_name),
            ("--vault", args.vault or args.store != "azure-key-vault"),
        )
        if not given
    ]
    if lacking:
        raise UsageError(
            f"a join by a secret needs {' and '.join(lacking)}",
            subject="--join secret",
            hint="say which store has the join configuration, and under which name",
        )
    row = one(SecretStore, args.store, At())
    vault = args.vault or ""
    endpoint = args.store_endpoint or (
        vault if "://" in vault else row.endpoint.replace("{vault}", vault)
    )
    return SecretPlace(
        store=row.id,
        name=args.secret_name,
        endpoint=endpoint.rstrip("/"),
        metadata=row.metadata,
        version=row.version,
        audience=_audience(endpoint, row.audience) if row.audience else "",
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


def _audience(endpoint: str, usual: str) -> str:
    """What a token is asked for: the cloud of the vault, which is its address without its name."""
    host = endpoint.partition("://")[2].partition("/")[0]
    cloud = host.partition(".")[2]
    return f"https://{cloud}" if cloud.startswith("vault.") else usual
