"""Every add-on of a fleet, in the order in which a cluster needs them."""

from transom.addons.calico import calico
from transom.addons.flannel import flannel
from transom.addons.kube_proxy import kube_proxy
from transom.addons.runtime_class import runtime_classes
from transom.addons.setting import Setting
from transom.addons.system_namespace import system_namespace
from transom.model.manifest import Manifest


def render(setting: Setting) -> list[Manifest]:
    """The manifests of a fleet."""
    manifests: list[Manifest] = []
    if setting.privileged == "hostprocess":
        manifests.append(system_namespace(setting))
    manifests += runtime_classes(setting)
    if setting.network.plugin == "flannel":
        manifests += flannel(setting)
    if setting.network.plugin == "calico":
        manifests += calico(setting)
    manifests += kube_proxy(setting)
    return manifests
