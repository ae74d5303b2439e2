"""`transom bundle sign`: a site's signature beside its bundle."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

SUMMARY = "check every byte and sign it for those who have the public key"


def configure(parser: ArgumentParser) -> None:
    """Add the bundle, the key and the signature's file."""
    parser.add_argument("bundle", metavar="BUNDLE")
    parser.add_argument(
        "--key", metavar="PEM", required=True, help="the private key: RSA, EC or Ed25519"
    )
    parser.add_argument(
        "-o",
        "--output",
        dest="signature",
        metavar="FILE",
        help="default: the bundle's name with .sig",
    )


def run(args: Namespace) -> int:
    """Sign, and say how it is checked."""
    from transom.site.bundles import sign_bundle

    path = Path(args.signature or f"{args.bundle}.sig")
    sign_bundle(Path(args.bundle), Path(args.key), path)
    print(f"{path}: the signature of {args.bundle}")
    print(f"next: `transom bundle verify {args.bundle} --signature {path} --key PUBLIC`")
    return 0
