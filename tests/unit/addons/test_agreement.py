"""For any valid Fleet the Windows side and the Linux side say the same of the network between them."""

import ipaddress
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from transom.addons.flannel_config import PLACES, Live, disagreements, wanted
from transom.addons.setting import setting_of
from transom.errors import Refused
from transom.model.fleet import (
    Cluster,
    FlannelSpec,
    Fleet,
    Host,
    KubernetesSpec,
    Network,
    NetworkMode,
    WindowsSpec,
)
from transom.recipe.resolve import resolve

RELEASES = {"1.24.17": "2019", "1.30.14": "2022", "1.33.5": "2022", "1.37.1": "2025"}
ranges = st.tuples(st.integers(1, 223), st.integers(0, 255), st.integers(8, 20)).map(
    lambda part: str(ipaddress.ip_network((f"{part[0]}.{part[1]}.0.0", part[2]), strict=False))
)


@st.composite
def fleets(draw):
    pods, services = draw(ranges), draw(ranges)
    version = draw(st.sampled_from(sorted(RELEASES)))
    dns = str(ipaddress.ip_network(services)[10])
    plugin = FlannelSpec(
        mode=draw(st.sampled_from([None, *NetworkMode])),
        vni=draw(st.sampled_from([None, 4096, 1, 5000])),
        port=draw(st.sampled_from([None, 4789, 8472])),
    )
    mtu = draw(st.sampled_from([None, 1350, 1400, 1450, 1500, 8950]))
    return Fleet(
        name="any",
        cluster=Cluster(),
        kubernetes=KubernetesSpec(version),
        network=Network((pods,), (services,), plugin, (dns,), mtu),
        hosts=(Host(name="win-01", address="10.0.0.21", windows=WindowsSpec(RELEASES[version])),),
    )


@settings(max_examples=40, deadline=None)
@given(fleets())
def test_windows_and_linux_agree(fleet):
    """What Linux must say is what the host's net-conf.json says, and what is accepted."""
    try:
        recipes = resolve(fleet)
    except Refused:
        return
    (recipe,) = recipes
    setting = setting_of(fleet, recipes)
    linux = wanted(setting)
    (windows,) = [
        json.loads(file.content) for file in recipe.files if file.path.endswith("net-conf.json")
    ]
    assert windows["Network"] == linux["Network"] == fleet.network.pod_cidrs[0]
    for key, value in linux["Backend"].items():
        assert windows["Backend"][key] == value
    assert disagreements(setting, Live(PLACES[0], json.dumps(linux))) == []

    (cni,) = [json.loads(file.content) for file in recipe.files if "net.d" in file.path]
    text = json.dumps(cni)
    assert cni["name"] == recipe.network.name
    for cidr in (*fleet.network.pod_cidrs, *fleet.network.service_cidrs):
        assert json.dumps(cidr) in text
    (proxy,) = [program for program in recipe.programs if program.name == "kube-proxy"]
    assert f"--cluster-cidr={','.join(fleet.network.pod_cidrs)}" in proxy.command
    assert f"--network-name={recipe.network.name}" in proxy.command
    if fleet.network.mtu:
        sized = {**linux, "Backend": {**linux["Backend"], "MTU": fleet.network.mtu}}
        assert disagreements(setting, Live(PLACES[0], json.dumps(sized))) == []
        sized["Backend"]["MTU"] += 1
        assert len(disagreements(setting, Live(PLACES[0], json.dumps(sized)))) == 1
