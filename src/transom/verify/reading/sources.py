"""Which runs a path holds: a file, a tarball, a folder of one run, or a folder of such folders."""

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from transom.errors import UsageError
from transom.model.records import dataclass
from transom.verify.reading import ginkgo, junit, sonobuoy
from transom.verify.reading.limits import refuse
from transom.verify.reading.prow import ProwRun, is_prow_run
from transom.verify.results import VARIANT_KEYS, Results, RunResults, Variant

_RESULTS = (".xml", ".json")
_ARCHIVES = (".tar", ".tar.gz", ".tgz")
_GZIP = b"\x1f\x8b"
_PREFIX = "transom."
_DEPTH = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the person who imports says of the runs; it wins over what files say."""

    job: str = ""
    build: str = ""
    started: int | None = None
    variant: Variant = Variant()


def runs_at(path: Path, given: Given) -> Iterator[RunResults]:
    """Every run below a path, one after the other; raise UsageError where there is none."""
    found = False
    for run in _runs(path, given, depth=0):
        found = True
        yield run
    if not found:
        raise refuse(
            str(path),
            "nothing there is a result",
            hint="results are JUnit XML, Ginkgo's report.json, a folder of a Prow job or a tarball of Sonobuoy",
        )


def _runs(path: Path, given: Given, *, depth: int) -> Iterator[RunResults]:
    try:
        if path.is_dir():
            yield from _folder(path, given, depth=depth)
        elif path.name.endswith(_ARCHIVES):
            yield _snapshot(path, given)
        else:
            yield _files(path, [path], given)
    except (OSError, EOFError, zlib.error) as error:
        file = getattr(error, "filename", None) or path
        raise UsageError("cannot read results", subject=str(file)) from error


def _folder(path: Path, given: Given, *, depth: int) -> Iterator[RunResults]:
    if is_prow_run(path):
        yield _prow(path, given)
        return
    inside = sorted(path.iterdir())
    results = [item for item in inside if item.is_file() and item.name.endswith(_RESULTS)]
    if results:
        yield _files(path, results, given)
    for item in inside:
        if item.is_dir() and not item.is_symlink() and depth < _DEPTH:
            yield from _folder(item, given, depth=depth + 1)
        elif item.name.endswith(_ARCHIVES):
            yield _snapshot(item, given)


def _files(path: Path, files: list[Path], given: Given) -> RunResults:
    document = _Documents()
    for file in files:
        document.take(file)
    return _run(
        given,
        results=document.results,
        job=path.parent.resolve().name if path.is_file() else path.resolve().name,
        build=document.digest,
        started=_moment(document.timestamp) or int(files[0].stat().st_mtime),
        variant=document.variant,
        source=str(path),
    )


def _prow(path: Path, given: Given) -> RunResults:
    prow = ProwRun(path)
    document = _Documents()
    for file in sorted((path / "artifacts").rglob("*")):
        if file.is_file() and _is_result(file):
            document.take(file)
    results = Results.of(prow.overall())
    results.take(document.results)
    return _run(
        given,
        results=results,
        job=prow.job,
        build=prow.build,
        started=prow.started or _moment(document.timestamp) or int(path.stat().st_mtime),
        variant=document.variant | prow.variant,
        source=str(path),
    )


def _is_result(file: Path) -> bool:
    """Whether a file among a job's artifacts is a result, and not one of its many others."""
    name = file.name.removesuffix(".gz")
    return (name.startswith("junit") and name.endswith(".xml")) or name.endswith("report.json")


def _snapshot(path: Path, given: Given) -> RunResults:
    with path.open("rb") as stream:
        snapshot = sonobuoy.read(stream, str(path))
    if not snapshot.results:
        raise refuse(str(path), "no plugin in it left JUnit results")
    return _run(
        given,
        results=snapshot.results,
        job="sonobuoy",
        build=path.name.split(".tar")[0].removesuffix(".tgz"),
        started=_moment(snapshot.timestamp) or int(path.stat().st_mtime),
        variant=snapshot.variant,
        source=str(path),
    )


def _run(
    given: Given,
    *,
    results: Results,
    job: str,
    build: str,
    started: int,
    variant: dict[str, str],
    source: str,
) -> RunResults:
    return RunResults(
        job=given.job or job,
        build=given.build or build,
        started=started if given.started is None else given.started,
        variant=given.variant.filled(variant),
        results=results,
        source=source,
    )


class _Documents:
    """The files of one run, taken together."""

    def __init__(self) -> None:
        self.timestamp = ""
        self.variant: dict[str, str] = {}
        self._junit = Results()
        self._report = Results()
        self._sum = hashlib.sha256()

    @property
    def results(self) -> Results:
        """Their tests. Ginkgo's own report counts where there is one: it knows retries."""
        return self._report or self._junit

    @property
    def digest(self) -> str:
        """A name made of the content, so that the same file is never two runs."""
        return self._sum.hexdigest()[:12]

    def take(self, file: Path) -> None:
        """Read one file."""
        with file.open("rb") as raw:
            is_packed = raw.read(2) == _GZIP
            raw.seek(0)
            self._sum.update(hashlib.file_digest(raw, "sha256").digest())
        with gzip.open(file) if is_packed else file.open("rb") as stream:
            if file.name.removesuffix(".gz").endswith(".json"):
                self._report.take(ginkgo.read(stream, str(file)))
                return
            document = junit.read(stream, str(file))
        self._junit.take(document.results)
        self.timestamp = self.timestamp or document.timestamp
        self.variant |= {
            key: value
            for key in VARIANT_KEYS
            if (value := document.properties.get(f"{_PREFIX}{key}"))
        }


def _moment(text: str) -> int | None:
    """An ISO time as seconds since 1970; without a zone it is taken for UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
