"""A program the node program keeps running, kube-proxy or Flannel: its rights, and what starts it."""

from transom.addons.host_process import daemon_set
from transom.addons.rights import account, bound_to_account, bound_to_nodes, cluster_role
from transom.addons.setting import Setting
from transom.addons.wins import wins_daemon_sets
from transom.model.manifest import Manifest


def kept_program(setting: Setting, name: str, program: str) -> list[Manifest]:
    """Its objects; what runs as a service or through wins has the node's own credential."""
    role = cluster_role(setting, program, component=name)
    if setting.privileged == "hostprocess":
        return [
            account(setting, name),
            role,
            bound_to_account(setting, program, name),
            daemon_set(setting, name, program),
        ]
    of_nodes = [role, bound_to_nodes(setting, program, component=name)]
    if setting.privileged == "services":
        return of_nodes
    return [*of_nodes, account(setting, name), *wins_daemon_sets(setting, name, program)]
