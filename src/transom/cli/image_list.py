"""`transom image list`: images that somebody publishes, and how to ask for the newest."""

from argparse import ArgumentParser, Namespace

SUMMARY = "List published images for Windows nodes, and the command that asks what is there now."

_EXAMPLES = """\
examples:
  transom image list
  transom image list --platform azure --kubernetes 1.37.1
  transom image list -o json

exit codes: 0 printed, 2 usage
"""


def configure(parser: ArgumentParser) -> None:
    """Add what narrows the list."""
    from transom.facts.platforms import Platform
    from transom.facts.rows import read

    parser.epilog = _EXAMPLES
    parser.add_argument("--platform", choices=[row.id for row in read(Platform)])
    parser.add_argument(
        "--kubernetes", metavar="VERSION", default="", help="fill it in, such as 1.37.1"
    )
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def run(args: Namespace) -> int:
    """Print them."""
    from transom.cli.documents.images import PublishedImages, images_of

    found = images_of(args.platform or "", args.kubernetes)
    if args.output == "json":
        from transom.cli import console

        console.print_json(PublishedImages(items=found))
        return 0
    for image in found:
        print(f"{image.platform}  Windows Server {image.windows}  {image.reference}")
        print(f"  by:    {image.publisher}; {image.text}")
        print(f"  query: {image.query}")
    if not found:
        print("nobody publishes an image that the facts know; `transom recipe` says what one needs")
    return 0
