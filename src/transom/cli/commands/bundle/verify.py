"""`transom bundle verify`: every byte, by the name of what is damaged."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from transom.cli.output import console
from transom.errors import UsageError

SUMMARY = "check every byte, and a signature where one is given"


def configure(parser: ArgumentParser) -> None:
    """Add the bundle, the signature and the form."""
    parser.add_argument("bundle", metavar="BUNDLE")
    parser.add_argument("--signature", metavar="FILE", help="of manifest.json in the bundle")
    parser.add_argument("--key", metavar="PEM", help="the public key it was signed for")
    parser.add_argument(
        "--print-manifest", action="store_true", help="print manifest.json itself, to be signed"
    )
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")


def run(args: Namespace) -> int:
    """Verify, and say what the bundle holds."""
    from transom.image.bundle.archive import Bundle
    from transom.image.bundle.signature import refuse_unsigned
    from transom.report import lock as lock_report

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
