"""The watch over a host that has just joined: its first pod network may cut it off for good.

Where kube-proxy and the pod network run in HostProcess pods, a pod makes the first HNS network some
time after the join, when no run is under way; making it takes the adapter over, and every session to
the host with it. So a join leaves this behind, as a process of its own. It changes nothing while the
API server or the gateway answers, and takes the join back where neither does.
"""

from transom.errors import PermanentError, UsageError
from transom.model.request import Request
from transom.node.engine.journal import Journal
from transom.node.engine.reach import answering, is_reached, server_of
from transom.node.engine.runner import Runner
from transom.node.host.protocols import Machine
from transom.node.layout import Layout

JOIN = "join"
_POLL_S = 2.0


def watch(machine: Machine, layout: Layout, run: str, request: Request) -> bool:
    """Wait for the pod network and see whether the host outlives it; True when it did not."""
    if request.join is None:
        raise UsageError("a watch needs the endpoint of the join", subject="the request")
    network, endpoint = request.recipe.network.name, request.join.endpoint
    deadline = machine.clock.monotonic() + request.deadline_s
    while not machine.network.hns_network(network):
        contents = Journal.look(machine.disk, layout.journal)
        joined = contents is not None and contents.made("kubeadm-join")
        if not joined or machine.clock.monotonic() + _POLL_S > deadline:
            return False
        machine.clock.sleep(_POLL_S)
    # The join itself reached the API server, so that counts even if it is gone by now.
    places = {server_of(endpoint), *answering(machine.network, endpoint)}
    if is_reached(machine, tuple(places), patience_s=request.unreachable_s):
        return False
    Runner(machine, layout, f"{run}-network").take_back(
        request,
        JOIN,
        PermanentError(
            f"neither {endpoint} nor the gateway could be reached for {request.unreachable_s} s "
            f"after the network {network} was made",
            subject=network,
            hint="Compare the adapter's addresses with those the run wrote down, then join again.",
        ),
    )
    return True
