"""What the kubelet of a node does not run with although the recipe says it. Reads only.

kubeadm reads patches and arguments when it joins and when it upgrades; what a fleet says later is handed
over to nobody. Compared are the files that the kubelet itself starts with.
"""

import json
import ntpath
from collections.abc import Iterator, Mapping
from typing import Any

from transom.errors import PermanentError
from transom.model.answers import PlannedChange
from transom.model.recipe import Recipe
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.values import PathKind
from transom.node.kubernetes.block_yaml import read
from transom.node.kubernetes.kubelet_flags import parse_flags_file
from transom.node.steps.join import Layout

_ABSENT = "absent"


def not_applied(files: ReadFiles, recipe: Recipe) -> tuple[PlannedChange, ...]:
    """Every setting and argument of the recipe that the kubelet of this node does not have."""
    layout = Layout.of(recipe.join)
    settings = _settings(files, layout.kubelet_configuration, recipe)
    return (*settings, *_arguments(files, layout.flags_file, recipe))


def _settings(files: ReadFiles, path: str, recipe: Recipe) -> Iterator[PlannedChange]:
    # Without a patch file the settings are a step's own matter, which merges them itself.
    if not recipe.kubelet.patch_file or files.kind(path) is not PathKind.FILE:
        return
    try:
        found = read(files.read(path).decode("utf-8", "replace"))
    except ValueError as error:
        yield PlannedChange(subject=path, found=str(error), wanted="what kubeadm writes")
        return
    patches = ntpath.dirname(recipe.kubelet.patch_file)
    for key, wanted in recipe.kubelet.config.items():
        there = found.get(key) if isinstance(found, Mapping) else None
        if not _has(there, wanted):
            yield PlannedChange(
                subject=f"kubelet.config.{key}",
                found=_ABSENT if there is None else json.dumps(there),
                wanted=json.dumps(wanted),
                fix=f"On the host: `kubeadm upgrade node phase kubelet-config --patches {patches}`, "
                "then restart the service kubelet.",
            )


def _arguments(files: ReadFiles, path: str, recipe: Recipe) -> Iterator[PlannedChange]:
    if files.kind(path) is not PathKind.FILE:
        return
    try:
        words = parse_flags_file(files.read(path).decode("utf-8", "replace"))
    except PermanentError as error:
        yield PlannedChange(subject=path, found=error.message, wanted="what kubeadm writes")
        return
    found = dict(word.removeprefix("--").partition("=")[::2] for word in words)
    for name, wanted in recipe.join.kubelet_extra_args.items():
        if found.get(name) != wanted:
            yield PlannedChange(
                subject=f"kubelet.extraArgs.{name}",
                found=found.get(name, _ABSENT),
                wanted=wanted,
                fix=f"On the host: write --{name}={wanted} into {path}, then restart the service kubelet.",
            )


def _has(found: Any, wanted: Any) -> bool:
    """Whether a value holds what a patch would put there; a patch takes keys away by null."""
    if isinstance(wanted, Mapping):
        under = found if isinstance(found, Mapping) else {}
        return all(_has(under.get(key), value) for key, value in wanted.items())
    return bool(found == wanted)
