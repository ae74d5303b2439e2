"""kube-proxy gets what its mode and its version need, and nothing they refuse."""

import pytest
from tests.unit.addons.golden import found, golden_setting

from transom.addons.kube_proxy import kube_proxy


def command(manifests):
    pod = found(manifests, "DaemonSet", "kube-proxy-windows")["spec"]["template"]["spec"]
    return pod["containers"][0]["command"]


@pytest.mark.parametrize(
    ("fleet", "words"),
    [
        (
            "k137-2022-containerd-flannel-overlay",
            ["--source-vip-by", r"C:\opt\cni\bin\host-local.exe"],
        ),
        ("k137-2025-containerd-calico", ["--source-vip-of", "Calico_ep"]),
    ],
)
def test_an_overlay_has_a_source_vip(fleet, words):
    said = command(kube_proxy(golden_setting(fleet)))
    at = said.index(words[0])
    assert said[at : at + 2] == words
    assert at < said.index("--")


def test_l2bridge_has_none():
    said = command(kube_proxy(golden_setting("k136-2022-containerd-flannel-l2bridge")))
    assert not [word for word in said if "source-vip" in word]


@pytest.mark.parametrize(
    ("fleet", "dsr"),
    [
        ("k130-2019-containerd-flannel-l2bridge", False),
        ("k136-2022-containerd-flannel-l2bridge", True),
    ],
)
def test_direct_server_return_only_where_its_gate_is_on(fleet, dsr):
    said = command(kube_proxy(golden_setting(fleet)))
    assert ("--enable-dsr=true" in said) is dsr
    assert not [word for word in said if word.startswith("--feature-gates")]


def test_it_takes_flags_and_never_the_clusters_configuration():
    """What kubeadm configured says iptables, which Windows refuses."""
    said = command(kube_proxy(golden_setting("k137-2022-containerd-flannel-overlay")))
    assert "--proxy-mode=kernelspace" in said
    assert not [word for word in said if word.startswith("--config")]


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
