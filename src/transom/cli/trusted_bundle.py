"""A bundle that may be used: it agrees with the lock that is kept here, or it is signed.

A bundle carries a lock of its own, which says nothing about who made it.
"""

from argparse import ArgumentParser, Namespace, _ArgumentGroup
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import lock_file
from transom.errors import PermanentError, UsageError

if TYPE_CHECKING:
    from transom.image.bundle.holdings import BundleHoldings
    from transom.model.lock import Lock

_SHOWN = 5


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
    """The bundle, whole and trusted, and the lock to go by; raise before any host is reached."""
    from transom.image.bundle.holdings import BundleHoldings

    key, signature = args.bundle_key, args.bundle_signature
    if signature and not key:
        raise UsageError("--bundle-signature needs --bundle-key", hint="give both or neither")
    holdings = BundleHoldings(path)
    if key:
        found = Path(signature) if signature else path.with_name(f"{path.name}.sig")
        holdings.refuse_unsigned(signature=found, key=Path(key))
    if lock.is_file():
        kept = lock_file.load(lock)
        _refuse_disagreement(path, holdings.lock(), lock, kept)
        return holdings, kept
    if not key:
        raise UsageError(
            f"nothing says that {path} is the bundle that was meant: there is no {lock}",
            subject=str(path),
            hint="keep the lock beside the fleet, or name the public key that signed the bundle with "
            "--bundle-key (`transom bundle sign` signs one)",
        )
    return holdings, holdings.lock()


def _refuse_disagreement(path: Path, bundled: "Lock", lock: Path, kept: "Lock") -> None:
    from transom.image.bundle.holdings import disagreements

    found = disagreements(bundled, kept)
    if found:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise PermanentError(
            f"the bundle {path} is not of the lock {lock}: {', '.join(found[:_SHOWN])}{more}",
            subject=str(path),
            hint="do not use the bundle; if the lock is older, make both again where there is "
            "internet: `transom lock`, then `transom bundle create`",
        )
