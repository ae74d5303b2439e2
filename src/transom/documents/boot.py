"""What `transom userdata` prints with `-o json`."""

from transom.bootstrap.story import Act, Outcome
from transom.model.api_versions import written
from transom.model.finding import Finding
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BootStory:
    """What cloudbase-init does with boot data, act by act, and what is wrong with it.

    `outcome` is cloudbase-init's own account. `reboot`: the machine restarts afterwards. `again`:
    all of it runs once more at the next boot. `program` is the version whose behaviour this is.
    """

    api_version: str = written("BootStory")
    kind: str = "BootStory"
    file: str
    program: str
    story: tuple[Act, ...]
    outcome: Outcome
    reboot: bool
    again: bool
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackResult:
    """Boot data packed for a platform: in which form and file, and what the image must enable.

    `bytes` is its size as the platform counts it, `limit` the most it takes, zero where it names
    none. `keys` are the machine's settings in the file, where the platform takes those. `services`
    go into cloudbase-init's setting metadata_services.
    """

    api_version: str = written("PackResult")
    kind: str = "PackResult"
    platform: str
    form: str
    file: str
    bytes: int
    limit: int
    keys: tuple[str, ...]
    services: tuple[str, ...]
    advice: str
