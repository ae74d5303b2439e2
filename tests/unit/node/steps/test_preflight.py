"""What preflight finds and what it only warns of; it changes nothing."""

import hashlib
import json
from dataclasses import replace

import pytest
from tests.support.node import RECIPE

from transom.errors import Refused
from transom.model.recipe import Artifact, Member, Unpack
from transom.model.request import Verb
from transom.node.engine.runner import Runner
from transom.node.engine.step import NodeSpec
from transom.node.host.values import Adapter, Signature
from transom.node.layout import Layout
from transom.node.steps.preflight import Preflight, cautions

SERVER = "10.0.0.1:6443"


@pytest.fixture
def found(recipe, secrets):
    """The ids of what preflight finds on a host."""

    def ids(host, **changes):
        want = NodeSpec(recipe=replace(recipe, **changes), join=secrets)
        return [entry.item.id for entry in Preflight().check(host, want)]

    return ids


@pytest.mark.parametrize(("off_s", "wrong"), [(300, []), (301, ["clock"]), (-301, ["clock"])])
def test_a_clock_may_be_off_by_what_the_recipe_allows(make_host, found, off_s, wrong):
    host = make_host()
    host.network.server_times[SERVER] = host.system.time + off_s
    assert found(host) == wrong


def test_a_port_is_asked_for_only_while_none_of_our_programs_runs(make_host, found):
    host = make_host()
    host.network.taken = {10250, 4789}
    assert found(host) == ["port-in-use"]
    host.services.put("containerd", replace(host.services.get("spooler"), command="c"))
    host.services.start("containerd")
    assert found(host) == []


def test_a_range_of_ports_is_not_asked_for(make_host, found, recipe):
    rule = replace(recipe.firewall[0], port="30000-32767")
    assert found(make_host(), firewall=(rule,)) == []


def test_every_volume_of_the_recipe_needs_room(make_host, found, recipe):
    host = make_host()
    host.system.free_bytes = lambda path: (9 if path.startswith("D") else 1) << 30
    on_d = replace(recipe.directories[0], path=r"d:\containerd")
    assert found(host, directories=(*recipe.directories, on_d)) == ["disk-space"]
    assert found(host, limits=replace(recipe.limits, free_disk_gib=1)) == []


def test_a_static_address_is_warned_of_until_the_network_is_there(make_host, request_for, recipe):
    host = make_host()
    static = Adapter(name="Ethernet", addresses=("10.0.0.21",), dhcp=False)
    host.network.up = (static, Adapter(name="Backup", addresses=("10.1.0.21",), dhcp=True))
    Runner(host, Layout(), "r1").execute(request_for(Verb.PREPARE))
    events = [json.loads(line) for line in host.disk.read(Layout().events("r1")).splitlines()]
    noted = [event for event in events if event["state"] == "noted"]
    assert [event["level"] for event in noted] == ["warning"]
    assert "Ethernet has the static address 10.0.0.21" in noted[0]["message"]
    host.settings.put("hns", recipe.network.name, True)
    assert cautions(host, recipe) == []


def test_the_adapters_are_in_the_journal_once_the_host_joins(make_host, request_for):
    host = make_host()
    Runner(host, Layout(), "r1").execute(request_for(Verb.JOIN))
    assert b'"act":"adapter","subject":"Ethernet"' in host.disk.read(Layout().journal)


PYTHON = Artifact(
    id="python",
    version="3.13.0",
    url="https://www.python.org/python.zip",
    sha256="0" * 64,
    unpack=Unpack.ZIP,
    path=r"C:\k\transom\downloads\python.zip",
    members=(Member(name="*", path=r"C:\k\transom\python\*"),),
    why="artifact-python",
    authenticode={"subject": "CN=Python Software Foundation"},
)


@pytest.mark.parametrize("folder", [r"C:\k\transom\python", r"C:\k\transom-visit-0a1b2c3d\python"])
@pytest.mark.parametrize(
    ("signer", "wrong"),
    [
        ("CN=Python Software Foundation, O=PSF", []),
        ("CN=Somebody", ["interpreter-signature"]),
        ("", ["interpreter-signature"]),
    ],
)
def test_the_interpreter_is_signed_by_whom_the_fleet_asks_for(
    make_host, found, signer, wrong, folder
):
    """A visit to a host that has no program runs in a folder of its own."""
    host = make_host()
    host.files.make_directory(folder)
    host.files.write(rf"{folder}\python.exe", b"python")
    host.system.python = rf"{folder}\python.exe"
    if signer:
        signature = Signature(subject=signer, issuer="CN=Authority", thumbprint="A" * 40)
        host.signatures.signed[hashlib.sha256(b"python").hexdigest()] = signature
    assert found(host, artifacts=(PYTHON,)) == wrong
    assert found(host, artifacts=(replace(PYTHON, authenticode=None),)) == []


def test_an_interpreter_that_is_not_there_has_no_signature(make_host, found):
    assert found(make_host(), artifacts=(PYTHON,)) == ["interpreter-signature"]


def test_a_source_is_asked_for_only_where_something_has_to_come_from_it(make_host, found, recipe):
    host = make_host()
    host.network.unreachable = {"dl.example:443"}
    assert found(host) == ["unreachable"]
    carried = tuple(replace(item, file=r"C:\bundle\x") for item in recipe.artifacts)
    assert found(host, artifacts=carried) == []
    assert found(host, artifacts=(*carried[1:], recipe.artifacts[0])) == ["unreachable"]
    for artifact in recipe.artifacts:
        for path in [member.path for member in artifact.members] or [artifact.path]:
            host.files.make_directory(path.rpartition("\\")[0])
            host.files.write(path, b"there")
    assert found(host) == []


def test_an_upgrade_asks_for_the_source_of_programs_that_are_there_in_another_version(
    make_host, request_for, newer_recipe
):
    host = make_host()
    Runner(host, Layout(), "r1").execute(request_for(Verb.JOIN))
    host.network.unreachable = {"dl.example:443"}
    request = request_for(Verb.PLAN, plan_for=Verb.UPGRADE, recipe=newer_recipe)
    plan = Runner(host, Layout(), "plan").plan(request)
    assert [refusal.id for refusal in plan.refusals] == ["unreachable"]
    same = Runner(host, Layout(), "plan").plan(request_for(Verb.PLAN, plan_for=Verb.UPGRADE))
    assert same.refusals == ()


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "http_proxy"])
def test_behind_a_proxy_sources_are_not_asked_for_and_the_api_server_is(
    make_host, found, recipe, name
):
    """What a proxy reaches the host itself need not; the API server is never behind it."""
    host = make_host()
    host.network.unreachable = {"dl.example:443"}
    assert found(host) == ["unreachable"]
    proxied = replace(recipe.environment[-1], name=name, value="http://proxy:3128", append=False)
    environment = (*recipe.environment, proxied)
    assert found(host, environment=environment) == []
    host.network.unreachable = {"dl.example:443", SERVER}
    assert found(host, environment=environment) == ["unreachable"]


@pytest.mark.parametrize(
    ("change", "what", "values"),
    [
        ({"plugin": "calico"}, "network plugin", ("flannel", "calico")),
        ({"mode": "l2bridge"}, "network mode", ("overlay", "l2bridge")),
        ({"vni": 4097}, "VXLAN identifier", ("4096", "4097")),
        ({"pod_cidrs": ("10.9.0.0/16",)}, "pod ranges", ("10.244.0.0/16", "10.9.0.0/16")),
        ({"service_cidrs": ("10.8.0.0/16",)}, "service ranges", ("10.96.0.0/12", "10.8.0.0/16")),
    ],
)
def test_a_node_keeps_the_network_it_joined_with(make_host, request_for, change, what, values):
    host = make_host()
    Runner(host, Layout(), "r1").execute(request_for(Verb.JOIN))
    before = host.snapshot()
    recipe = replace(RECIPE, network=replace(RECIPE.network, **change))
    with pytest.raises(Refused) as caught:
        Runner(host, Layout(), "r2").execute(request_for(Verb.JOIN, recipe=recipe))
    (refusal,) = caught.value.refusals
    assert (refusal.id, refusal.subject) == ("fixed-once-joined", f"win-01: {what}")
    assert refusal.found == values[0]
    assert values[1] in refusal.reason
    assert "transom reset --host" in refusal.fix
    assert host.snapshot() == before


def test_a_node_keeps_its_folders(make_host, request_for):
    host = make_host()
    first, *rest = RECIPE.directories
    named = replace(first, why="directory-k")
    made_of = replace(RECIPE, directories=(named, *rest))
    Runner(host, Layout(), "r1").execute(request_for(Verb.JOIN, recipe=made_of))
    recipe = replace(RECIPE, directories=(replace(named, path=r"D:\elsewhere"), *rest))
    with pytest.raises(Refused) as caught:
        Runner(host, Layout(), "r2").execute(request_for(Verb.JOIN, recipe=recipe))
    assert [item.id for item in caught.value.refusals] == ["fixed-once-joined"]


def test_a_range_more_and_a_host_that_is_no_node_are_not_refused(make_host, request_for):
    host = make_host()
    Runner(host, Layout(), "r1").execute(request_for(Verb.PREPARE))
    more = replace(RECIPE.network, pod_cidrs=(*RECIPE.network.pod_cidrs, "10.9.0.0/16"), vni=4097)
    Runner(host, Layout(), "r2").execute(
        request_for(Verb.JOIN, recipe=replace(RECIPE, network=more))
    )
    most = replace(more, pod_cidrs=(*more.pod_cidrs, "10.10.0.0/16"))
    Runner(host, Layout(), "r3").execute(
        request_for(Verb.JOIN, recipe=replace(RECIPE, network=most))
    )
