"""What a Node does not show although its fleet says it: labels and taints. Pure.

A kubelet gives its Node labels and taints when it registers, once; what a fleet says later stays unsaid.
"""

from collections.abc import Iterator, Mapping

from transom.kube.api import Node
from transom.model.answers import PlannedChange
from transom.model.fleet import Host
from transom.model.recipe import PREPARED, Recipe
from transom.recipe.node_labels import given_labels

_ABSENT = "absent"


def wanted_labels(host: Host, recipe: Recipe) -> Mapping[str, str]:
    """The labels of the fleet, by kubelet or by API; the mark of a prepared host is no wish of its."""
    own = {key: value for key, value in recipe.join.labels.items() if key not in PREPARED}
    return {**own, **given_labels(host.labels)}


def node_lacks(host: Host, recipe: Recipe, node: Node) -> tuple[PlannedChange, ...]:
    """Every label and taint that the Node does not have as the fleet says."""
    return (*_labels(wanted_labels(host, recipe), node), *_taints(recipe, node))


def _labels(wanted: Mapping[str, str], node: Node) -> Iterator[PlannedChange]:
    for key, value in sorted(wanted.items()):
        if node.labels.get(key) != value:
            yield PlannedChange(
                subject=f"labels.{key}",
                found=node.labels.get(key, _ABSENT),
                wanted=value,
                fix=f"`kubectl label node {node.name} {key}={value} --overwrite`",
            )


def _taints(recipe: Recipe, node: Node) -> Iterator[PlannedChange]:
    for taint in recipe.join.taints:
        value = f"={taint.value}" if taint.value else ""
        text = f"{taint.key}{value}:{taint.effect}"
        if text not in node.taints:
            same = [
                item for item in node.taints if item.partition(":")[0].split("=")[0] == taint.key
            ]
            yield PlannedChange(
                subject=f"taints.{taint.key}",
                found=", ".join(same) or _ABSENT,
                wanted=text,
                fix=f"`kubectl taint node {node.name} {text} --overwrite`",
            )
