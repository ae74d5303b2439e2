"""`transom capi template`: a Windows pool for a cluster of Cluster API, or the cluster around it."""

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from transom.cli.environment import environment
from transom.cli.options import lock_file
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.bootstrap.compile import BootFile
    from transom.capi.wish import Wish
    from transom.model.fleet import Fleet
    from transom.model.version import Version

SUMMARY = (
    "Write the objects of a Windows pool, or of the whole cluster; clusterctl fills in ${VAR}."
)

_ACS_ENGINE = "acs-engine"
_EXAMPLES = """\
examples:
  transom capi template --provider azure | clusterctl generate yaml --from -
  transom capi template --provider vsphere --set CLUSTER_NAME=shop --set KUBERNETES_VERSION=v1.37.1
  transom capi template --provider azure --whole --flavor clusterclass
  transom capi template --provider azure --flavor machinepool --contract v1beta1
  transom capi template --provider proxmox -f fleet.yaml --program-url https://files.corp/node.pyz
  transom capi template --provider azure --legacy dockershim --kubernetes 1.22.17 --windows 2019
  transom capi template --provider acs-engine > windows.json       the retired engine's model

A pool leaves the control plane alone. What the facts demand of it, as a gate or an MTU, is in comments above the pool, and
built in with --whole.
exit codes: 0 printed, 2 usage, 3 the provider, the version or the fleet cannot do it
"""
_VARIABLE = re.compile(r"\$\{([A-Z0-9_]+)(?::=((?:[^{}]|\$\{[A-Z0-9_]+\})*))?\}")


def configure(parser: ArgumentParser) -> None:
    """Add the provider, the shape of the pool, and what its machines are brought."""
    from transom.capi.machines import SPECS
    from transom.capi.wish import CONTRACTS, DOCKERSHIM, FLAVORS

    parser.epilog = _EXAMPLES
    parser.add_argument("--provider", choices=[*sorted(SPECS), _ACS_ENGINE], required=True)
    parser.add_argument(
        "--flavor", choices=FLAVORS, default=FLAVORS[0], help="(default: %(default)s)"
    )
    parser.add_argument(
        "--contract", choices=CONTRACTS, default=CONTRACTS[0], help="(default: %(default)s)"
    )
    parser.add_argument("--whole", action="store_true", help="the cluster too, with a Linux pool")
    parser.add_argument("--name", default="md-win", help="of the pool (default: %(default)s)")
    parser.add_argument(
        "--windows", metavar="RELEASE", default="2022", help="(default: %(default)s)"
    )
    parser.add_argument(
        "--kubernetes", metavar="VERSION", default="", help="(default: the fleet's)"
    )
    parser.add_argument(
        "--ssh-user", metavar="NAME", default="capi", help="who may log in (default: %(default)s)"
    )
    parser.add_argument(
        "--mtu",
        type=int,
        help="of Linux machines (default: left alone, but where the fleet needs it)",
    )
    parser.add_argument("--max-surge", metavar="N", type=int, default=1, help="(default: 1)")
    parser.add_argument("--max-unavailable", metavar="N", type=int, default=0, help="(default: 0)")
    parser.add_argument("--legacy", choices=[DOCKERSHIM], default="", help="before Kubernetes 1.24")
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
    from transom.capi.template import template

    values = _values(args)
    if args.provider == _ACS_ENGINE:
        _print_model(args, values)
        return 0
    wish = wish_of(args)
    objects = stream(template(wish))
    comments = "" if wish.whole else "".join(f"# {line}".rstrip() + "\n" for line in _shown(wish))
    print(fill(comments + objects, values), end="")
    return 0


def wish_of(args: Namespace) -> "Wish":
    """What the arguments and the fleet ask for."""
    from transom.capi.wish import Wish

    fleet = lock_file.read_locked(args.filename, args.lock).fleets[0] if args.filename else None
    version = _version(args, fleet)
    wish = Wish(
        provider=args.provider,
        flavor=args.flavor,
        contract=args.contract,
        name=args.name,
        windows=args.windows,
        whole=args.whole,
        kubernetes=version,
        user=args.ssh_user,
        legacy=args.legacy,
        surge=args.max_surge,
        unavailable=args.max_unavailable,
        files=_files(args) if fleet else (),
        addons=_addons(fleet) if fleet else "",
        mtu=args.mtu or 0,
    )
    if args.mtu is None and fleet is not None and _is_overlay(fleet):
        from dataclasses import replace

        return replace(wish, mtu=wish.row.link_mtu)
    return wish


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put values in place of variables, also in another's default; what has none stays, for clusterctl."""
    filled = _VARIABLE.sub(lambda found: values.get(found.group(1), found.group(0)), text)
    inner = re.compile(r"(?<=:=)\$\{([A-Z0-9_]+)\}")
    return inner.sub(lambda found: values.get(found.group(1), found.group(0)), filled)


def _shown(wish: "Wish") -> Iterator[str]:
    """What an existing cluster needs beside the pool, as lines to read and to apply."""
    from transom.addons.delivery import document
    from transom.capi.needs import needs

    for need in needs(wish):
        who = "control plane and Linux pools" if need.everywhere else "control plane"
        yield f"The {who} of the cluster must have this too: {need.reason}."
        yield f"({need.source})"
        yield from document({"kubeadmConfigSpec": need.part}).splitlines()
        yield ""


def _print_model(args: Namespace, values: Mapping[str, str]) -> None:
    from transom.capi.acs_engine import api_model

    pool = "windowspool1" if args.name == "md-win" else args.name
    model = api_model(_version(args, None), pool=pool, user=args.ssh_user)
    print(fill(model, values), end="")


def _version(args: Namespace, fleet: "Fleet | None") -> "Version | None":
    from transom.model.version import Version

    text = args.kubernetes or (fleet.kubernetes.version if fleet else "")
    if text in ("", "cluster"):
        return None
    try:
        return Version.parse(text)
    except ValueError as error:
        raise UsageError(
            f"{text!r} is no version", subject="--kubernetes", hint="write such as 1.37.1"
        ) from error


def _is_overlay(fleet: "Fleet") -> bool:
    """Whether packets of pods are wrapped on their way to Windows nodes."""
    from transom.model.fleet import FlannelSpec, NetworkMode

    plugin = fleet.network.plugin
    return isinstance(plugin, FlannelSpec) and plugin.mode in (None, NetworkMode.OVERLAY)


def _values(args: Namespace) -> dict[str, str]:
    values = dict(environment().variables) if args.from_env else {}
    for pair in args.set:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"{pair!r} sets nothing", subject="--set", hint="write NAME=VALUE")
        values[name] = value
    return values


def _files(args: Namespace) -> "tuple[BootFile, ...]":
    from transom.bootstrap.compile import boot_files
    from transom.site.boot_data import BootWish, boot_plan

    wish = BootWish(host=args.host, python=args.python, program_url=args.program_url)
    return tuple(boot_files(boot_plan(lock_file.read_locked(args.filename, args.lock), wish)))


def _addons(fleet: "Fleet") -> str:
    from transom.addons.catalogue import render
    from transom.addons.delivery import stream
    from transom.addons.setting import setting_of
    from transom.recipe.resolve import resolve

    return stream(render(setting_of(fleet, resolve(fleet))))
