"""What the node program answers, one document per verb; JSON on its standard output.

Made by the node program, read by whoever started it. No answer holds a secret.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated

from transom.model.api_versions import written
from transom.model.choices import OneOf
from transom.model.disruption import Disruption
from transom.model.journal import Owner
from transom.model.problem import Mistake, Refusal
from transom.model.records import dataclass

PROGRAM_STATES = ("waiting", "running", "restarting", "failed", "stopped")


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowsVersion:
    """The Windows of a host."""

    build: int
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAdapter:
    """A network adapter that is up."""

    name: str
    addresses: tuple[str, ...]
    dhcp: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundService:
    """A Windows service that matters to a node."""

    name: str
    command: str
    start: str
    running: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundVolume:
    """A volume with a letter, by its root."""

    root: str
    bytes: int
    free_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What a host is and has.

    `pipes` are those that runtimes and wins listen on. `joined_to` is the API server of the kubelet's own
    credential. `installed` has the versions that Transom brought, by artifact. `features` are only
    told when the inventory itself is asked for, because Windows takes seconds to answer.
    """

    api_version: str = written("Inventory")
    kind: str = "Inventory"
    name: str
    windows: WindowsVersion
    elevated: bool
    reboot_pending: bool
    free_bytes: int
    adapters: tuple[FoundAdapter, ...]
    dns_suffixes: tuple[str, ...]
    defender: bool
    runtimes: tuple[str, ...]
    services: tuple[FoundService, ...]
    edition: str = ""
    domain: str = ""
    volumes: tuple[FoundVolume, ...] = ()
    pipes: tuple[str, ...] = ()
    joined_to: str = ""
    installed: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChange:
    """One thing that differs from the recipe.

    In a fleet's plan `id` is the fact that the recipe rests on here; `explain` knows it.
    """

    subject: str
    found: str
    wanted: str
    id: str = ""
    fix: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStep:
    """What a step would change, and what that does to a node in use."""

    step: str
    title: str
    disruption: Annotated[str, OneOf.values_of(Disruption)]
    drift: tuple[PlannedChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What stands in the way of a run, what it would change, step by step, and what is to be minded."""

    api_version: str = written("Plan")
    kind: str = "Plan"
    refusals: tuple[Refusal, ...]
    steps: tuple[PlannedStep, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a run in the foreground ended that did not fail."""

    api_version: str = written("Result")
    kind: str = "Result"
    run: str
    verb: str
    ending: Annotated[str, OneOf(("done", "reboot", "cancelled"))]
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramState:
    """What `run` last said of a program: waiting, running, restarting, failed or stopped, and why."""

    name: str
    state: Annotated[str, OneOf(PROGRAM_STATES)]
    reason: str
    since: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BootReport:
    """Why a machine did not join when its boot data asked for it; `run` names its event file."""

    api_version: str = written("BootReport")
    kind: str = "BootReport"
    error: str
    message: str
    subject: str
    hint: str
    run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStatus:
    """Whose a host is, what it was last brought to, how much of its journal is settled, how its programs are."""

    api_version: str = written("NodeStatus")
    kind: str = "NodeStatus"
    owner: Owner | None
    intents: int
    settled: int
    joined: bool
    adopted: bool
    kubernetes: str
    cancelling: bool
    programs: tuple[ProgramState, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """One thing that a reset with force would take, and why it is thought to be a node's."""

    kind: str
    subject: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftovers:
    """What a reset with force would take from a host, in that order."""

    api_version: str = written("Leftovers")
    kind: str = "Leftovers"
    items: tuple[Leftover, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Everything a plan needs of a host, in one answer.

    `program` is the SHA-256 of the node program there. `member` says that the host is a node of some
    cluster, whoever made it one, and `authority` is that cluster's certificate. `not_applied` is what
    the recipe says and the kubelet does not run with, and no step brings there.
    """

    api_version: str = written("Survey")
    kind: str = "Survey"
    program: str
    inventory: Inventory
    status: NodeStatus
    plan: Plan
    member: bool
    authority: str
    not_applied: tuple[PlannedChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a verb failed; `error` is the name of the error's kind, as in events."""

    api_version: str = written("Failure")
    kind: str = "Failure"
    error: str
    message: str
    subject: str
    hint: str
    refused: tuple[Refusal, ...] = ()
    mistakes: tuple[Mistake, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTestCheck:
    """How one check of the contract went; an empty problem means well."""

    check: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """Whether a host behaves as the steps rely on."""

    api_version: str = written("SelfTest")
    kind: str = "SelfTest"
    windows: WindowsVersion
    checks: tuple[SelfTestCheck, ...]
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """A command of the user that ran to its end."""

    api_version: str = written("CommandResult")
    kind: str = "CommandResult"
    code: int
    output: str
