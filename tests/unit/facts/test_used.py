"""A row nobody reads is a row nobody keeps true: each table is read by code, or is reference."""

import re
from pathlib import Path

import pytest

from transom.facts import compile as facts_compile
from transom.facts import rows

SOURCE = Path(__file__).parents[3] / "src" / "transom"
READERS = "\n".join(
    path.read_text("utf-8")
    for path in SOURCE.rglob("*.py")
    if path.parent.name not in ("facts", "cli") or path.name == "names.py"
)
TABLES = [
    table
    for subject in facts_compile.subjects()
    for table in facts_compile.tables(subject).values()
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.subject}.{table.table}")
def test_a_table_is_read_by_code_or_is_reference(table):
    read_by_code = re.search(rf"\b{table.__name__}\b", READERS)
    told_only = all(row.reference for row in rows.read(table))
    assert read_by_code or told_only
