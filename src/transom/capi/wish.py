"""What a template is asked for: the provider, the shape, and what its Windows machines are brought."""

from collections.abc import Sequence
from dataclasses import field

from transom.bootstrap.compile import BootFile
from transom.facts.capi import Provider, Registration
from transom.facts.rows import At, one
from transom.model.records import dataclass
from transom.model.version import Version

FLAVORS = ("machinedeployment", "machinepool", "clusterclass")
CONTRACTS = ("v1beta2", "v1beta1")
DOCKERSHIM = "dockershim"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The pool, or with `whole` the cluster around it.

    `kubernetes` is known where a version was given: facts that depend on it are then obeyed. `mtu`
    is that of Linux machines' network interface, zero where it is left alone. `legacy` names a
    runtime that is gone. `surge` and `unavailable` are those of a rollout.
    """

    provider: str
    flavor: str = "machinedeployment"
    contract: str = "v1beta2"
    name: str = "md-win"
    windows: str = "2022"
    whole: bool = False
    kubernetes: Version | None = None
    user: str = "capi"
    mtu: int = 0
    legacy: str = ""
    surge: int = 1
    unavailable: int = 0
    files: Sequence[BootFile] = field(default=(), repr=False)
    addons: str = ""

    @property
    def row(self) -> Provider:
        """What the facts say of the provider."""
        return one(Provider, f"provider-{self.provider}", At())

    @property
    def registration(self) -> Registration:
        """How the provider's Nodes come by their providerID."""
        return one(Registration, f"registration-{self.provider}", At())

    @property
    def is_old_contract(self) -> bool:
        """Whether objects are written in the way of v1beta1."""
        return self.contract == "v1beta1"
