"""`transom upgrade ADDRESS`: one node to another Kubernetes version, or back to where it was."""

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from transom.cli import console, host_access
from transom.cli.documents.nodes import UpgradeResult
from transom.cli.one_host import one_host

if TYPE_CHECKING:
    from transom.fleet.upgrade_host import Upgraded


def run(args: Namespace) -> int:
    """Upgrade, and print what came of it."""
    from transom.fleet.upgrade_host import upgrade_host

    host = one_host(args, kubernetes=host_access.version_of(args.to, option="--to"))
    try:
        done = host.see_to(
            lambda: upgrade_host(
                host.wish,
                host.doors,
                brought=host.brought,
                pin=host.pin,
                watcher=host.lines,
                may_join_anew=args.anew,
            )
        )
    except KeyboardInterrupt:
        print(
            "interrupted: the host finishes the step it is at and takes the upgrade back\n"
            f"  to upgrade again: transom upgrade {args.address}",
            file=sys.stderr,
        )
        raise
    _print(done, args.output, host.lines.elapsed_s)
    return 0


def _print(done: "Upgraded", output: str, elapsed_s: float) -> None:
    node = done.node
    if output == "json":
        console.print_json(
            UpgradeResult(
                node=node.name,
                ready=node.ready,
                before=done.before,
                kubernetes=node.kubelet,
                anew=done.anew,
                changed=done.changed,
                elapsed_ms=round(elapsed_s * 1000),
            )
        )
        return
    if not done.changed:
        print(f"{node.name} is Ready on {node.kubelet}; nothing to change, {elapsed_s:.1f} s")
        return
    how = "reset and joined anew" if done.anew else f"{len(done.changed)} steps changed"
    print(
        f"{node.name} is Ready: Kubernetes {done.before} -> {node.kubelet}; {how}, {elapsed_s:.1f} s"
    )
