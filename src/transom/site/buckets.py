"""Results in a bucket by the S3 API: kept there in Prow's layout, and read from there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from transom.errors import PermanentError, UsageError
from transom.node.vault.sigv4 import Credentials
from transom.remote.bucket import Bucket, BucketAddress
from transom.remote.https import Https
from transom.verify.page import run_files
from transom.verify.summary import JOB, Verification, runs_of

if TYPE_CHECKING:
    from transom.site.environment import Environment

_KEY, _SECRET, _TOKEN = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"
_REGION, _ENDPOINT = "AWS_REGION", "AWS_ENDPOINT_URL_S3"
_LARGEST = 64 * 2**20
_MOST_BYTES = 1 << 30
_MOST_FILES = 20_000
_RESULTS = (".json", ".xml", ".xml.gz", ".json.gz", ".tar.gz", ".tgz")


def open_bucket(
    environment: "Environment",
    text: str,
    *,
    endpoint: str = "",
    region: str = "",
    ca_file: str = "",
) -> Bucket:
    """Open the bucket that is meant; who asks stands in the environment, as for Amazon's own tools."""
    variables = environment.variables
    missing = [name for name in (_KEY, _SECRET) if not variables.get(name)]
    if missing:
        raise UsageError(
            f"cannot use the bucket {text}: {' and '.join(missing)} are not set",
            subject="--bucket",
            hint="set them in the environment; a schedule takes them from a Secret",
        )
    address = BucketAddress.parse(
        text,
        endpoint=endpoint or variables.get(_ENDPOINT, ""),
        region=region or variables.get(_REGION, ""),
    )
    credentials = Credentials(
        key=variables[_KEY], secret=variables[_SECRET], token=variables.get(_TOKEN, "")
    )
    return Bucket(address, credentials, Https(ca_file=ca_file, proxy=environment.proxy()))


def keep_in_bucket(found: Verification, bucket: Bucket, *, job: str = JOB) -> list[str]:
    """Write each run of checks as a Prow job leaves it; give the addresses of their folders.

    finished.json comes last: a run without it did not come to its end.
    """
    kept = []
    for run in runs_of(found, job=job):
        files = dict(run_files(run))
        last = next(name for name in files if name.endswith("finished.json"))
        for name in (*(item for item in files if item != last), last):
            address = bucket.put(name, files[name].encode())
        kept.append(address.removesuffix("/finished.json"))
    return kept


@contextmanager
def copied(bucket: Bucket) -> Iterator[Path]:
    """The results below a bucket's folder, as files for as long as they are read."""
    total = 0
    with TemporaryDirectory(prefix="transom-results-") as folder:
        for number, (key, size) in enumerate(bucket.objects()):
            path = PurePosixPath(key)
            if (
                not key.endswith(_RESULTS)
                or ".." in path.parts
                or path.is_absolute()
                or "\\" in key
            ):
                continue
            total += size
            if number >= _MOST_FILES or total > _MOST_BYTES or size > _LARGEST:
                raise PermanentError(
                    f"{bucket.address} has more than a run of results: name a folder in it",
                    subject=str(bucket.address),
                )
            target = Path(folder).joinpath(*path.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(bucket.get(key, largest=_LARGEST))
        yield Path(folder)
