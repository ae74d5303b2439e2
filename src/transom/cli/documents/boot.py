"""What `transom userdata` prints with `-o json`."""

from dataclasses import dataclass

from transom.bootstrap.story import Act, Outcome
from transom.model.finding import Finding
from transom.model.recipe import API_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class BootStory:
    """What cloudbase-init does with boot data, act by act, and what is wrong with it.

    `outcome` is cloudbase-init's own account. `reboot`: the machine restarts afterwards. `again`:
    all of it runs once more at the next boot. `program` is the version whose behaviour this is.
    """

    api_version: str = API_VERSION
    kind: str = "BootStory"
    file: str
    program: str
    story: tuple[Act, ...]
    outcome: Outcome
    reboot: bool
    again: bool
    findings: tuple[Finding, ...]
