"""A fleet's proxy: what services are given, and what is never sent through it."""

from dataclasses import replace
from pathlib import Path

from transom.model.fleet import Proxy
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

FLEET = Path(__file__).parents[2] / "data" / "fleets" / "v1alpha1" / "k137-2022-containerd-flannel-overlay.yaml"


def variables(proxy):
    (fleet,) = read_fleets(FLEET.read_bytes(), name=FLEET.name)
    (recipe,) = resolve(replace(fleet, proxy=proxy))
    return fleet, [service.environment for service in recipe.services if not service.runs]


def test_neither_the_cluster_nor_the_machine_s_own_metadata_is_sent_through_a_proxy():
    fleet, services = variables(Proxy(https="http://proxy:3128", no_proxy=(".corp",)))
    assert services
    for found in services:
        assert found["HTTPS_PROXY"] == "http://proxy:3128"
        listed = found["NO_PROXY"].split(",")
        assert listed[0] == ".corp"
        assert {"169.254.169.254", "168.63.129.16"} <= set(listed)
        assert {*fleet.network.pod_cidrs, *fleet.network.service_cidrs} <= set(listed)
        assert len(set(listed)) == len(listed)


def test_without_a_proxy_there_is_nothing_to_except():
    _, services = variables(Proxy())
    assert services == [{}] * len(services)
