"""Samples of Windows manifests as documentation has shown them, with their real mistakes."""

from pathlib import Path

import pytest

from transom.model.version import Version
from transom.workload.context import LintContext
from transom.workload.engine import Linter
from transom.workload.links import Links
from transom.yamlio.loader import load

SAMPLES = Path(__file__).parents[2] / "data" / "samples"

EXPECTED = {
    "daemonset-of-1709": [
        "1:1 error WIN209",
        "4:3 error WIN211",
        "7:1 error WIN210",
        "12:5 info WIN042",
        "14:9 info WIN101",
        "15:9 error WIN200",
        "15:9 warning WIN202",
        "15:9 warning WIN203",
        "17:9 warning WIN071",
    ],
    "iis-in-hyper-v": [
        "5:1 error WIN210",
        "12:9 warning WIN075",
        "13:5 info WIN042",
        "13:5 error WIN070",
        "15:9 info WIN101",
        "16:9 warning WIN202",
    ],
    "iis-with-limits": [
        "5:1 error WIN210",
        "11:5 info WIN042",
        "11:5 error WIN070",
        "14:9 warning WIN202",
        "17:13 warning WIN102",
    ],
    "iis-with-load-balancer": [
        "14:5 info WIN042",
        "17:9 error WIN200",
        "21:13 warning WIN105",
        "24:13 warning WIN105",
        "38:3 info WIN167",
    ],
    "iis-with-node-port": [
        "1:1 error WIN209",
        "5:1 error WIN210",
        "11:5 info WIN042",
        "13:9 warning WIN071",
        "16:9 warning WIN202",
        "19:13 warning WIN102",
        "38:3 info WIN167",
    ],
    "pod-with-empty-dirs": [
        "5:1 info WIN042",
        "7:5 info WIN101",
        "7:5 error WIN200",
        "7:5 warning WIN202",
        "7:5 warning WIN203",
        "22:5 warning WIN071",
    ],
    "pod-with-host-path": [
        "5:1 info WIN042",
        "7:5 info WIN101",
        "8:5 error WIN200",
        "8:5 warning WIN202",
        "8:5 warning WIN203",
        "16:5 warning WIN071",
    ],
}


def findings_of(name):
    linter = Linter(LintContext(kubernetes=Version(1, 37), builds=(20348,), today="2026-11-16"))
    data = (SAMPLES / f"{name}.yaml").read_bytes()
    links = Links()
    found = linter.lint(load(data, name=name), links) + links.settle()
    return sorted(found, key=lambda finding: (finding.line, finding.column, finding.rule))


@pytest.mark.parametrize("name", EXPECTED)
def test_samples_have_exactly_these_findings(name):
    actual = [
        f"{found.line}:{found.column} {found.severity.value} {found.rule}"
        for found in findings_of(name)
    ]
    assert EXPECTED[name] == actual


def test_all_samples_and_all_their_documents_are_covered():
    assert sorted(EXPECTED) == sorted(path.stem for path in SAMPLES.glob("*.yaml"))
    documents = [load(path.read_bytes(), name=path.name) for path in SAMPLES.glob("*.yaml")]
    assert sum(map(len, documents)) == 9
