"""Boot data that makes machines nodes: what it is made of from a pinned fleet, where its secret is, whether a platform takes it."""

import hashlib
from dataclasses import field
from typing import TYPE_CHECKING

from transom.bootstrap.compile import BootPlan, Fetched, User
from transom.bootstrap.lint import Origin, lint
from transom.bootstrap.machine import Machine
from transom.errors import Refused, UsageError
from transom.facts.platforms import SecretStore
from transom.facts.rows import At, one
from transom.fleet.on_host.program import own_program
from transom.model.finding import Severity
from transom.model.fleet import Fleet
from transom.model.journal import Owner
from transom.model.problem import Refusal
from transom.model.records import dataclass
from transom.model.request import JoinSecrets, Request, Verb
from transom.model.secret import SecretPlace
from transom.site.locks import LockedFleets
from transom.site.pinned_host import python_of, recipe_of

if TYPE_CHECKING:
    from transom.kube.api import Api

_AZURE = "azure-key-vault"


@dataclass(frozen=True, kw_only=True)
class SecretWish:
    """A join configuration in a cloud's store, as the user names it."""

    store: str | None = None
    name: str | None = None
    vault: str = ""
    endpoint: str = ""
    region: str = ""
    identity: str = ""
    keep: bool = False


@dataclass(frozen=True, kw_only=True)
class BootWish:
    """The boot data that is wanted: whose recipe, for which machine, what it carries and how the machine joins.

    With `brings_join` the join configuration is made here from `token`: for the boot data itself, or for its store.
    """

    host: str | None = None
    python: str | None = None
    machine: Machine = field(default_factory=Machine)
    program_url: str = ""
    brings_join: bool = False
    token: str = field(default="", repr=False)
    secret: SecretWish | None = None
    users: tuple[User, ...] = ()


def boot_plan(locked: LockedFleets, wish: BootWish) -> BootPlan:
    """Plan boot data that brings the node program by its sum, prepares the machine and joins it."""
    fleet, recipe = recipe_of(locked, wish.host)
    python = python_of(locked, fleet, wish.python)
    program = own_program()
    hashes = fleet.cluster.ca_cert_hashes
    owner = Owner(cluster=hashes[0] if hashes else "", fleet=fleet.name, who="boot-data")
    platform = wish.machine.platform
    fits = platform is not None and not platform.limit
    return BootPlan(
        request=Request(verb=Verb.JOIN, recipe=recipe, owner=owner, pins=hashes),
        python=Fetched(sha256=python.sha256, url=python.url),
        program=Fetched(sha256=hashlib.sha256(program).hexdigest(), url=wish.program_url),
        embedded=program if fits and not wish.program_url else b"",
        join=_join_secrets(wish, fleet) if wish.brings_join else None,
        secret=secret_place(wish.secret) if wish.secret else None,
        users=wish.users,
    )


def _join_secrets(wish: BootWish, fleet: Fleet) -> JoinSecrets:
    cluster = fleet.cluster
    if not wish.token or not cluster.endpoint or not cluster.ca_cert_hashes:
        raise UsageError(
            "a join by token needs the token, and where to join",
            subject="--join secret" if wish.secret else "--join token",
            hint="give --token-file, and cluster.joinEndpoint and cluster.caCertHashes in the fleet",
        )
    return JoinSecrets(
        endpoint=cluster.endpoint, token=wish.token, ca_hashes=cluster.ca_cert_hashes
    )


def secret_place(wish: SecretWish) -> SecretPlace:
    """Give where the secret is, with every mistake about it at once."""
    lacking = [
        option
        for option, given in (
            ("--store", wish.store),
            ("--secret-name", wish.name),
            ("--vault", wish.vault or wish.store != _AZURE),
        )
        if not given
    ]
    if lacking:
        raise UsageError(
            f"a join by a secret needs {' and '.join(lacking)}",
            subject="--join secret",
            hint="say which store has the join configuration, and under which name",
        )
    row = one(SecretStore, wish.store or "", At())
    endpoint = wish.endpoint or (
        wish.vault if "://" in wish.vault else row.endpoint.replace("{vault}", wish.vault)
    )
    return SecretPlace(
        store=row.id,
        name=wish.name or "",
        endpoint=endpoint.rstrip("/"),
        metadata=row.metadata,
        version=row.version,
        audience=_audience(endpoint, row.audience) if row.audience else "",
        region=wish.region,
        identity=wish.identity,
        keep=wish.keep,
    )


def _audience(endpoint: str, usual: str) -> str:
    """Give what a token is asked for: the cloud of the vault, which is its address without its name."""
    host = endpoint.partition("://")[2].partition("/")[0]
    cloud = host.partition(".")[2]
    return f"https://{cloud}" if cloud.startswith("vault.") else usual


def refuse_unfit(data: bytes, machine: Machine, *, name: str) -> None:
    """Refuse what the platform would not take, with every reason."""
    found = lint(data, machine, Origin(name)).findings
    reasons = [
        Refusal(
            finding.rule,
            "boot data",
            f"{len(data)} bytes",
            finding.message,
            finding.fix,
            finding.source,
        )
        for finding in found
        if finding.severity is Severity.ERROR
    ]
    if reasons:
        raise Refused(reasons, subject="the boot data", hint="serve the program with --program-url")


async def boot_data_in(api: "Api", namespace: str, name: str) -> bytes:
    """Read the boot data that Cluster API keeps in a Secret."""
    found = await api.secret(namespace, name)
    if found is None or "value" not in found:
        lack = "there is no" if found is None else "no boot data in"
        raise UsageError(
            f"{lack} Secret {namespace}/{name}",
            subject=name,
            hint="name the one in the Machine's spec.bootstrap.dataSecretName, and its namespace with -n",
        )
    return found["value"]
