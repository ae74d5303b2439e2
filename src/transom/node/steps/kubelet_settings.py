"""Settings of the kubelet that its kubeadm takes no patch for: merged into what the join wrote."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from transom.errors import PermanentError
from transom.model.journal import Drift
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.values import PathKind
from transom.node.kubernetes.block_yaml import read
from transom.node.steps.join import Layout


@dataclass(frozen=True, slots=True)
class Wanted:
    """The whole configuration, and the services that read it."""

    path: str
    content: bytes
    services: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KubeletSettings(Step[Wanted]):
    """Writes the merged configuration while the kubelet stands still, as JSON, which is YAML."""

    id: StepId = StepId.KUBELET_SETTINGS
    title: str = "Merge settings into the kubelet's configuration"
    needs: tuple[StepId, ...] = (StepId.JOIN,)
    seen: Seen = Seen.UPSTREAM_BINARY
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Wanted]]:
        """Name each setting that differs; before the join there is nothing to merge into."""
        path = Layout.of(want.recipe.join).kubelet_configuration
        is_ours = bool(want.recipe.kubelet.config) and not want.recipe.kubelet.patch_file
        if not is_ours or host.files.kind(path) is not PathKind.FILE:
            return ()
        found = _configuration(host.files.read(path).decode(), path)
        whole = merged(found, want.recipe.kubelet.config)
        content = (json.dumps(whole, indent=1) + "\n").encode()
        wanted = Wanted(path, content, _readers(want.recipe))
        return [
            Drift(key, json.dumps(found.get(key)), json.dumps(whole[key]), wanted)
            for key in want.recipe.kubelet.config
            if found.get(key) != whole[key]
        ]

    def apply(self, host: Host, drift: Sequence[Drift[Wanted]]) -> None:
        """Stop, write, start: a power cut in between leaves a stopped service, which is noticed."""
        if not drift:
            return
        wanted = drift[0].item
        running = [name for name in wanted.services if host.services.running(name)]
        for name in running:
            host.services.stop(name)
        acl = host.files.acl(wanted.path)
        host.files.write(wanted.path, wanted.content, acl=acl)
        for name in running:
            host.services.start(name)


def merged(under: Any, over: Any) -> Any:
    """Maps are merged key by key, everything else is replaced; as kubeadm's own patches do it."""
    if isinstance(under, Mapping) and isinstance(over, Mapping):
        return {**under, **{key: merged(under.get(key), value) for key, value in over.items()}}
    return over


def _configuration(text: str, path: str) -> dict[str, Any]:
    try:
        found = read(text)
    except ValueError as error:
        raise PermanentError(
            f"cannot read the kubelet's configuration: {error}",
            subject=path,
            hint="Somebody wrote it by hand; write it as kubeadm does.",
        ) from error
    return found if isinstance(found, dict) else {}


def _readers(recipe: Recipe) -> tuple[str, ...]:
    flags_file = recipe.join.flags_file
    return tuple(item.name for item in recipe.services if item.flags_file == flags_file)
