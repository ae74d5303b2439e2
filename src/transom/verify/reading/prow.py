"""The folder that a Prow job leaves in its bucket: started.json, finished.json, artifacts/.

Layout: kubernetes-sigs/prow pkg/spyglass and gubernator's GCS layout; TestGrid adds the row "Overall" for the job itself.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from transom.verify.reading.ginkgo import read_json
from transom.verify.results import VARIANT_KEYS, Case, Outcome

STARTED = "started.json"
FINISHED = "finished.json"
_JOB = "prowjob.json"
OVERALL = "Overall"


class ProwRun:
    """What the job says of itself, beside the results in its artifacts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started = _object(folder / STARTED)
        self._finished = _object(folder / FINISHED)
        self._job = _object(folder / _JOB)

    @property
    def job(self) -> str:
        """The job's name: its own word, or the folder that holds its runs."""
        spec = self._job.get("spec")
        named = spec.get("job") if isinstance(spec, dict) else None
        return named if isinstance(named, str) and named else self.folder.resolve().parent.name

    @property
    def build(self) -> str:
        """The run's number, which is the folder's name."""
        return self.folder.resolve().name

    @property
    def started(self) -> int | None:
        """When it began, in seconds since 1970."""
        return _seconds(self._started.get("timestamp")) or _seconds(self._finished.get("timestamp"))

    @property
    def variant(self) -> dict[str, str]:
        """What `metadata` of either file says the run ran on."""
        found: dict[str, str] = {}
        for document in (self._started, self._finished):
            metadata = document.get("metadata")
            if isinstance(metadata, dict):
                found |= {key: str(metadata[key]) for key in VARIANT_KEYS if metadata.get(key)}
        return found

    def overall(self) -> Iterator[Case]:
        """The job as a test: one that broke before its first test is not green."""
        passed = self._finished.get("passed")
        result = str(self._finished.get("result", ""))
        if passed is None and not result:
            message = f"{FINISHED} is missing: the job did not come to its end"
            yield Case(OVERALL, Outcome.FAILED, 0, message)
        elif passed or result == "SUCCESS":
            yield Case(OVERALL, Outcome.PASSED)
        else:
            yield Case(OVERALL, Outcome.FAILED, 0, f"the job ended with {result or 'a failure'}")


def is_prow_run(folder: Path) -> bool:
    """Whether a folder is one run of a job."""
    return (folder / STARTED).is_file() or (folder / FINISHED).is_file()


def _object(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    with path.open("rb") as stream:
        document = read_json(stream, str(path))
    return document if isinstance(document, dict) else {}


def _seconds(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and 0 < value < 1 << 40 else None
