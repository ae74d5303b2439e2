"""`transom upgrade ADDRESS`: one node to another Kubernetes version, or back to where it was."""

import asyncio
import sys
from argparse import Namespace
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import console, host_access, lock_file
from transom.cli.documents.nodes import UpgradeResult
from transom.cli.join import brought_of, lock_of
from transom.cli.step_lines import StepLines

if TYPE_CHECKING:
    from transom.fleet.upgrade_host import Upgraded


def run(args: Namespace) -> int:
    """Upgrade, and print what came of it."""
    from transom.cli.fetchers import Fetchers
    from transom.fleet.upgrade_host import upgrade_host
    from transom.model.fleet import Source

    source = Source(mirrors=host_access.mirrors_of(args.mirror))
    sources = Fetchers(args.ca_file, args.header)
    wish = replace(
        host_access.wish_of(args, source),
        access=sources.access(),
        kubernetes=(args.to or "").removeprefix("v"),
    )
    doors = host_access.doors_of(args)
    lines = StepLines()
    lines.stage("have the Python for the host")
    path = Path(args.lock or lock_file.NAME)
    brought = brought_of(args.python, lock_file.load(path), source, sources)

    async def upgrading() -> "Upgraded":
        try:
            return await upgrade_host(
                wish,
                doors,
                brought=brought,
                pin=partial(lock_of, path, sources=sources),
                watcher=lines,
                may_join_anew=args.anew,
            )
        finally:
            await doors.api.close()

    try:
        done = asyncio.run(upgrading())
    except KeyboardInterrupt:
        lines.end()
        print(
            "interrupted: the host finishes the step it is at and takes the upgrade back\n"
            f"  to upgrade again: transom upgrade {args.address}",
            file=sys.stderr,
        )
        raise
    finally:
        lines.end()
    _print(done, args.output, lines.elapsed_s)
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
