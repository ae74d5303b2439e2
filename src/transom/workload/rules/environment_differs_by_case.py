"""Names of environment variables that differ only by case.

What it flags: two variables of one container whose names are the same but for case.
Why it fails: Windows does not tell them apart, and the last one wins.
Example: `path` beside `Path`.
Instead: rename one of them.
Sources: learn.microsoft.com, environment variables.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN091", "environment-differs-by-case")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per variable that takes the place of an earlier one."""
    for container in pod.containers:
        seen: dict[str, str] = {}
        for index, variable in enumerate(sequence(container.value.get("env"))):
            name = mapping(variable).get("name")
            if not isinstance(name, str):
                continue
            earlier = seen.setdefault(name.lower(), name)
            if earlier != name:
                yield Hit((*container.path, "env", index, "name"), f"{name} and {earlier}")
