"""`transom bundle serve`: a mirror for hosts, and a registry to pull from, over HTTPS."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.output import console
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.site.bundles import Mirror

SUMMARY = "serve artifacts and images to hosts over HTTPS until interrupted"


def configure(parser: ArgumentParser) -> None:
    """Add the bundle, where it is served and the certificate."""
    parser.add_argument("bundle", metavar="BUNDLE")
    parser.add_argument(
        "--listen",
        metavar="ADDRESS:PORT",
        default="0.0.0.0:8443",
        help="where hosts reach this machine (default: %(default)s)",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        help="a name or address hosts use; for the certificate that is made without --cert",
    )
    parser.add_argument("--cert", metavar="PEM", help="the certificate to show; with --cert-key")
    parser.add_argument("--cert-key", metavar="PEM", help="its private key")


def run(args: Namespace) -> int:
    """Serve until interrupted."""
    from transom.site.bundles import mirror_bundle

    if bool(args.cert) != bool(args.cert_key):
        raise UsageError("--cert and --cert-key belong together", hint="give both or neither")
    mirror = mirror_bundle(
        Path(args.bundle),
        args.listen,
        host_names=args.name,
        certificate=(Path(args.cert), Path(args.cert_key)) if args.cert else None,
        seen=console.note,
    )
    _explain(mirror)
    try:
        mirror.server.serve_forever()
    except KeyboardInterrupt:
        console.note("stopped")
    finally:
        mirror.server.server_close()
    return 0


def _explain(mirror: "Mirror") -> None:
    """Print what a fleet must say to use this mirror."""
    print("source:\n  mirrors:")
    for host in mirror.upstreams:
        print(f'    "https://{host}": {mirror.address}/{host}')
    if mirror.authority:
        print(f"# its certificate is its own authority: --ca-file {mirror.authority}")
    sys.stdout.flush()
