"""`transom adopt ADDRESS`: a node that somebody else made, written down as found and planned."""

from argparse import Namespace
from typing import TYPE_CHECKING

from transom.cli import console
from transom.cli.documents.nodes import AdoptResult
from transom.cli.one_host import one_host

if TYPE_CHECKING:
    from transom.fleet.adopt_host import Adopted


def run(args: Namespace) -> int:
    """Adopt, and print what an upgrade would change."""
    from transom.fleet.adopt_host import adopt_host

    host = one_host(args)
    done = host.see_to(
        lambda: adopt_host(
            host.wish, host.doors, brought=host.brought, pin=host.pin, watcher=host.lines
        )
    )
    _print(done, args.output, host.lines.elapsed_s)
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
