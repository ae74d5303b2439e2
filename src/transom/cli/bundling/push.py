"""`transom bundle push`: images into a private registry."""

from argparse import Namespace
from pathlib import Path
from urllib.parse import urlsplit

from transom.cli.fetchers import Fetchers
from transom.errors import UsageError
from transom.image.bundle.archive import Bundle
from transom.image.bundle.push import push
from transom.remote.registry import Repository


def run(args: Namespace) -> int:
    """Push, and say what each image is called there."""
    place = urlsplit(args.to)
    if place.scheme != "https" or not place.netloc:
        raise UsageError(
            f"cannot push to {args.to}", hint="write https://HOST, or https://HOST/PATH"
        )
    bundle = Bundle(Path(args.bundle))
    bundle.refuse_damage()
    doors = Fetchers(args.ca_file, args.header)
    base, prefix = f"https://{place.netloc}", place.path.strip("/")

    def repository(name: str) -> Repository:
        return doors.registry(base, f"{prefix}/{name}".removeprefix("/"))

    for image, name, sent in push(bundle, repository):
        there = "/".join(part for part in (place.netloc, prefix, name) if part)
        said = f"{sent} blobs sent" if sent else "was there"
        print(f"{image.reference} -> {there}@{image.digest}  {said}")
    return 0
