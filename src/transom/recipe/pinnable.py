"""Every artifact that fleets need, with where upstream publishes its sum: what a lock must cover.

Pure; a fleet that cannot work is refused here as anywhere.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from transom.facts import rows
from transom.facts.install import ArtifactRow
from transom.facts.rows import At
from transom.model.fleet import Fleet, FromNodeTarball
from transom.model.image_reference import Reference
from transom.model.lock import IMAGE
from transom.model.recipe import Artifact, Unpack
from transom.recipe.lock import PinnableArtifact
from transom.recipe.resolve import cases_of, checksum_urls, resolve
from transom.recipe.shape import Shape


def artifacts_of(fleets: Iterable[Fleet], *, directory: str = "") -> list[PinnableArtifact]:
    """The artifacts of all hosts, at their upstream addresses; the same one may come twice.

    Raises:
        Refused: A fleet cannot work, with every reason.
    """
    return [pinnable for fleet in fleets for pinnable in _of_fleet(fleet, directory)]


def image_pinnable(reference: str, fleet: Fleet, *, why: str) -> PinnableArtifact:
    """An image's index or manifest: its sum is the image's digest."""
    artifact = Artifact(
        id=IMAGE,
        version=reference,
        url=Reference.parse(reference).manifest_url,
        sha256=None,
        unpack=Unpack.FILE,
        path="",
        members=(),
        why=why,
    )
    return PinnableArtifact(
        artifact=artifact,
        mirrors=fleet.source.mirrors,
        proxy=fleet.proxy.https or "",
        no_proxy=fleet.proxy.no_proxy,
    )


def _of_fleet(fleet: Fleet, directory: str) -> Iterator[PinnableArtifact]:
    upstream = replace(fleet, source=replace(fleet.source, mirrors={}))
    recipes = resolve(upstream)
    cases = cases_of(upstream, hosts=(), detected_runtimes={})
    for case, recipe in zip(cases, recipes, strict=True):
        sums = checksum_urls(case.shape)
        for artifact in recipe.artifacts:
            override = fleet.source.overrides.get(artifact.id)
            if isinstance(override, FromNodeTarball):
                checksum_url = _tarball_sum(case.shape)
            else:
                checksum_url = sums[artifact.id] if override is None else ""
            yield PinnableArtifact(
                artifact=artifact,
                checksum_url=checksum_url,
                mirrors=fleet.source.mirrors,
                proxy=fleet.proxy.https or "",
                no_proxy=fleet.proxy.no_proxy,
                directory=directory,
            )


def _tarball_sum(shape: Shape) -> str:
    return shape.say(rows.one(ArtifactRow, "artifact-node-tarball", At()).checksum)
