"""The folder with `Prepare-Node.ps1`: for those who prepare a machine at its own PowerShell prompt.

The script is the same file for every machine; what differs is
beside it as data. Pure: what it carries is given.
"""

import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files

from transom.model.codec import encode
from transom.model.entry import BroughtFile, NodeEntry
from transom.model.fleet import Fleet
from transom.model.journal import Owner
from transom.model.recipe import Recipe

SCRIPT = "Prepare-Node.ps1"
RECIPE = "recipe.json"
ENTRY = "node.json"
PROGRAM = "node.pyz"
PYTHON = "python.zip"
_SIGNATURE = b"# SIG # Begin signature block"


def script() -> bytes:
    """The script, with the line ends of Windows wherever it was packed."""
    text = (files("transom.node") / SCRIPT).read_bytes()
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def is_signed_script(content: bytes) -> bool:
    """Whether somebody signed this very script: it must not be replaced by the unsigned one."""
    return content.startswith(script()) and _SIGNATURE in content[len(script()) :]


def script_files(
    fleet: Fleet, recipe: Recipe, *, program: bytes, python: BroughtFile, archive: bytes
) -> Mapping[str, bytes]:
    """Every file of the folder; without `archive` the machine fetches Python itself."""
    hashes = fleet.cluster.ca_cert_hashes
    entry = NodeEntry(
        python=python,
        program=BroughtFile(file=PROGRAM, url="", sha256=hashlib.sha256(program).hexdigest()),
        owner=Owner(cluster=hashes[0] if hashes else "", fleet=fleet.name, who="script"),
        endpoint=fleet.cluster.endpoint or "",
        ca_hashes=hashes,
    )
    beside = {PYTHON: archive} if archive else {}
    return {
        SCRIPT: script(),
        RECIPE: _json(recipe),
        ENTRY: _json(entry),
        PROGRAM: program,
        **beside,
    }


def _json(document: Recipe | NodeEntry) -> bytes:
    return (json.dumps(encode(document), indent=1) + "\n").encode("ascii")
