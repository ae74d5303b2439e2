"""`transom image list`: images that somebody publishes, and how to ask for the newest."""

import asyncio
from argparse import ArgumentParser, Namespace

SUMMARY = "List published images for Windows nodes, and the command that asks what is there now."

_EXAMPLES = """\
examples:
  transom image list
  transom image list --platform azure --kubernetes 1.37.1
  transom image list -o json
  transom image list --offline               only what the facts know

Where `az` is installed it is asked what is published now; where it cannot say, that is said and nothing fails.
exit codes: 0 printed, 2 usage
"""


_SHOWN = 8


def configure(parser: ArgumentParser) -> None:
    """Add what narrows the list."""
    from transom.facts.platforms import Platform
    from transom.facts.rows import read

    parser.epilog = _EXAMPLES
    parser.add_argument("--platform", choices=[row.id for row in read(Platform)])
    parser.add_argument(
        "--kubernetes", metavar="VERSION", default="", help="fill it in, such as 1.37.1"
    )
    parser.add_argument("--offline", action="store_true", help="do not ask `az`")
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def run(args: Namespace) -> int:
    """Print them."""
    from transom.documents.images import PublishedImages, images_of

    found = images_of(args.platform or "", args.kubernetes)
    if not args.offline:
        from transom.remote import az
        from transom.site.images import with_published

        found = asyncio.run(with_published(found, az.installed()))
    if args.output == "json":
        from transom.cli.output import console

        console.print_json(PublishedImages(items=found))
        return 0
    for image in found:
        print(f"{image.platform}  Windows Server {image.windows}  {image.reference}")
        print(f"  by:    {image.publisher}; {image.text}")
        print(f"  query: {image.query}")
        if image.published:
            print(f"  now:   {', '.join(image.published[-_SHOWN:])}")
        if image.problem:
            print(f"  now:   not known: {image.problem}")
    if not found:
        print("nobody publishes an image that the facts know; `transom recipe` says what one needs")
    return 0
