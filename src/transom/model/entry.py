"""What lies beside `Prepare-Node.ps1`: the programs it brings by their sums, and whose host it makes.

Written by `transom script prepare`, read by that script and by the node program. Holds no secret.
"""

from transom.model.api_versions import written
from transom.model.journal import Owner
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtFile:
    """A file by its SHA-256: the one of that name beside the script, else from the address."""

    file: str
    url: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeEntry:
    """How the node program comes to a host that somebody prepares at its own prompt.

    `endpoint` and `ca_hashes` are the cluster's, for a join with nothing but a token; both are
    empty where the fleet does not tell them.
    """

    api_version: str = written("NodeEntry")
    kind: str = "NodeEntry"
    python: BroughtFile
    program: BroughtFile
    owner: Owner
    endpoint: str = ""
    ca_hashes: tuple[str, ...] = ()
