"""`transom verify list`: which of upstream's tests its jobs for Windows run, and how to run the same."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transom.documents.verify import UpstreamJobTests, UpstreamTests
    from transom.facts.upstream import UpstreamJob

SUMMARY = "which of upstream's tests the jobs of SIG Windows run, and how to run the same"

_EXAMPLES = """\
examples:
  transom verify list --kubernetes 1.37                  the jobs
  transom verify list --kubernetes 1.37 --job windows    its tests, counted, and ready commands
  transom verify list --kubernetes 1.37 --job windows --skip 'ResourceQuota'
  transom verify list --kubernetes 1.37 --job windows -f fleet.yaml --repo-list repo-list.yaml

exit codes: 0 listed, 2 usage, or a focus that selects no test, 3 nothing is known of that minor
"""


def configure(parser: ArgumentParser) -> None:
    """Add what is asked for."""
    parser.description = f"Print {SUMMARY}."
    parser.epilog = _EXAMPLES
    parser.add_argument("--kubernetes", metavar="VERSION", required=True, help="such as 1.37")
    parser.add_argument("--job", metavar="NAME", default="", help="one job; default: all of them")
    parser.add_argument("--focus", metavar="REGEX", default="", help="in place of the job's")
    parser.add_argument("--skip", metavar="REGEX", default="", help="in addition to the job's")
    parser.add_argument("-f", "--file", metavar="FLEET", default="", help="a fleet, for its mirror")
    parser.add_argument(
        "--repo-list", metavar="FILE", default="", help="write KUBE_TEST_REPO_LIST for that mirror"
    )
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")


def run(args: Namespace) -> int:
    """Print the jobs, or one of them in full."""
    from transom.cli.output import console

    listed = _listed(args)
    if args.repo_list:
        _write(args.repo_list, listed.registries)
    if args.output == "json":
        console.print_json(listed)
    elif args.job:
        _print_one(listed)
    else:
        rows = [(job.name, _count(job), job.job, job.about) for job in listed.jobs]
        console.print_table(("JOB", "TESTS", "UPSTREAM'S NAME", "WHAT IT RUNS"), rows)
    return 0


def _listed(args: Namespace) -> "UpstreamTests":
    from transom.documents.verify import UpstreamTests
    from transom.errors import UsageError
    from transom.model.version import Version
    from transom.verify import upstream

    try:
        minor = Version.parse(args.kubernetes.removeprefix("v"))
    except ValueError as error:
        raise UsageError(
            f"{args.kubernetes!r} is no version", subject="--kubernetes", hint="write 1.37"
        ) from error
    if (args.focus or args.skip) and not args.job:
        raise UsageError("--focus and --skip change one job", subject="--job", hint="name a job")
    chosen = [upstream.find(minor, args.job)] if args.job else upstream.jobs(minor)
    registries = upstream.registries(minor, _mirrors(args.file)) if args.file else {}
    if args.repo_list and not registries:
        raise UsageError(
            "there is no mirror to write down",
            subject="--repo-list",
            hint="-f names a fleet with runtime.containerd.mirrors for registry.k8s.io",
        )
    return UpstreamTests(
        kubernetes=minor.minor_text,
        jobs=tuple(
            _job(job, minor.minor_text, args, has_repo_list=bool(registries)) for job in chosen
        ),
        registries=registries,
    )


def _job(
    job: "UpstreamJob", minor: str, args: Namespace, *, has_repo_list: bool
) -> "UpstreamJobTests":
    from transom.documents.verify import UpstreamJobTests
    from transom.facts.e2e_names import names
    from transom.verify import upstream
    from transom.verify.selection import compiled, select

    focus = args.focus or job.focus
    skip = f"{job.skip}|{args.skip}" if args.skip else job.skip
    known = names(minor)
    if known is None:  # it cannot be counted, but it can be judged whether Go takes it
        compiled(focus, "focus")
        compiled(skip, "skip")
    selection = None if known is None else select(known, focus=focus, skip=skip)
    commands = upstream.commands(
        focus=focus, skip=skip, processes=job.processes, has_repo_list=has_repo_list
    )
    return UpstreamJobTests(
        name=upstream.short_name(job),
        job=job.job,
        about=job.about,
        focus=focus,
        skip=skip,
        processes=job.processes,
        tests=len(selection.tests) if selection else None,
        names=selection.tests if selection and args.job else (),
        dead=selection.dead if selection and args.job else (),
        commands=commands if args.job else {},
    )


def _mirrors(file: str) -> dict[str, tuple[str, ...]]:
    """For each registry the mirrors that the fleets' containerd asks."""
    from transom.cli.options import fleet_file

    found: dict[str, tuple[str, ...]] = {}
    for fleet in fleet_file.read(file):
        containerd = fleet.runtime.containerd if fleet.runtime else None
        for registry, mirrors in (containerd.mirrors if containerd else {}).items():
            found[registry] = (*found.get(registry, ()), *mirrors)
    return found


def _count(job: "UpstreamJobTests") -> str:
    return "not known" if job.tests is None else str(job.tests)


def _print_one(listed: "UpstreamTests") -> None:
    (job,) = listed.jobs
    print(f"{job.job}: {job.about}")
    if job.tests is None:
        print(f"tests: not known: this Transom has no list of the tests of {listed.kubernetes}")
    else:
        print(f"tests: {job.tests}")
    for part in job.dead:
        print(f"  matches nothing: {part}")
    print(f"focus: {job.focus}\nskip:  {job.skip}\nprocesses: {job.processes}")
    for name, command in job.commands.items():
        print(f"\n{name}:\n  {command}")
    if listed.registries:
        from transom.verify.upstream import REPO_LIST, repo_list

        print(f"\n{REPO_LIST} (KUBE_TEST_REPO_LIST):")
        print("".join(f"  {line}\n" for line in repo_list(listed.registries).splitlines()), end="")
    for name in job.names:
        print(name)


def _write(path: str, registries: dict[str, str]) -> None:
    from pathlib import Path

    from transom.errors import UsageError
    from transom.verify.upstream import repo_list

    try:
        Path(path).write_text(repo_list(registries), encoding="utf-8")
    except OSError as error:
        raise UsageError("cannot write the file", subject=path) from error
