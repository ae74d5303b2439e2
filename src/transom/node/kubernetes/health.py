"""Whether a node is Ready on the version it should run, as the API server has it.

Asked by the runner around an upgrade, with the kubelet's own credential. It only looks and waits.
"""

from transom.errors import TransomError
from transom.model.recipe import Recipe
from transom.node.host.protocols import Machine
from transom.node.host.values import NodeHealth
from transom.node.steps.join import Layout

_POLL_S = 2.0


def health(machine: Machine, recipe: Recipe) -> NodeHealth | None:
    """How the node of that recipe is now; None where the cluster has none."""
    return machine.cluster.health(Layout.of(recipe.join).kubeconfig, recipe.join.node_name)


def await_healthy(
    machine: Machine, recipe: Recipe, *, kubernetes: str, ready: bool, patience_s: float
) -> str:
    """Wait until the node runs that version, and is Ready where it must be; say what is wrong."""
    deadline = machine.clock.monotonic() + patience_s
    while True:
        problem = _problem(machine, recipe, kubernetes=kubernetes, ready=ready)
        if not problem or machine.clock.monotonic() + _POLL_S > deadline:
            return problem
        machine.clock.sleep(_POLL_S)


def _problem(machine: Machine, recipe: Recipe, *, kubernetes: str, ready: bool) -> str:
    try:
        found = health(machine, recipe)
    except TransomError as error:
        return error.message
    if found is None:
        return "the cluster has no such Node"
    if found.kubelet != kubernetes:
        return f"its kubelet is {found.kubelet}, not {kubernetes}"
    if ready and not found.ready:
        return f"it is not Ready: {found.problem or 'its kubelet is silent'}"
    return ""
