"""What documents show is what the program prints: each transcript is run and compared."""

import re
import shlex
from pathlib import Path

import pytest

from transom.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def transcripts():
    for page in PAGES:
        text = page.read_text("utf-8")
        for number, block in enumerate(re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                if command.startswith("transom "):
                    name = f"{page.relative_to(ROOT)}-{number}-{command}"
                    yield pytest.param(command, shown, id=name)


@pytest.mark.parametrize(("command", "shown"), list(transcripts()))
def test_a_transcript_is_what_is_printed(command, shown, capsys, monkeypatch):
    """`...` on a line of its own stands for lines left out."""
    monkeypatch.chdir(ROOT)
    main(shlex.split(command)[1:])
    captured = capsys.readouterr()
    printed = (captured.out + captured.err).strip().splitlines()
    pieces = [piece.strip("\n") for piece in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE)]
    text = "\n".join(printed)
    position = 0
    for piece in filter(None, pieces):
        found = text.find(piece, position)
        assert found >= 0, f"not printed by {command}:\n{piece}"
        position = found + len(piece)


def test_every_link_between_pages_leads_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"
