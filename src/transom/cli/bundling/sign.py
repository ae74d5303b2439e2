"""`transom bundle sign`: a site's signature beside its bundle."""

from argparse import Namespace
from pathlib import Path

from transom.errors import UsageError
from transom.image.bundle.archive import Bundle
from transom.image.bundle.signature import sign


def run(args: Namespace) -> int:
    """Check the bundle and sign its manifest, which has the sum of every other byte."""
    bundle = Bundle(Path(args.bundle))
    bundle.refuse_damage()
    path = Path(args.output or f"{args.bundle}.sig")
    try:
        path.write_bytes(sign(bundle.manifest_bytes, key=Path(args.key)))
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", subject=str(path)) from error
    print(f"{path}: the signature of {args.bundle}")
    print(f"next: `transom bundle verify {args.bundle} --signature {path} --key PUBLIC`")
    return 0
