"""A bucket for results, as arguments."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.environment import environment

if TYPE_CHECKING:
    from transom.remote.bucket import Bucket


def add_arguments(parser: ArgumentParser, *, name: bool = True) -> None:
    """Add which bucket, and how it is reached."""
    if name:
        parser.add_argument(
            "--bucket",
            metavar="s3://NAME/PREFIX",
            default="",
            help="also keep the results there; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY say who asks",
        )
    parser.add_argument(
        "--endpoint", metavar="URL", default="", help="the S3 API's server; default: Amazon's"
    )
    parser.add_argument("--region", default="", help="the bucket's region")
    parser.add_argument("--ca-file", metavar="FILE", default="", help="a private authority of it")


def of(args: Namespace) -> "Bucket | None":
    """Give the bucket that was named, if one was."""
    return opened(args, args.bucket) if args.bucket else None


def opened(args: Namespace, text: str) -> "Bucket":
    """Open a bucket by its address."""
    from transom.site.buckets import open_bucket

    return open_bucket(
        environment(), text, endpoint=args.endpoint, region=args.region, ca_file=args.ca_file
    )
