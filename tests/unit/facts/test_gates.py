"""Gates answer what they are in one minor."""

import pytest

from transom.facts.gates import Gate, GateState, state
from transom.facts.rows import read
from transom.model.version import Version

GATES = {gate.id: gate for gate in read(Gate)}


@pytest.mark.parametrize(
    ("name", "minor", "expected"),
    [
        ("WinDSR", "1.13", GateState("")),
        ("WinDSR", "1.32", GateState("alpha")),
        ("WinDSR", "1.33", GateState("beta", on=True)),
        ("WinDSR", "1.37", GateState("stable", on=True, locked=True)),
        ("WindowsHostNetwork", "1.30", GateState("alpha", on=True)),
        ("WindowsHostNetwork", "1.33", GateState("deprecated")),
        ("GitRepoVolumeDriver", "1.36", GateState("deprecated", locked=True)),
        ("SidecarContainers", "1.36", GateState("stable", on=True, locked=True)),
        ("SidecarContainers", "1.37", GateState("")),
        ("kubeadm/NodeLocalCRISocket", "1.34", GateState("beta", on=True)),
        ("kubeadm/NodeLocalCRISocket", "1.37", GateState("")),
    ],
)
def test_a_gate_is_what_that_minor_has(name, minor, expected):
    assert state(GATES[name], Version.parse(minor)) == expected


def test_a_patch_release_has_the_gates_of_its_minor():
    assert state(GATES["WinDSR"], Version.parse("1.34.0-rc.1")).locked


@pytest.mark.parametrize("gate", [pytest.param(gate, id=gate.id) for gate in read(Gate)])
def test_the_stages_of_a_gate_are_in_order(gate):
    stages = (gate.alpha, gate.beta, gate.ga, gate.removed)
    minors = [Version.parse(minor) for minor in stages if minor]
    assert minors == sorted(minors)
    assert gate.alpha or gate.beta or gate.ga or gate.deprecated
    if gate.removed and gate.locked:
        assert Version.parse(gate.locked) < Version.parse(gate.removed)
