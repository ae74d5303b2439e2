"""Which cluster is meant, and the door to its API.

What the user says wins over the fleet, the fleet over what kubectl would use. Nothing is sent before the first
question.
"""

from typing import TYPE_CHECKING, TypeVar

from transom.errors import UsageError
from transom.model.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from transom.kube.api import Api
    from transom.model.fleet import Cluster
    from transom.site.environment import Environment

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class ClusterChoice:
    """The cluster as the user named it; empty where the user left it to the fleet or kubectl."""

    kubeconfig: str | None = None
    context: str | None = None


def open_api(
    environment: "Environment", chosen: ClusterChoice, cluster: "Cluster | None" = None
) -> "Api":
    """Open the cluster that is meant; a kubeconfig that cannot be used is the user's mistake.

    As with kubectl a pod without any kubeconfig means the cluster it runs in.
    """
    from transom.kube.client import open_cluster, open_in_cluster

    named = chosen.kubeconfig or (cluster.kubeconfig if cluster else None)
    # A context of the fleet belongs to the fleet's kubeconfig.
    ours = cluster.context if cluster and not chosen.kubeconfig else None
    files, context = environment.kubeconfigs(named), chosen.context or ours
    if not named and not context and not any(file.is_file() for file in files):
        inside = open_in_cluster(environment.variables)
        if inside is not None:
            return inside
    return open_cluster(*files, context=context)


def open_api_if_any(
    environment: "Environment", chosen: ClusterChoice, cluster: "Cluster | None" = None
) -> "Api | None":
    """Open the cluster; None where nobody named one and kubectl would not find one either."""
    try:
        return open_api(environment, chosen, cluster)
    except UsageError:
        named = chosen.kubeconfig or chosen.context
        if named or (cluster and (cluster.kubeconfig or cluster.context)):
            raise
        return None


def with_api(api: "Api", work: "Callable[[Api], Awaitable[_T]]") -> _T:
    """Do something with a cluster from start to end, and close the door."""
    import asyncio

    async def done() -> _T:
        try:
            return await work(api)
        finally:
            await api.close()

    return asyncio.run(done())
