"""kube-proxy on Windows nodes: kernelspace, with flags for the mode of the network."""

from transom.addons.host_process import daemon_set
from transom.addons.rights import account, bound_to_account, bound_to_nodes, cluster_role
from transom.addons.setting import Setting
from transom.model.manifest import Manifest

NAME = "kube-proxy-windows"
_ROLE = _PROGRAM = "kube-proxy"


def kube_proxy(setting: Setting) -> list[Manifest]:
    """Its objects; native services and wins use the nodes' own credential."""
    role = cluster_role(setting, _ROLE, component=NAME)
    if setting.privileged != "hostprocess":
        return [role, bound_to_nodes(setting, _ROLE, component=NAME)]
    return [
        account(setting, NAME),
        role,
        bound_to_account(setting, _ROLE, NAME),
        daemon_set(setting, NAME, _PROGRAM),
    ]
