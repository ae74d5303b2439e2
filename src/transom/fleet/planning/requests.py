"""What each host of a fleet is asked to become: its recipe, locked, and how it gets in. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from transom.errors import UsageError
from transom.fleet.cluster import ClusterEntry
from transom.model.fleet import Fleet
from transom.model.journal import Owner
from transom.model.lock import Lock
from transom.model.recipe import Artifact
from transom.model.request import JoinSecrets, Request, Verb
from transom.recipe.end_of_life import refuse_end_of_life
from transom.recipe.lock import pinned
from transom.recipe.resolve import resolve


def entry_of(fleet: Fleet) -> ClusterEntry:
    """The way in that the fleet itself tells, for clusters whose API nobody here can ask."""
    cluster = fleet.cluster
    version = cluster.version or fleet.kubernetes.version
    if not cluster.endpoint or not cluster.ca_cert_hashes or version == "cluster":
        raise UsageError(
            f"fleet {fleet.name} names no cluster that can be used",
            hint="give a kubeconfig, or cluster.joinEndpoint with caCertHashes and a version",
        )
    return ClusterEntry(
        version=version, endpoint=cluster.endpoint, ca_hashes=cluster.ca_cert_hashes
    )


def at_cluster(fleet: Fleet, entry: ClusterEntry) -> Fleet:
    """The fleet with what its cluster runs now, so that versions are judged by it."""
    gates = {**fleet.cluster.feature_gates, **entry.gates}
    return replace(
        fleet, cluster=replace(fleet.cluster, version=entry.version, feature_gates=gates)
    )


def requests_of(
    fleet: Fleet,
    entry: ClusterEntry,
    lock: Lock,
    *,
    verb: Verb = Verb.JOIN,
    hosts: Sequence[str] = (),
    detected_runtimes: Mapping[str, tuple[str, ...]] | None = None,
) -> dict[str, Request]:
    """By host, without a token; raise with every reason, or with all that is not locked."""
    recipes = resolve(fleet, hosts=hosts, detected_runtimes=detected_runtimes)
    refuse_end_of_life(fleet, recipes)
    owner = Owner(cluster=entry.ca_hashes[0], fleet=fleet.name, who="cli")
    secrets = JoinSecrets(endpoint=entry.endpoint, token="", ca_hashes=entry.ca_hashes)
    mirrors = fleet.source.mirrors

    # Most hosts of a fleet get the same artifacts; those with signatures to check have no hash.
    known: list[tuple[tuple[Artifact, ...], tuple[Artifact, ...]]] = []

    def locked(artifacts: tuple[Artifact, ...]) -> tuple[Artifact, ...]:
        for asked, found in known:
            if asked == artifacts:
                return found
        known.append((artifacts, pinned(artifacts, lock, mirrors=mirrors)))
        return known[-1][1]

    chosen = [host.name for host in fleet.hosts if not hosts or host.name in hosts]
    return {
        name: Request(
            verb=verb,
            recipe=replace(recipe, artifacts=locked(recipe.artifacts)),
            owner=owner,
            join=secrets,
            pins=entry.ca_hashes,
        )
        for name, recipe in zip(chosen, recipes, strict=True)
    }
