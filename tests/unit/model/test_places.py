"""Texts that go to hosts spell places and access as the code does."""

from pathlib import Path

import pytest

from transom.facts import rows
from transom.facts.install import AccessRow
from transom.facts.rows import At
from transom.model import sddl
from transom.model.places import HOME, JOIN_CONFIGURATION

SOURCE = Path(__file__).parents[3] / "src" / "transom"


@pytest.mark.parametrize(
    "path",
    ["bootstrap/windows/boot.cmd", "image/packer/windows/bring.cmd"],
)
def test_a_script_uses_the_home_of_the_node_program(path):
    assert HOME in (SOURCE / path).read_text()


@pytest.mark.parametrize("path", ["bootstrap/windows/bring.py", "node/Prepare-Node.ps1"])
def test_a_script_grants_what_the_code_grants(path):
    _, _, grants = sddl.ICACLS_CLOSED_FOLDER.partition("/grant:r ")
    text = (SOURCE / path).read_text()
    assert all(grant in text for grant in grants.split())


def test_the_facts_close_folders_and_files_as_the_code_does():
    found = {row.id: row.sddl for row in rows.rows(AccessRow, At())}
    assert found["access-administrators"] == sddl.CLOSED_FOLDER
    assert found["access-administrators-file"] == sddl.CLOSED_FILE


def test_the_join_configuration_is_where_cluster_api_writes_it():
    assert JOIN_CONFIGURATION.endswith(r"\kubeadm-join-config.yaml")
