"""What every host promises to the steps, as plain functions over `Machine`.

The same promises are asked of the simulated host in unit tests, of the lab's hosts and of any Windows Server (the verb
`selftest`). That keeps the simulated host honest: where it and Windows differ, it has to learn. Each promise
leaves nothing behind.
"""

from functools import partial

from transom.node.verbs.contract import files, programs, services, settings, system
from transom.node.verbs.contract.promise import Promise


def promises(program: str) -> dict[str, Promise]:
    """Every promise by its name; `program` is the node program's own file, which one service runs."""
    return {
        **files.PROMISES,
        **settings.PROMISES,
        **services.PROMISES,
        services.LIFE: partial(services.lives, program=program),
        **programs.PROMISES,
        **system.PROMISES,
    }
