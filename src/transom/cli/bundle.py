"""`transom bundle`: everything a fleet needs in one archive, for sites without internet."""

from argparse import ArgumentParser, Namespace

from transom.cli import fleet_file, source_access
from transom.cli.addons import add_extras_argument

SUMMARY = (
    "One archive with every byte a fleet needs: made, signed, checked, served to hosts, pushed."
)

_EXAMPLES = """\
examples:
  transom lock -f fleet.yaml --images                         pin artifacts and images
  transom bundle create -f fleet.yaml -o shop.bundle          where there is internet
  transom bundle sign shop.bundle --key site.key              for those who have site.pub
  transom bundle verify shop.bundle                           where there is none
  transom bundle serve shop.bundle --listen 10.0.0.5:8443     a mirror for hosts
  transom bundle push shop.bundle --to https://registry.corp  its images into a registry
  transom apply -f fleet.yaml --bundle shop.bundle            use nothing else

exit codes: 0 done, 2 usage, 3 an image lacks a build in use, 4 try again, 5 damaged or refused
"""


def configure(parser: ArgumentParser) -> None:
    """Add the actions."""
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, summary: str) -> ArgumentParser:
        return actions.add_parser(name, help=summary, description=summary, allow_abbrev=False)

    create = action("create", "gather everything the lock names and write the bundle")
    fleet_file.add_argument(create)
    create.add_argument("--lock", metavar="FILE", help="default: transom.lock beside the fleet")
    create.add_argument("-o", "--output", metavar="FILE", required=True, help="the bundle to write")
    create.add_argument(
        "--without-images", action="store_true", help="leave container images to a registry"
    )
    add_extras_argument(create, "also this add-on and its images; repeatable")
    source_access.add_arguments(create)

    verify = action("verify", "check every byte, and a signature where one is given")
    _bundle_argument(verify)
    verify.add_argument("--signature", metavar="FILE", help="of manifest.json in the bundle")
    verify.add_argument("--key", metavar="PEM", help="the public key it was signed for")
    verify.add_argument(
        "--print-manifest", action="store_true", help="print manifest.json itself, to be signed"
    )
    verify.add_argument("-o", "--output", choices=("text", "json"), default="text")

    sign = action("sign", "check every byte and sign it for those who have the public key")
    _bundle_argument(sign)
    sign.add_argument(
        "--key", metavar="PEM", required=True, help="the private key: RSA, EC or Ed25519"
    )
    sign.add_argument("-o", "--output", metavar="FILE", help="default: the bundle's name with .sig")

    serve = action("serve", "serve artifacts and images to hosts over HTTPS until interrupted")
    _bundle_argument(serve)
    serve.add_argument(
        "--listen",
        metavar="ADDRESS:PORT",
        default="0.0.0.0:8443",
        help="where hosts reach this machine (default: %(default)s)",
    )
    serve.add_argument(
        "--name",
        action="append",
        default=[],
        help="a name or address hosts use; for the certificate that is made without --cert",
    )
    serve.add_argument("--cert", metavar="PEM", help="the certificate to show; with --cert-key")
    serve.add_argument("--cert-key", metavar="PEM", help="its private key")

    push = action("push", "put the bundle's images into a registry; only what it lacks is sent")
    _bundle_argument(push)
    push.add_argument(
        "--to", required=True, metavar="URL", help="https://HOST[/PATH]; images keep their names"
    )
    source_access.add_arguments(push)


def run(args: Namespace) -> int:
    """Do one action."""
    from importlib import import_module

    module = import_module(f"transom.cli.bundling.{args.action}")
    code: int = module.run(args)
    return code


def _bundle_argument(parser: ArgumentParser) -> None:
    parser.add_argument("bundle", metavar="BUNDLE")
