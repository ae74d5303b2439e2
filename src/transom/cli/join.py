"""`transom join ADDRESS`: one Windows machine becomes a Ready node."""

import asyncio
import json
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import console, host_access, lock_file, source_access, trusted_bundle
from transom.cli.documents.nodes import JoinResult
from transom.cli.step_lines import StepLines
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.cli.fetchers import Fetchers
    from transom.fleet.join import Joined
    from transom.fleet.program import Brought
    from transom.model.fleet import Fleet, Source
    from transom.model.lock import Lock

SUMMARY = "Make one Windows machine a Ready node of the cluster; a second time changes nothing."

_EXAMPLES = """\
examples:
  transom join 10.0.0.21
  transom join Administrator@win-01.corp --key ~/.ssh/id_ed25519 --context prod
  transom join 10.0.0.21 --jump bastion --mirror https://dl.k8s.io=https://mirror.corp/k8s

exit codes: 0 Ready, 2 usage, 3 the machine or the cluster cannot (every reason is printed),
4 try again (unreachable, a reboot first, not Ready yet), 5 failed and undone
"""
_CACHE = "~/.cache/transom/python"


def configure(parser: ArgumentParser) -> None:
    """Add the host, the cluster and where artifacts come from."""
    parser.epilog = _EXAMPLES
    host_access.add_arguments(parser)
    parser.add_argument(
        "--reboot", action="store_true", help="reboot the host where Windows asks for it, and go on"
    )
    parser.add_argument(
        "--kubernetes", metavar="VERSION", help="such as 1.37.1 (default: the API server's)"
    )
    parser.add_argument(
        "--node-kubeconfig",
        metavar="FILE",
        help="join without kubeadm and token: this kubeconfig is the kubelet's credential",
    )
    add_artifact_arguments(parser)
    parser.add_argument(
        "--bundle",
        metavar="FILE",
        help="take artifacts and Python from this bundle and from nowhere else; it must agree with "
        "the lock, or be signed",
    )
    trusted_bundle.add_arguments(parser)


def add_artifact_arguments(
    parser: ArgumentParser, *, lock: str = "SHA-256 sums; what a join lacks is pinned and added"
) -> None:
    """Where artifacts come from, and the Python that the node program runs in."""
    artifacts = parser.add_argument_group("artifacts")
    artifacts.add_argument(
        "--mirror",
        action="append",
        default=[],
        metavar="URL=URL",
        help="take what begins with the first from the second; repeatable",
    )
    artifacts.add_argument(
        "--lock",
        metavar="FILE",
        help=f"{lock} (default: {lock_file.NAME})",
    )
    artifacts.add_argument(
        "--python",
        metavar="FILE",
        help="python.org's embeddable package for the host, instead of downloading it",
    )
    source_access.add_arguments(artifacts)


def run(args: Namespace) -> int:
    """Join, and print what came of it."""
    from transom.cli.fetchers import Fetchers
    from transom.fleet.join import join_host
    from transom.model.fleet import Source

    if args.bundle and (args.mirror or args.python):
        raise UsageError(
            "--bundle uses nothing else, so --mirror and --python have no place beside it",
            hint="leave out one of them",
        )
    lock_path = Path(args.lock or lock_file.NAME)
    bundle = Path(args.bundle) if args.bundle else None
    opened = trusted_bundle.open_bundle(bundle, args, lock=lock_path) if bundle else None
    source = Source(mirrors=host_access.mirrors_of(args.mirror))
    sources = Fetchers(args.ca_file, args.header)
    wish = replace(
        host_access.wish_of(args, source),
        access=source_access.access_of(args.ca_file, args.header),
        node_kubeconfig=node_kubeconfig(args.node_kubeconfig),
        kubernetes=host_access.version_of(args.kubernetes, option="--kubernetes"),
    )
    doors = host_access.doors_of(args)
    lines = StepLines()
    lines.stage("have the Python for the host")
    if opened is not None:
        from transom.fleet.program import Brought

        brought = Brought.with_python(opened[0].python(opened[1]))
    else:
        lock = lock_file.load(lock_path)
        brought = brought_of(args.python, lock, source, sources)

    def pin(fleet: "Fleet") -> "Lock":
        return opened[1] if opened is not None else lock_of(lock_path, fleet, sources)

    holdings = opened[0] if opened is not None else None

    async def joining() -> "Joined":
        try:
            return await join_host(
                wish, doors, brought=brought, pin=pin, watcher=lines, holdings=holdings
            )
        finally:
            await doors.api.close()

    try:
        joined = asyncio.run(joining())
    except KeyboardInterrupt:
        lines.end()
        print(
            "interrupted: the host finishes the step it is at and stops there\n"
            f"  to go on:        transom join {args.address}\n"
            f"  to take it back: transom reset {args.address}",
            file=sys.stderr,
        )
        raise
    finally:
        lines.end()
    _print(joined, args.output, lines.elapsed_s)
    return 0


def node_kubeconfig(path: str | None) -> str:
    """The credential as text the host can read, whatever YAML it was written in."""
    if path is None:
        return ""
    from transom.node.kubeconfig import read_access
    from transom.spec.loader import load

    try:
        content = Path(path).expanduser().read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", subject=path) from error
    documents = load(content, name=path)
    text = json.dumps(documents[0].value if documents else None)
    if read_access(text).client:
        raise UsageError(
            f"{path} names a certificate in another file",
            subject=path,
            hint="`kubectl config view --flatten --minify --raw` puts everything into one",
        )
    return text


def brought_of(
    python: str | Path | None, lock: "Lock", source: "Source", sources: "Fetchers | None" = None
) -> "Brought":
    """The node program, and the Python for hosts by its pinned sum, or the one in a file."""
    from transom.cli.fetchers import Fetchers
    from transom.fleet.interpreter import (
        fetch_interpreter,
        interpreter_artifact,
        own_interpreter,
    )
    from transom.fleet.program import Brought

    pinnable = interpreter_artifact(source)
    if python:
        return Brought.with_python(own_interpreter(Path(python), pinnable, lock))
    folder = Path(_CACHE).expanduser()
    fetcher = sources or Fetchers()
    return Brought.with_python(fetch_interpreter(pinnable, lock, fetcher=fetcher, folder=folder))


def lock_of(path: Path, fleet: "Fleet", sources: "Fetchers") -> "Lock":
    """The lock with everything the fleet needs; what was missing is pinned and written down."""
    from transom.cli.fetchers import progress_of
    from transom.fleet import pin
    from transom.recipe.pinnable import artifacts_of

    lock = lock_file.load(path)
    there = lock.by_key()
    missing = [item for item in pin.distinct(artifacts_of([fleet])) if item.key not in there]
    if not missing:
        return lock
    with tempfile.TemporaryDirectory(prefix="transom-join-") as folder:
        found = pin.pin_all(missing, fetcher=sources, folder=Path(folder), progress=progress_of)
    lock = lock.with_entries(found.entries)
    lock_file.save(path, lock)
    if found.failures:
        raise UsageError(
            "artifacts could not be pinned", hint="name a mirror, or a lock that has them"
        ) from pin.failure_of(found.failures)
    return lock


def _print(joined: "Joined", output: str, elapsed_s: float) -> None:
    node, target = joined.node, joined.recipe.target
    if output == "json":
        console.print_json(
            JoinResult(
                node=node.name,
                ready=node.ready,
                kubernetes=node.kubelet,
                windows=target.windows_release,
                runtime=f"{target.runtime} {target.runtime_version}",
                changed=joined.changed,
                elapsed_ms=round(elapsed_s * 1000),
            )
        )
        return
    said = f"{len(joined.changed)} steps changed" if joined.changed else "nothing to change"
    print(
        f"{node.name} is Ready: Kubernetes {node.kubelet}, Windows Server {target.windows_release}, "
        f"{target.runtime} {target.runtime_version}; {said}, {elapsed_s:.1f} s"
    )
