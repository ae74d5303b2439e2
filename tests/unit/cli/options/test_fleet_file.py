"""Paths in a fleet lead where its writer meant them: from the file, not from where somebody stands."""

from pathlib import Path

import pytest

from transom.cli.options import fleet_file
from transom.model.fleet import Fleet, FromFile

TEXT = """\
apiVersion: transom.dev/v1alpha1
kind: Fleet
metadata: {name: shop}
spec:
  cluster: {kubeconfig: PATH}
  kubernetes: {version: 1.37.1}
  network: {podCIDRs: [10.244.0.0/16], serviceCIDRs: [10.96.0.0/12], flannel: {}}
  defaults: {windows: {release: 2022}}
  hosts:
  - {name: win-01, address: 10.0.0.21, connection: {ssh: {credential: {file: PATH}}}}
  - {name: win-02, address: 10.0.0.22}
"""


def read(path: str, file: str) -> Fleet:
    Path(file).parent.mkdir(exist_ok=True)
    Path(file).write_text(TEXT.replace("PATH", path), "utf-8")
    (fleet,) = fleet_file.read(file)
    return fleet


@pytest.mark.parametrize(
    ("path", "file", "expected"),
    [
        ("keys/admin", "fleet.yaml", "keys/admin"),
        ("keys/admin", "shop/fleet.yaml", "shop/keys/admin"),
        ("../admin", "shop/fleet.yaml", "shop/../admin"),
        ("/etc/admin", "shop/fleet.yaml", "/etc/admin"),
        ("~/admin", "shop/fleet.yaml", "/home/me/admin"),
    ],
)
def test_relative_paths_begin_at_the_file(tmp_path, monkeypatch, path, file, expected):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    fleet = read(path, file)
    first, second = fleet.hosts
    assert fleet.cluster.kubeconfig == expected
    assert first.connection is not None
    assert first.connection.credential == FromFile(expected)
    assert second.connection is None
