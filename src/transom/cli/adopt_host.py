"""`transom adopt ADDRESS`: a node that somebody else made, written down as found and planned."""

import asyncio
from argparse import Namespace
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import console, host_access, lock_file
from transom.cli.documents.nodes import AdoptResult
from transom.cli.join import brought_of, lock_of
from transom.cli.step_lines import StepLines

if TYPE_CHECKING:
    from transom.fleet.adopt_host import Adopted


def run(args: Namespace) -> int:
    """Adopt, and print what an upgrade would change."""
    from transom.cli.fetchers import Fetchers
    from transom.fleet.adopt_host import adopt_host
    from transom.model.fleet import Source

    source = Source(mirrors=host_access.mirrors_of(args.mirror))
    sources = Fetchers(args.ca_file, args.header)
    wish = replace(host_access.wish_of(args, source), access=sources.access())
    doors = host_access.doors_of(args)
    lines = StepLines()
    lines.stage("have the Python for the host")
    path = Path(args.lock or lock_file.NAME)
    brought = brought_of(args.python, lock_file.load(path), source, sources)

    async def adopting() -> "Adopted":
        try:
            return await adopt_host(
                wish,
                doors,
                brought=brought,
                pin=partial(lock_of, path, sources=sources),
                watcher=lines,
            )
        finally:
            await doors.api.close()

    try:
        done = asyncio.run(adopting())
    finally:
        lines.end()
    _print(done, args.output, lines.elapsed_s)
    return 0


def _print(done: "Adopted", output: str, elapsed_s: float) -> None:
    node = done.node
    planned = [step for step in done.plan.steps if step.drift]
    if output == "json":
        console.print_json(
            AdoptResult(
                node=node.name,
                kubernetes=node.kubelet,
                is_new=done.is_new,
                planned=tuple(planned),
                elapsed_ms=round(elapsed_s * 1000),
            )
        )
        return
    how = "adopted" if done.is_new else "adopted already"
    print(
        f"{node.name} is {how}, Kubernetes {node.kubelet}; nothing was changed, {elapsed_s:.1f} s"
    )
    if planned:
        print("`transom upgrade` would change:")
    for step in planned:
        print(f"  {step.title} ({step.disruption})")
        for drift in step.drift:
            print(f"    {drift.subject}: {drift.found} -> {drift.wanted}")
