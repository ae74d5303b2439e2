"""`transom capi template`: a Windows pool for a cluster of Cluster API."""

import os
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from transom.cli import fleet_file
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.bootstrap.compile import BootFile

SUMMARY = (
    "Write the objects of a Windows pool for an existing cluster; clusterctl fills in its ${VAR}."
)

_EXAMPLES = """\
examples:
  transom capi template --provider azure | clusterctl generate yaml --from -
  transom capi template --provider vsphere --set CLUSTER_NAME=shop --set KUBERNETES_VERSION=v1.37.1
  transom capi template --provider azure --flavor machinepool --contract v1beta1
  transom capi template --provider proxmox -f fleet.yaml --program-url https://files.corp/node.pyz

exit codes: 0 printed, 2 usage, 3 the provider or the fleet cannot do it
"""
_VARIABLE = re.compile(r"\$\{([A-Z0-9_]+)(?::=([^}]*))?\}")


def configure(parser: ArgumentParser) -> None:
    """Add the provider, the shape of the pool, and what its machines are brought."""
    from transom.capi.machines import SPECS
    from transom.capi.template import CONTRACTS, FLAVORS

    parser.epilog = _EXAMPLES
    parser.add_argument("--provider", choices=sorted(SPECS), required=True)
    parser.add_argument(
        "--flavor", choices=FLAVORS, default=FLAVORS[0], help="(default: %(default)s)"
    )
    parser.add_argument(
        "--contract", choices=CONTRACTS, default=CONTRACTS[0], help="(default: %(default)s)"
    )
    parser.add_argument("--name", default="md-win", help="of the pool (default: %(default)s)")
    parser.add_argument(
        "--windows", metavar="RELEASE", default="2022", help="(default: %(default)s)"
    )
    filled = parser.add_argument_group("values")
    filled.add_argument(
        "--set", metavar="NAME=VALUE", action="append", default=[], help="repeatable"
    )
    filled.add_argument(
        "--from-env", action="store_true", help="take what is not set from the environment"
    )
    brought = parser.add_argument_group("machines prepared by the node program")
    brought.add_argument(
        "-f", "--filename", metavar="FLEET", help="whose recipe and add-ons they get"
    )
    brought.add_argument("--host", help="whose recipe it is (default: the first)")
    brought.add_argument("--lock", metavar="FILE", help="(default: transom.lock beside the fleet)")
    brought.add_argument(
        "--program-url", metavar="URL", default="", help="where node.pyz is served"
    )
    brought.add_argument(
        "--python", metavar="FILE", help="take the sum of Python from this package"
    )


def run(args: Namespace) -> int:
    """Print the objects."""
    from transom.addons.delivery import stream
    from transom.capi.template import PoolWish, pool_template

    values = _values(args)
    wish = PoolWish(
        provider=args.provider,
        flavor=args.flavor,
        contract=args.contract,
        name=args.name,
        windows=args.windows,
        files=_files(args) if args.filename else (),
        addons=_addons(args) if args.filename else "",
    )
    print(fill(stream(pool_template(wish)), values), end="")
    return 0


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put values in place of variables; what has none stays, for clusterctl."""
    return _VARIABLE.sub(lambda found: values.get(found.group(1), found.group(0)), text)


def _values(args: Namespace) -> dict[str, str]:
    values: dict[str, str] = dict(os.environ) if args.from_env else {}  # noqa: TID251 - asked for
    for pair in args.set:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"{pair!r} sets nothing", subject="--set", hint="write NAME=VALUE")
        values[name] = value
    return values


def _files(args: Namespace) -> "tuple[BootFile, ...]":
    from transom.bootstrap.compile import boot_files
    from transom.cli.userdata.compile import plan_of

    asked = Namespace(
        **vars(args), join="kubeadm-config", ssh_key=[], user="", platform="", hostname=""
    )
    return tuple(boot_files(plan_of(asked)))


def _addons(args: Namespace) -> str:
    from transom.addons.catalogue import render
    from transom.addons.delivery import stream
    from transom.addons.setting import setting_of
    from transom.recipe.resolve import resolve

    (fleet, *_more) = fleet_file.read(args.filename)
    return stream(render(setting_of(fleet, resolve(fleet))))
