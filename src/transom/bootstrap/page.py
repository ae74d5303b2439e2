"""The list of traps for the page about boot data."""

from transom.facts.cloudbaseinit import Trap
from transom.facts.rows import read

MARK = "<!-- generated from facts/cloudbaseinit.toml by tools/generate.py; edit nothing below -->"


def traps() -> str:
    """Every trap as a row of a table."""
    head = "| trap | | what happens | instead |\n|---|---|---|---|\n"
    return head + "".join(
        f"| {row.id} | {row.title} ({row.severity}) | {_cell(row.text)} | {_cell(row.fix)} |\n"
        for row in read(Trap)
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
