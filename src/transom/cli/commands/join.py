"""`transom join ADDRESS`: one Windows machine becomes a Ready node."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.options import host_access, lock_file, source_access, trusted_bundle
from transom.cli.output import console
from transom.documents.nodes import JoinResult
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.fleet.on_host.program import Brought
    from transom.fleet.on_host.upload import Holdings
    from transom.model.lock import Lock
    from transom.site.one_host import Changed

SUMMARY = "Make one Windows machine a Ready node of the cluster; a second time changes nothing."

_EXAMPLES = """\
examples:
  transom join 10.0.0.21
  transom join Administrator@win-01.corp --key ~/.ssh/id_ed25519 --context prod
  transom join 10.0.0.21 --jump bastion --mirror https://dl.k8s.io=https://mirror.corp/k8s

A node in use is drained first where its pods would feel the change.
exit codes: 0 Ready, 1 Ready, and settings are not applied, 2 usage, 3 the machine or the cluster cannot (every reason is printed),
4 try again (unreachable, a reboot first, not Ready yet), 5 failed and undone
"""


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
    from transom.cli.options import one_machine
    from transom.cli.output.fleet_lines import FleetLines
    from transom.site import one_host

    lines = FleetLines(1)
    one = one_machine.open_machine(
        args,
        lines,
        kubernetes=host_access.version_of(args.kubernetes, option="--kubernetes"),
        node_kubeconfig=node_kubeconfig(args.node_kubeconfig),
        bundle=_bundle(args),
    )
    said = (
        "interrupted: the host finishes the step it is at and stops there",
        f"to go on:        transom join {args.address}",
        f"to take it back: transom reset {args.address}",
    )
    joined = one_machine.see_to(one, lines, one_host.join, said=said)
    _print(joined, args.output, lines.elapsed_s)
    return one_machine.exit_code(joined.applied)


def _bundle(args: Namespace) -> "tuple[Holdings, Lock, Brought] | None":
    """What a bundle has, where one is named."""
    if not args.bundle:
        return None
    if args.mirror or args.python:
        raise UsageError(
            "--bundle uses nothing else, so --mirror and --python have no place beside it",
            hint="leave out one of them",
        )
    from transom.fleet.on_host.program import Brought

    kept = Path(args.lock or lock_file.NAME)
    holdings, lock = trusted_bundle.open_bundle(Path(args.bundle), args, lock=kept)
    return holdings, lock, Brought.with_python(holdings.python(lock))


def node_kubeconfig(path: str | None) -> str:
    """The credential as text the host can read, whatever YAML it was written in."""
    if path is None:
        return ""
    from transom.node.kubernetes.kubeconfig import read_access
    from transom.yamlio.loader import load

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


def _print(joined: "Changed", output: str, elapsed_s: float) -> None:
    from transom.cli.options import one_machine

    applied, target = joined.applied, joined.recipe.target
    if output == "json":
        console.print_json(
            JoinResult(
                node=joined.node,
                ready=bool(applied.ready),
                kubernetes=applied.kubelet,
                windows=target.windows_release,
                runtime=f"{target.runtime} {target.runtime_version}",
                changed=applied.changed,
                notes=applied.notes,
                not_applied=applied.not_applied,
                elapsed_ms=round(elapsed_s * 1000),
            )
        )
        return
    said = f"{len(applied.changed)} steps changed" if applied.changed else "nothing to change"
    print(
        f"{joined.node} is Ready: Kubernetes {applied.kubelet}, Windows Server {target.windows_release}, "
        f"{target.runtime} {target.runtime_version}; {said}, {elapsed_s:.1f} s"
    )
    one_machine.print_remarks(applied)
