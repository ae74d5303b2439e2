"""`transom userdata pack`: boot data as a platform takes it."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.commands.userdata import source
from transom.cli.output.private_file import write_private
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.bootstrap.pack import Packed
    from transom.facts.platforms import Platform

SUMMARY = (
    "Encode boot data for a platform, or write the image it attaches; say what must be enabled."
)

_EXAMPLES = """\
examples:
  transom userdata pack user-data.yaml --platform azure --out custom-data.b64
  transom userdata pack user-data.yaml --platform proxmox --hostname win-01 --out win-01.iso
  transom userdata pack user-data.yaml --platform vsphere --hostname win-01 --out guestinfo.env
  transom userdata pack user-data.yaml --platform hyperv --as configdrive --hostname win-01 --out win-01.iso

What is written may hold a token: only its owner may read it.
exit codes: 0 written, 2 usage, 3 the platform does not take it (every reason is printed)
"""


def configure(parser: ArgumentParser) -> None:
    """Add the boot data, the platform, and what the metadata says."""
    from transom.bootstrap.pack import FORMS
    from transom.facts.platforms import Platform
    from transom.facts.rows import read

    parser.epilog = _EXAMPLES
    source.add_arguments(parser)
    parser.add_argument(
        "--platform",
        choices=[row.id for row in read(Platform)],
        required=True,
        help="where the machine is made",
    )
    parser.add_argument("--as", dest="form", choices=FORMS, default="", help="an image instead")
    parser.add_argument("--hostname", metavar="NAME", help="of the machine, in its metadata")
    parser.add_argument("--instance-id", metavar="ID", default="", help="(default: from the data)")
    parser.add_argument(
        "--public-key", metavar="FILE", action="append", default=[], help="of SSH; repeatable"
    )
    parser.add_argument("--network-config", metavar="FILE", help="put on the image as it is")
    parser.add_argument("--out", metavar="FILE", default="-", help="where to (default: -)")
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def run(args: Namespace) -> int:
    """Pack, write, and say what the image needs."""
    from transom.bootstrap.pack import Identity, pack
    from transom.cli.options.fleet_file import read_bytes
    from transom.facts.platforms import Platform
    from transom.facts.rows import At, one

    platform = one(Platform, args.platform, At())
    form = args.form or platform.form
    if form not in ("base64", "plain") and not args.hostname:
        raise UsageError(
            "the metadata beside the boot data needs a name", subject="--hostname", hint="give one"
        )
    if args.out == "-" and (args.output == "json" or _is_binary(form)):
        raise UsageError("the result needs a file", subject="--out", hint="name it: --out FILE")
    identity = Identity(
        hostname=args.hostname or "",
        instance_id=args.instance_id,
        public_keys=tuple(read_bytes(file).decode().strip() for file in args.public_key),
        network_config=read_bytes(args.network_config) if args.network_config else b"",
    )
    packed = pack(source.read(args.source, args).data, platform, identity, form=args.form)
    if args.out == "-":
        sys.stdout.buffer.write(packed.content)
        sys.stdout.buffer.flush()
    else:
        write_private(args.out, packed.content)
    _tell(args, packed, platform)
    return 0


def _is_binary(form: str) -> bool:
    from transom.bootstrap.pack import FORMS

    return form in FORMS


def _tell(args: Namespace, packed: "Packed", platform: "Platform") -> None:
    if args.output == "json":
        from transom.cli.output import console
        from transom.documents.boot import PackResult

        console.print_json(
            PackResult(
                platform=platform.id,
                form=packed.form,
                file=args.out,
                bytes=packed.size,
                limit=platform.limit,
                keys=packed.keys,
                services=packed.services,
                advice=packed.advice,
            )
        )
        return
    limit = f" of {platform.limit}" if platform.limit and packed.form == platform.form else ""
    lines = [
        f"{args.out}: {packed.form} for {platform.title}, {packed.size} bytes{limit}",
        f"  goes:    {platform.transport if packed.form == platform.form else 'on a CD drive'}",
        f"  enable:  metadata_services={','.join(packed.services)}",
    ]
    if packed.advice:
        lines.append(f"  note:    {packed.advice}")
    print("\n".join(lines), file=sys.stderr if args.out == "-" else sys.stdout)
