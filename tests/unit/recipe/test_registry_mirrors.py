"""Mirrors of registries as containerd reads them."""

import tomllib
from pathlib import Path

import yaml

from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

BASE = Path(__file__).parents[2] / "data" / "fleets" / "v1alpha1" / "k137-2022-containerd-flannel-overlay.yaml"


def hosts_of(*mirrors):
    document = yaml.safe_load(BASE.read_text("utf-8"))
    document["spec"]["runtime"] = {"containerd": {"mirrors": {"registry.k8s.io": list(mirrors)}}}
    (fleet,) = read_fleets(yaml.safe_dump(document), name="fleet.yaml")
    recipe, *_ = resolve(fleet)
    (file,) = [file for file in recipe.files if file.path.endswith(r"registry.k8s.io\hosts.toml")]
    return tomllib.loads(file.content)


def test_a_mirror_is_asked_where_its_address_says():
    """Containerd adds /v2 to a path unless it is told that the path is the registry's own."""
    found = hosts_of("https://registry.corp/v2/mirror", "https://registry.corp/k8s")
    assert found["server"] == "https://registry.k8s.io"
    exact, added = found["host"].values()
    assert exact["override_path"] is True
    assert "override_path" not in added
