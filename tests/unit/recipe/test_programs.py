"""kube-proxy and Flannel get what their mode and their version need, and nothing they refuse."""

import json
from pathlib import Path

import pytest

from transom.model.codec import decode
from transom.model.recipe import Recipe

RECIPES = Path(__file__).parents[2] / "data" / "recipes"


def program(fleet, name="kube-proxy"):
    recipe = decode(Recipe, json.loads((RECIPES / f"{fleet}.json").read_text()))
    return next(program for program in recipe.programs if program.name == name)


@pytest.mark.parametrize(
    ("fleet", "endpoint", "reserved"),
    [
        ("k137-2022-containerd-flannel-overlay", "", r"C:\opt\cni\bin\host-local.exe"),
        ("k137-2025-containerd-calico", "Calico_ep", ""),
    ],
)
def test_an_overlay_has_a_source_vip(fleet, endpoint, reserved):
    proxy = program(fleet)
    assert "--source-vip={{sourceVIP}}" in proxy.command
    assert (proxy.source_vip.endpoint, proxy.source_vip.reserve_with) == (endpoint, reserved)


def test_l2bridge_has_none():
    proxy = program("k136-2022-containerd-flannel-l2bridge")
    assert proxy.source_vip is None
    assert "source-vip" not in " ".join(proxy.command)


@pytest.mark.parametrize(
    ("fleet", "dsr"),
    [
        ("k130-2019-containerd-flannel-l2bridge", False),
        ("k136-2022-containerd-flannel-l2bridge", True),
    ],
)
def test_direct_server_return_only_where_its_gate_is_on(fleet, dsr):
    said = program(fleet).command
    assert ("--enable-dsr=true" in said) is dsr
    assert "--feature-gates" not in " ".join(said)


def test_it_takes_flags_and_never_the_clusters_configuration():
    """What kubeadm configured says iptables, which Windows refuses."""
    said = program("k137-2022-containerd-flannel-overlay").command
    assert "--proxy-mode=kernelspace" in said
    assert "--config=" not in " ".join(said)


def test_who_makes_the_network_does_not_wait_for_it():
    fleet = "k137-2022-containerd-flannel-overlay"
    assert program(fleet, "flannel").makes_network
    assert not program(fleet).makes_network
    assert program(fleet).network == program(fleet, "flannel").network == "flannel.4096"
