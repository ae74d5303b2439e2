"""What another Windows kube-proxy or network looks like among a cluster's DaemonSets. Pure."""

from collections.abc import Iterable, Iterator
from typing import Any

from transom.addons.manifest import FLEET, MANAGED_BY
from transom.addons.setting import Setting
from transom.facts import rows
from transom.facts.addons import Rival
from transom.model.manifest import Manifest, name_of
from transom.model.problem import Refusal

_OS_LABELS = ("kubernetes.io/os", "beta.kubernetes.io/os")


def rivals(setting: Setting, daemon_sets: Iterable[Manifest]) -> list[Refusal]:
    """A reason for each DaemonSet that would do the same work on the same nodes."""
    return [reason for item in daemon_sets for reason in _judge(setting, item)]


def _judge(setting: Setting, daemon_set: Manifest) -> Iterator[Refusal]:
    labels = daemon_set["metadata"].get("labels") or {}
    if MANAGED_BY.items() <= labels.items() and labels.get(FLEET) == setting.fleet:
        return
    if not is_for_windows(daemon_set["spec"]["template"]["spec"]):
        return
    words = _words(daemon_set)
    for row in rows.rows(Rival, setting.at):
        # The plugin's own installer brings its DaemonSet; only Flannel for Windows is ours.
        own = row.plugin == setting.network.plugin and row.plugin != "flannel"
        if not own and any(word in text for word in row.words for text in words):
            yield Refusal(
                id=row.id,
                subject=str(name_of(daemon_set)),
                found=f"another {row.title} for Windows nodes",
                reason=row.text,
                fix="Delete it, or leave this part to it and remove it from the fleet.",
                source=row.source,
            )
            return


def is_for_windows(pod: Manifest) -> bool:
    """Whether a pod says that it is for Windows nodes."""
    if (pod.get("os") or {}).get("name") == "windows":
        return True
    selector = pod.get("nodeSelector") or {}
    if any(selector.get(label) == "windows" for label in _OS_LABELS):
        return True
    options = (pod.get("securityContext") or {}).get("windowsOptions") or {}
    return bool(options.get("hostProcess")) or any(_windows_terms(pod))


def _windows_terms(pod: Manifest) -> Iterator[bool]:
    node: Any = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    required = node.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    for term in required.get("nodeSelectorTerms") or ():
        for match in term.get("matchExpressions") or ():
            is_os = match.get("key") in _OS_LABELS and match.get("operator") == "In"
            yield is_os and match.get("values") == ["windows"]


def _words(daemon_set: Manifest) -> list[str]:
    containers = daemon_set["spec"]["template"]["spec"].get("containers") or ()
    texts = [daemon_set["metadata"]["name"]]
    texts += [str(item.get(key, "")) for item in containers for key in ("name", "image")]
    return [text.lower() for text in texts]
