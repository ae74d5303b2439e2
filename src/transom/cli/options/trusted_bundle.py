"""A bundle that must be known before it is used, as arguments."""

from argparse import ArgumentParser, Namespace, _ArgumentGroup
from pathlib import Path
from typing import TYPE_CHECKING

from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.image.bundle.holdings import BundleHoldings
    from transom.model.lock import Lock


def add_arguments(parser: ArgumentParser | _ArgumentGroup) -> None:
    """How a bundle is known where no lock is kept."""
    parser.add_argument(
        "--bundle-key",
        metavar="PEM",
        help="the public key that signed the bundle; needed where no lock is kept",
    )
    parser.add_argument(
        "--bundle-signature",
        metavar="FILE",
        help="its signature (default: the bundle's name with .sig)",
    )


def open_bundle(path: Path, args: Namespace, *, lock: Path) -> "tuple[BundleHoldings, Lock]":
    """Open the bundle as the arguments say it is known."""
    from transom.site.bundles import open_trusted

    key, signature = args.bundle_key, args.bundle_signature
    if signature and not key:
        raise UsageError("--bundle-signature needs --bundle-key", hint="give both or neither")
    return open_trusted(
        path,
        lock=lock,
        key=Path(key) if key else None,
        signature=Path(signature) if signature else None,
    )
