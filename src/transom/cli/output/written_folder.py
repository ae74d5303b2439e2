"""A folder that a command writes as a whole: again and again, and never over somebody else's files."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from transom.errors import UsageError


def write(folder: Path, files: Mapping[str, bytes], *, mark: str) -> None:
    """Have just these files there; `mark` is the one by which an earlier writing is known."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in folder.iterdir()}
        if names and mark not in names:
            raise UsageError(
                f"{folder} has files of its own",
                subject=str(folder),
                hint="name a new folder, or one that this command wrote before",
            )
        # Without the mark a folder left half written is nobody's, and is not taken for a whole one.
        (folder / mark).unlink(missing_ok=True)
        for top in {name.partition("/")[0] for name in files if "/" in name}:
            shutil.rmtree(folder / top, ignore_errors=True)
        for name, content in sorted(files.items(), key=lambda item: item[0] == mark):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise UsageError(
            f"cannot write {folder}: {error.strerror}",
            subject=str(folder),
            hint="name another folder",
        ) from error
