"""The request: what the node program is asked to do, handed over in memory and on stdin only.

Made by whoever starts the node program, read by it alone. It may hold a token, so it is never
written to a file, an argument list or a log.
"""

from dataclasses import field
from datetime import datetime
from enum import Enum

from transom.model.api_versions import written
from transom.model.journal import Owner
from transom.model.recipe import Recipe
from transom.model.records import dataclass


class Verb(Enum):
    """What a request asks for; undo takes back only what no run brought to its end.

    An adoption only records a node that somebody else made; an upgrade or a join changes it then.
    """

    PLAN = "plan"
    PREPARE = "prepare"
    JOIN = "join"
    ADOPT = "adopt"
    UPGRADE = "upgrade"
    RESET = "reset"
    UNDO = "undo"


def run_name(begun: datetime, what: str) -> str:
    """What a run on a host is called: by its moment, so that they sort and no two are the same."""
    return f"{begun:%Y%m%dT%H%M%S.%f}-{what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinSecrets:
    """Where and with what credential a host joins; its text form never shows it.

    With a `kubeconfig` the host joins without kubeadm and needs no token. kubeadm looks for the cluster
    for `discovery`, a duration in its own words: a wrong token is not waited for longer than that.
    """

    endpoint: str
    token: str = field(repr=False)
    ca_hashes: tuple[str, ...]
    kubeconfig: str = field(default="", repr=False)
    discovery: str = "1m0s"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHeader:
    """A header for one origin, such as the token of a mirror; its text form never shows the value."""

    origin: str
    name: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAccess:
    """What downloads need beside addresses: authorities (PEM) to trust as well, and headers."""

    authorities: str = ""
    headers: tuple[SourceHeader, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A verb, the recipe it is about, and what may not be stored.

    Undoing leaves Windows features on unless `remove_features` says otherwise: others may have
    come to need them, and turning them off takes a reboot. A reset with `force` also takes what
    looks like a node's and is in no journal. A step that changes the network is
    undone where neither gateway nor API server answers for `unreachable_s` after it. An upgrade
    after which the node is not Ready for `ready_s` is undone. A plan says what `plan_for` would do.
    With `image` a host is prepared to be copied: whatever belongs to one machine is left out.
    `pins` are those of all authorities that the owner's cluster has today: a journal of any of them is
    the owner's.
    """

    api_version: str = written("Request")
    kind: str = "Request"
    verb: Verb
    recipe: Recipe
    owner: Owner
    join: JoinSecrets | None = None
    access: SourceAccess = field(default_factory=SourceAccess)
    keep_on_failure: bool = False
    remove_features: bool = False
    force: bool = False
    deadline_s: int = 1800
    unreachable_s: int = 60
    ready_s: int = 300
    plan_for: Verb = Verb.PREPARE
    image: bool = False
    pins: tuple[str, ...] = ()
