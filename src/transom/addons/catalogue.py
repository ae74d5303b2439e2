"""Every add-on of a fleet, in the order in which a cluster needs them."""

from collections.abc import Callable, Mapping, Sequence

from transom.addons.calico import calico
from transom.addons.calico_manifest import calico_manifest
from transom.addons.csi_proxy import csi_proxy
from transom.addons.flannel import flannel
from transom.addons.kube_proxy import kube_proxy
from transom.addons.pipe_policy import pipe_policy
from transom.addons.runtime_class import runtime_classes
from transom.addons.setting import Setting
from transom.addons.system_namespace import system_namespace
from transom.addons.windows_exporter import windows_exporter
from transom.model.fleet import CalicoInstaller
from transom.model.manifest import Manifest

EXTRAS: Mapping[str, Callable[[Setting], list[Manifest]]] = {
    "csi-proxy": csi_proxy,
    "pipe-policy": pipe_policy,
    "windows-exporter": windows_exporter,
}


def render(setting: Setting, extras: Sequence[str] = ()) -> list[Manifest]:
    """The manifests of a fleet, and of what was asked for beside."""
    manifests: list[Manifest] = []
    if setting.privileged != "services" or extras:
        manifests.append(system_namespace(setting))
    manifests += runtime_classes(setting)
    if setting.network.plugin == "flannel":
        manifests += flannel(setting)
    if setting.network.plugin == "calico":
        way = calico_manifest if setting.installer == CalicoInstaller.MANIFEST else calico
        manifests += way(setting)
    manifests += kube_proxy(setting)
    for name in sorted(set(extras)):
        manifests += EXTRAS[name](setting)
    return manifests
