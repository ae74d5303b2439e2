"""kube-proxy's pods start the host's own program with rights of their own, each with its reason."""

import pytest
from tests.unit.addons.golden import found, golden_setting

from transom.addons.kube_proxy import kube_proxy


def command(manifests):
    pod = found(manifests, "DaemonSet", "kube-proxy-windows")["spec"]["template"]["spec"]
    return pod["containers"][0]["command"]


def test_a_pod_only_names_the_program_whose_command_line_the_host_has():
    said = command(kube_proxy(golden_setting("k137-2022-containerd-flannel-overlay")))
    python, program = r"C:\k\transom\python\python.exe", r"C:\k\transom\node.pyz"
    assert said == [python, program, "run", "kube-proxy", "--home", r"C:\k\transom"]


@pytest.mark.parametrize(
    "fleet", ["k137-2022-containerd-services", "k120-2019-docker-wins-l2bridge"]
)
def test_without_pods_of_its_own_account_the_nodes_get_the_rights(fleet):
    made = kube_proxy(golden_setting(fleet))
    binding = found(made, "ClusterRoleBinding", "transom:kube-proxy-windows")
    assert [(who["kind"], who["name"]) for who in binding["subjects"]] == [
        ("User", "system:node:win-01")
    ]


def test_each_rule_says_why():
    made = kube_proxy(golden_setting("k137-2022-containerd-flannel-overlay"))
    role = found(made, "ClusterRole", "transom:kube-proxy-windows")
    reasons = role["metadata"]["annotations"]["transom.dev/reasons"].splitlines()
    assert [line.partition(": ")[0] for line in reasons] == [
        ", ".join(rule["resources"]) for rule in role["rules"]
    ]
    assert all(line.partition(": ")[2] for line in reasons)
    assert "*" not in str(role["rules"])
