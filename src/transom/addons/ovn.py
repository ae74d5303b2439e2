"""Whether OVN-Kubernetes has its hybrid overlay on, as its Linux nodes say. Pure."""

from collections.abc import Iterable, Iterator

from transom.addons.setting import Setting
from transom.facts import rows
from transom.facts.addons import Provision
from transom.model.manifest import Manifest
from transom.model.problem import Refusal

_HYBRID = "k8s.ovn.org/hybrid-overlay-"


def ovn_reasons(setting: Setting, nodes: Iterable[Manifest]) -> Iterator[Refusal]:
    """A reason where there are Linux nodes and none takes part in a hybrid overlay."""
    if setting.network.plugin != "ovnKubernetes":
        return
    linux = [node for node in nodes if _system(node) == "linux"]
    if linux and not any(_takes_part(node) for node in linux):
        row = rows.one(Provision, "provision-ovn-hybrid", setting.at)
        yield Refusal(
            id=row.id,
            subject="network.ovnKubernetes",
            found=f"no Linux node with an annotation {_HYBRID}*",
            reason=f"Windows nodes need {row.text}",
            fix="Switch the hybrid overlay of OVN-Kubernetes on first.",
            source=row.source,
        )


def _system(node: Manifest) -> str:
    return str((node["metadata"].get("labels") or {}).get("kubernetes.io/os", ""))


def _takes_part(node: Manifest) -> bool:
    return any(key.startswith(_HYBRID) for key in node["metadata"].get("annotations") or {})
