"""`transom bundle verify`: every byte, by the name of what is damaged."""

import sys
from argparse import Namespace
from pathlib import Path

from transom.cli import console, lock_report
from transom.errors import UsageError
from transom.image.bundle.archive import Bundle
from transom.image.bundle.signature import refuse_unsigned


def run(args: Namespace) -> int:
    """Verify, and say what the bundle holds."""
    if bool(args.signature) != bool(args.key):
        raise UsageError("--signature and --key belong together", hint="give both or neither")
    bundle = Bundle(Path(args.bundle))
    if args.print_manifest:
        sys.stdout.write(bundle.manifest_bytes.decode("utf-8"))
        return 0
    bundle.refuse_damage()
    if args.signature:
        refuse_unsigned(bundle.manifest_bytes, signature=Path(args.signature), key=Path(args.key))
    if args.output == "json":
        console.print_json(bundle.manifest)
        return 0
    for artifact in bundle.manifest.artifacts:
        member = bundle.member(artifact.member)
        print(f"{artifact.id} {artifact.version}  {lock_report.size(member.size)}")
    for image in bundle.manifest.images:
        print(f"{image.reference}  {image.digest}")
    count = len(bundle.manifest.members)
    signed = ", signed" if args.signature else ""
    print(f"{args.bundle}: {count} files for {', '.join(bundle.manifest.fleets)}, whole{signed}")
    return 0
