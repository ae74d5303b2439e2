"""Upstream's jobs for Windows: their tests, how to run the same, and where the images come from. Pure."""

import shlex
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from transom.errors import UnsupportedError, UsageError
from transom.facts.rows import At, rows
from transom.facts.upstream import ImageRegistry, UpstreamJob
from transom.model.version import Version

REPO_LIST = "repo-list.yaml"
_PREFIX = "upstream-"
_API = "v2"  # where a registry answers; it is no part of an image's name
# What every job of SIG Windows gives to e2e.test beside focus and skip (windows-testing, capz/run-capz-e2e.sh).
_ARGUMENTS = ("--provider=skeleton", "--node-os-distro=windows", "--prepull-images=true")


def jobs(minor: Version) -> tuple[UpstreamJob, ...]:
    """The jobs that are known for a minor."""
    found = rows(UpstreamJob, At(kubernetes=minor))
    if not found:
        known = dict.fromkeys(row.kubernetes for row in rows(UpstreamJob, At()))
        raise UnsupportedError(
            f"no job of SIG Windows is known for Kubernetes {minor.minor_text}",
            subject="--kubernetes",
            hint=f"known are those for {', '.join(known)}",
        )
    return found


def short_name(job: UpstreamJob) -> str:
    """The name that is the same for every minor."""
    return job.id.removeprefix(_PREFIX)


def find(minor: Version, name: str) -> UpstreamJob:
    """A job by either name."""
    found = jobs(minor)
    for job in found:
        if name in (short_name(job), job.id, job.job):
            return job
    raise UsageError(
        f"{name!r} is no job for Kubernetes {minor.minor_text}",
        subject="--job",
        hint=f"known are {', '.join(map(short_name, found))}",
    )


def commands(*, focus: str, skip: str, processes: int, has_repo_list: bool) -> dict[str, str]:
    """How e2e.test, hydrophone and Sonobuoy run these tests."""
    listed = f"KUBE_TEST_REPO_LIST={REPO_LIST} " if has_repo_list else ""
    program = [
        "ginkgo", f"--nodes={processes}", "e2e.test", "--", f"--ginkgo.focus={focus}", f"--ginkgo.skip={skip}",
        "--ginkgo.timeout=4h", "--report-dir=_artifacts", *_ARGUMENTS,
    ]  # fmt: skip
    hydrophone = [
        "hydrophone", "--focus", focus, "--skip", skip, "--parallel", str(processes),
        "--extra-args=" + ",".join(_ARGUMENTS), "--output-dir", "_artifacts",
        *(("--test-repo-list", REPO_LIST) if has_repo_list else ()),
    ]  # fmt: skip
    sonobuoy = [
        "sonobuoy", "run", "--wait", f"--e2e-focus={focus}", f"--e2e-skip={skip}",
        f"--e2e-parallel={'true' if processes > 1 else 'false'}",
        f"--plugin-env=e2e.E2E_EXTRA_ARGS={' '.join(_ARGUMENTS)}",
        *((f"--e2e-repo-config={REPO_LIST}",) if has_repo_list else ()),
    ]  # fmt: skip
    return {
        "e2e.test": listed + shlex.join(program),
        "hydrophone": shlex.join(hydrophone),
        "sonobuoy": shlex.join(sonobuoy),
    }


def registries(minor: Version, mirrors: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """KUBE_TEST_REPO_LIST: each registry of the tests that a fleet has a mirror for, there."""
    found = {}
    for row in rows(ImageRegistry, At(kubernetes=minor)):
        host, _, path = row.registry.partition("/")
        place = next(filter(None, map(_place, mirrors.get(host, ()))), "")
        if place:
            found[row.key] = f"{place}/{path}" if path else place
    return found


def _place(mirror: str) -> str:
    """A mirror's URL as the beginning of an image's name; nothing where no name leads there."""
    url = urlsplit(mirror)
    parts = [part for part in url.path.split("/") if part]
    if parts[:1] == [_API]:
        parts = parts[1:]
    return "" if _API in parts else "/".join((url.netloc, *parts))


def repo_list(found: Mapping[str, str]) -> str:
    """The file that KUBE_TEST_REPO_LIST names."""
    return "".join(f"{key}: {registry}\n" for key, registry in found.items())
