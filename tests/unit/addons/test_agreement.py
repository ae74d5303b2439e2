"""For any valid Fleet the Windows side and the Linux side say the same of the network between them."""

import ipaddress
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.addons.calico import calico
from transom.addons.flannel_config import PLACES, Live, disagreements, wanted
from transom.addons.setting import setting_of
from transom.errors import Refused
from transom.model.fleet import (
    CalicoSpec,
    Cluster,
    FlannelSpec,
    Fleet,
    Host,
    KubernetesSpec,
    Network,
    NetworkMode,
    WinBridgeSpec,
    WindowsSpec,
    WinOverlaySpec,
)
from transom.recipe.resolve import resolve

RELEASES = {"1.24.17": "2019", "1.30.14": "2022", "1.33.5": "2022", "1.37.1": "2025"}
modes = st.sampled_from([None, *NetworkMode])
# What Windows takes of VNI and port is one value each; the others are refused, below.
flannels = st.builds(
    FlannelSpec, mode=modes, vni=st.sampled_from([None, 4096]), port=st.sampled_from([None, 4789])
)
others = st.one_of(
    st.builds(CalicoSpec, mode=modes), st.just(WinBridgeSpec()), st.just(WinOverlaySpec())
)
mtus = st.sampled_from([None, 1350, 1400, 1450, 1500])


def ranges(first, last):
    return st.tuples(st.integers(first, last), st.integers(0, 255), st.integers(10, 20)).map(
        lambda part: str(ipaddress.ip_network((f"{part[0]}.{part[1]}.0.0", part[2]), strict=False))
    )


@st.composite
def fleets(draw, plugins):
    pods, services = draw(ranges(11, 99)), draw(ranges(101, 199))
    version = draw(st.sampled_from(sorted(RELEASES)))
    dns = str(ipaddress.ip_network(services)[10])
    return Fleet(
        name="any",
        cluster=Cluster(),
        kubernetes=KubernetesSpec(version),
        network=Network((pods,), (services,), draw(plugins), (dns,), draw(mtus)),
        hosts=(Host(name="win-01", address="10.0.0.21", windows=WindowsSpec(RELEASES[version])),),
    )


def resolved(fleet):
    (recipe,) = recipes = resolve(fleet)
    return recipe, setting_of(fleet, recipes)


def proxy_agrees(fleet, recipe):
    (proxy,) = [program for program in recipe.programs if program.name == "kube-proxy"]
    assert f"--cluster-cidr={','.join(fleet.network.pod_cidrs)}" in proxy.command
    assert f"--network-name={recipe.network.name}" in proxy.command


@settings(max_examples=25, deadline=None)
@given(fleets(flannels))
def test_windows_and_linux_agree_on_flannel(fleet):
    """What Linux must say is what the host's net-conf.json says, and only that is accepted."""
    recipe, setting = resolved(fleet)
    linux = wanted(setting)
    (windows,) = [
        json.loads(file.content) for file in recipe.files if file.path.endswith("net-conf.json")
    ]
    assert windows["Network"] == linux["Network"] == fleet.network.pod_cidrs[0]
    for key, value in linux["Backend"].items():
        assert windows["Backend"][key] == value
    assert differing(setting, linux) == []
    (cni,) = [json.loads(file.content) for file in recipe.files if "net.d" in file.path]
    text = json.dumps(cni)
    assert cni["name"] == recipe.network.name
    for cidr in (*fleet.network.pod_cidrs, *fleet.network.service_cidrs):
        assert json.dumps(cidr) in text
    proxy_agrees(fleet, recipe)

    backend = linux["Backend"]
    assert differing(setting, {**linux, "Network": "10.0.0.0/9"}) == ["Network"]
    sized = {**linux, "Backend": {**backend, "MTU": recipe.network.mtu}}
    assert differing(setting, sized) == []
    for key in ({"VNI", "Port"} & set(backend)) | {"MTU"}:
        changed = {**sized["Backend"], key: sized["Backend"][key] + 1}
        assert differing(setting, {**linux, "Backend": changed}) == [f"Backend.{key}"]


def differing(setting, conf):
    found = disagreements(setting, Live(PLACES[0], json.dumps(conf)))
    return [reason.subject.rpartition(", ")[2] for reason in found]


@settings(max_examples=25, deadline=None)
@given(fleets(others))
def test_windows_and_linux_agree_on_every_other_network_that_is_configured(fleet):
    recipe, setting = resolved(fleet)
    proxy_agrees(fleet, recipe)
    assert fleet.network.mtu in (None, recipe.network.mtu)
    if recipe.network.plugin == "calico":
        (installation,) = [item for item in calico(setting) if item["kind"] == "Installation"]
        assert installation["spec"]["serviceCIDRs"] == list(fleet.network.service_cidrs)
        assert installation["spec"]["calicoNetwork"]["mtu"] == recipe.network.mtu
        return
    (cni,) = [json.loads(file.content) for file in recipe.files if "net.d" in file.path]
    assert cni["name"] == recipe.network.name
    for cidr in (*fleet.network.pod_cidrs, *fleet.network.service_cidrs):
        assert json.dumps(cidr) in json.dumps(cni)


@pytest.mark.parametrize(("key", "value"), [("vni", 1), ("vni", 5000), ("port", 8472)])
def test_numbers_that_windows_does_not_take_are_no_fleet(key, value):
    plugin = FlannelSpec(mode=NetworkMode.OVERLAY, **{key: value})
    network = Network(("10.244.0.0/16",), ("10.96.0.0/12",), plugin, ("10.96.0.10",))
    hosts = (Host(name="win-01", address="10.0.0.21", windows=WindowsSpec("2022")),)
    fleet = Fleet(
        name="any",
        cluster=Cluster(),
        kubernetes=KubernetesSpec("1.37.1"),
        network=network,
        hosts=hosts,
    )
    with pytest.raises(Refused) as refused:
        resolve(fleet)
    assert [reason.id for reason in refused.value.refusals] == ["mode-flannel-overlay"]
    assert resolve(replace(fleet, network=replace(network, plugin=FlannelSpec())))
