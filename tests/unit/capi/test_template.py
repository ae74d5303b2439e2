"""Templates of Cluster API: whole, valid by its own CRDs, and boot data our linter has nothing against."""

import json
from functools import cache
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from transom.bootstrap.compile import BootFile
from transom.bootstrap.lint import Origin, lint
from transom.bootstrap.machine import Machine
from transom.capi.machines import SPECS
from transom.capi.template import CONTRACTS, PoolWish, pool_template
from transom.cli.capi.template import fill
from transom.cli.main import main
from transom.errors import UnsupportedError

FILES = (BootFile(r"C:\k\transom\boot\boot.json", b"{}"),)
_MODULES = Path("~/go/pkg/mod/sigs.k8s.io").expanduser()
_KINDS = ("kubeadmconfigs", "kubeadmconfigtemplates", "machinedeployments", "machinehealthchecks")
CRDS = [
    path
    for folder in ("bootstrap/kubeadm", "core")
    for path in _MODULES.glob(f"cluster-api@v*/{folder}/config/crd/bases/*.yaml")
    if path.stem.rpartition("_")[2] in (*_KINDS, "machinepools", "clusterresourcesets")
]


@cache
def schemas():
    found = {}
    for path in CRDS:
        crd = yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)
        for version in crd["spec"]["versions"]:
            api = f"{crd['spec']['group']}/{version['name']}"
            found[api, crd["spec"]["names"]["kind"]] = version["schema"]["openAPIV3Schema"]
    return found


def closed(schema):
    """The schema with unknown fields refused, as strict validation does."""
    if isinstance(schema, dict):
        schema = {key: closed(value) for key, value in schema.items()}
        if "properties" in schema and "additionalProperties" not in schema:
            schema["additionalProperties"] = False
    return schema


def wishes():
    for provider in sorted(SPECS):
        for contract in CONTRACTS:
            yield PoolWish(provider=provider, contract=contract, files=FILES, addons="a: b\n")
    for provider in ("azure", "aws"):
        yield PoolWish(provider=provider, flavor="machinepool", files=FILES)


@pytest.mark.parametrize(
    "wish", list(wishes()), ids=lambda w: f"{w.provider}-{w.flavor}-{w.contract}"
)
def test_a_pool_is_whole_and_its_references_lead_somewhere(wish):
    objects = pool_template(wish)
    names = {(item["kind"], item["metadata"]["name"]) for item in objects}
    (machines,) = [o for o in objects if o["kind"] in ("MachineDeployment", "MachinePool")]
    spec = machines["spec"]["template"]["spec"]
    for reference in (spec["bootstrap"]["configRef"], spec["infrastructureRef"]):
        assert (reference["kind"], reference["name"]) in names
    assert "MachineHealthCheck" in {kind for kind, _name in names}


@pytest.mark.skipif(not CRDS, reason="Cluster API's module is not here")
@pytest.mark.parametrize(
    "wish", [w for w in wishes() if w.provider == "azure"], ids=lambda w: f"{w.flavor}-{w.contract}"
)
def test_cluster_api_s_own_definitions_take_the_objects(wish):
    known = schemas()
    checked = 0
    for item in pool_template(wish):
        text = fill(
            json.dumps(item), {"CLUSTER_NAME": "shop", "KUBERNETES_VERSION": "v1.37.1"}
        ).replace('"${WINDOWS_WORKER_MACHINE_COUNT:=1}"', "1")
        schema = known.get((item["apiVersion"], item["kind"]))
        if schema is not None:
            document = json.loads(text)
            meta = {
                **schema,
                "properties": {**schema["properties"], "metadata": {"type": "object"}},
            }
            jsonschema_rs.validator_for(
                closed(meta) | {"$schema": "http://json-schema.org/draft-04/schema#"}
            ).validate(document)
            checked += 1
    assert checked >= 3


def test_the_commands_around_the_join_are_nothing_to_complain_about():
    """As Cluster API renders them: ours before, its own join, ours after."""
    (spec,) = [
        o for o in pool_template(PoolWish(provider="azure", files=FILES)) if "Kubeadm" in o["kind"]
    ]
    config = spec["spec"]["template"]["spec"]
    join = r"kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml && echo success > /run/cluster-api/bootstrap-success.complete"
    commands = [*config["preKubeadmCommands"], join, *config["postKubeadmCommands"]]
    text = "#cloud-config\n" + yaml.safe_dump({"runcmd": commands})
    found = lint(text.encode(), Machine(), Origin("x")).findings
    assert [finding.rule for finding in found] == ["BOOT045"]


def test_a_provider_without_pools_says_so():
    with pytest.raises(UnsupportedError, match="no machine pools"):
        pool_template(PoolWish(provider="proxmox", flavor="machinepool"))


def test_variables_are_filled_from_flags(capsys):
    options = ["--set", "CLUSTER_NAME=shop", "--set", "WINDOWS_WORKER_MACHINE_COUNT=3"]
    assert main(["capi", "template", "--provider", "openstack", *options]) == 0
    documents = list(yaml.safe_load_all(capsys.readouterr().out))
    deployment = next(item for item in documents if item["kind"] == "MachineDeployment")
    assert deployment["metadata"]["name"] == "shop-md-win"
    assert deployment["spec"]["replicas"] == 3
    assert deployment["spec"]["template"]["spec"]["version"] == "${KUBERNETES_VERSION}"


def test_images_are_listed_with_their_version(capsys):
    assert (
        main(["image", "list", "--platform", "azure", "--kubernetes", "1.37.1", "-o", "json"]) == 0
    )
    items = json.loads(capsys.readouterr().out)["items"]
    assert {item["windows"] for item in items} == {"2019", "2022", "2025"}
    assert all(item["reference"].endswith("/1.37.1") for item in items)
    assert main(["image", "list", "--platform", "qemu"]) == 0
    assert "nobody publishes" in capsys.readouterr().out
