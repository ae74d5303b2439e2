"""Templates of Cluster API against the real definitions: its own and those of its six providers."""

from functools import cache

import jsonschema_rs
import pytest
from tests.contract.capi import name_of, objects_of, wishes
from tests.contract.definitions import definitions
from tests.support.contract_capi_definitions import closed

pytestmark = pytest.mark.go
_OTHERS = ("ConfigMap",)


@cache
def schemas():
    """A validator for each version and kind that a template has."""
    kinds = {item["kind"] for wish in wishes() for item in objects_of(wish)}
    found = {}
    for crd in definitions(*sorted(kinds)):
        for version in crd["spec"]["versions"]:
            api = f"{crd['spec']['group']}/{version['name']}"
            schema = version["schema"]["openAPIV3Schema"]
            schema["properties"]["metadata"] = {"type": "object"}
            found[api, crd["spec"]["names"]["kind"]] = jsonschema_rs.validator_for(
                closed(schema) | {"$schema": "http://json-schema.org/draft-04/schema#"}
            )
    return found


@pytest.mark.timeout(600)
@pytest.mark.parametrize("wish", wishes(), ids=name_of)
def test_the_real_definitions_take_every_object(wish):
    for item in objects_of(wish):
        if item["kind"] in _OTHERS:
            continue
        errors = [
            f"{'.'.join(map(str, error.instance_path))}: {error.message}"
            for error in schemas()[item["apiVersion"], item["kind"]].iter_errors(item)
        ]
        assert errors == [], item["kind"]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("provider", ["azure", "aws", "gcp", "vsphere", "openstack", "proxmox"])
def test_a_field_that_is_none_is_noticed(provider):
    """Else the definitions above would prove nothing."""
    wish = next(wish for wish in wishes() if wish.provider == provider)
    (machine,) = [i for i in objects_of(wish) if i["kind"].endswith("MachineTemplate")]
    machine["spec"]["template"]["spec"]["osTyp"] = "Windows"
    errors = schemas()[machine["apiVersion"], machine["kind"]].iter_errors(machine)
    assert any("osTyp" in error.message for error in errors)
