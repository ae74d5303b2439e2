"""Flannel on Windows nodes, overlay and l2bridge; its net-conf.json is the recipe's."""

from transom.addons.host_process import daemon_set
from transom.addons.rights import account, bound_to_account, bound_to_nodes, cluster_role
from transom.addons.setting import Setting
from transom.addons.wins import wins_daemon_sets
from transom.model.manifest import Manifest

NAME = "kube-flannel-windows"
_ROLE = _PROGRAM = "flannel"


def flannel(setting: Setting) -> list[Manifest]:
    """Its objects; what runs as a service or through wins has the node's own credential."""
    role = cluster_role(setting, _ROLE, component=NAME)
    if setting.privileged != "hostprocess":
        of_nodes = [role, bound_to_nodes(setting, _ROLE, component=NAME)]
        return (
            of_nodes
            if setting.privileged == "services"
            else [
                *of_nodes,
                account(setting, NAME),
                *wins_daemon_sets(setting, NAME, _PROGRAM),
            ]
        )
    return [
        account(setting, NAME),
        role,
        bound_to_account(setting, _ROLE, NAME),
        daemon_set(setting, NAME, _PROGRAM),
    ]
