"""A memory limit that an old .NET runtime does not see.

What it flags: a memory limit of a container whose image is of a .NET release from before the runtime
read such limits.
Why it fails: the garbage collector sizes the heap by the memory of the node and grows beyond the
limit, where allocations fail.
Example: `memory: 1Gi` for `mcr.microsoft.com/dotnet/framework/aspnet:4.7.2`.
Instead: use .NET Framework 4.8, or .NET Core 3.0 or later.
Sources: microsoft/dotnet-framework-docker, discussion 936; dotnet/coreclr, issue 18971.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.image import read_image, unaware_of_limits
from transom.workload.pods import PodView, mapping
from transom.workload.rule import Hit, declare

RULE = declare("WIN107", "memory-limit-unseen-by-dotnet")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per limited container of such an image."""
    for container in pod.containers:
        limits = mapping(mapping(container.value.get("resources")).get("limits"))
        runtime = unaware_of_limits(read_image(container.image)) if container.image else None
        if runtime is not None and limits.get("memory") is not None:
            path = (*container.path, "resources", "limits", "memory")
            yield Hit(
                path, f"{container.image}; {runtime.name} sees limits from {runtime.since} on"
            )
