"""Manifests as upstream documents them get no warning: whoever follows the documentation is right."""

from pathlib import Path

import pytest

from transom.model.finding import Severity
from transom.model.version import Version
from transom.workload.context import LintContext
from transom.workload.engine import Linter
from transom.workload.links import Links
from transom.yamlio.loader import load

FILES = sorted((Path(__file__).parents[2] / "data" / "upstream").glob("*.yaml"))


@pytest.mark.parametrize("minor", [28, 33, 37])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_upstream_documents_gets_no_warning(path, minor):
    linter = Linter(LintContext(kubernetes=Version(1, minor), today="2026-11-18"))
    links = Links()
    found = linter.lint(load(path.read_bytes(), name=path.name), links) + links.settle()
    told = [item for item in found if item.severity.is_at_least(Severity.WARNING)]
    assert [(item.rule, item.line, item.message) for item in told] == []
