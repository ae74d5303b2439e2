"""Computer names: what becomes of a machine's name, and whether the names of one machine agree.

Recipes, boot data and Cluster API take them from here, so that they never disagree. Pure; the numbers are
in `naming.toml`.
"""

import base64
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from transom.facts.join import Limit
from transom.facts.naming import NameLimit, NameRule
from transom.facts.rows import At, one
from transom.model.records import dataclass

_COMPUTER_NAME = re.compile(r"(?![0-9]+$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?")
_AKS = re.compile(r"[a-z][a-z0-9]*")


@dataclass(frozen=True, slots=True)
class MachineName:
    """A machine, or a pool, by the names Cluster API gives: its own, its cluster's, its pool's."""

    name: str
    cluster: str = ""
    pool: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputerName:
    """A machine and what it is called: by the platform, by Windows, and as a node.

    `certificate` is the common name of the kubelet's certificate. `problems` says why they will not
    agree, or why Windows cannot take the name.
    """

    machine: str
    cluster: str
    platform: str
    computer: str
    node: str
    certificate: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Collision:
    """A computer name that more than one machine would get."""

    computer: str
    machines: tuple[str, ...]


def netbios_name(name: str) -> str:
    """What NetBIOS keeps of a name."""
    return name[: one(Limit, "limit-computer-name", At()).value]


def cloudbase_name(name: str) -> str:
    """The computer name that cloudbase-init gives to a machine whose metadata has that name."""
    name = netbios_name(name.split(".", 1)[0])
    return f"{name[:-1]}0" if name.endswith("-") else name


def shortened(machine: MachineName, *, rule: str, concerns: str = "machine") -> str:
    """The name a provider gives to the platform, by its rule: seed, capz, hash, or none."""
    if rule == "none":
        return machine.name
    row = one(NameRule, f"name-{concerns}-{rule}", At())
    if len(machine.name) <= row.longest:
        return machine.name
    if rule == "hash":
        return _hashed(machine, row)
    source = machine.cluster if row.head_of == "cluster" else machine.name
    head = row.prefix or source[: row.head].removesuffix("-")
    return f"{head}-{machine.name[-row.tail :]}"


def _hashed(machine: MachineName, row: NameRule) -> str:
    digest = hashlib.sha256(f"{machine.cluster}\0{machine.pool}\0{machine.name}".encode())
    letters = base64.b32encode(digest.digest()).decode().lower()[: row.tail]
    head = re.sub(r"[^a-z0-9-]", "", machine.name.lower())[: row.head].strip("-")
    return f"{head}-{letters}" if head else letters


def named(machine: MachineName, *, rule: str, concerns: str = "machine") -> ComputerName:
    """Everything a machine is called when a provider names it by that rule."""
    platform = shortened(machine, rule=rule, concerns=concerns)
    computer = cloudbase_name(platform)
    node = computer.lower()
    return ComputerName(
        machine=machine.name,
        cluster=machine.cluster,
        platform=platform,
        computer=computer,
        node=node,
        certificate=f"system:node:{node}",
        problems=tuple(disagreements(metadata=platform, computer=computer, node=node)),
    )


def disagreements(*, metadata: str, computer: str, node: str, certificate: str = "") -> list[str]:
    """Why the names of one machine will not agree; nothing where they do.

    `metadata` is what the platform calls it and a template writes, `node` what the kubelet
    registers, `certificate` the common name in the kubelet's certificate.
    """
    found = []
    if not _COMPUTER_NAME.fullmatch(computer):
        found.append(
            f"{computer!r} is no computer name: letters, digits and inner dashes, not digits alone"
        )
    longest = one(Limit, "limit-computer-name", At()).value
    if len(computer) > longest:
        found.append(f"{computer} has {len(computer)} characters, and Windows takes {longest}")
    if computer.lower() != metadata.split(".", 1)[0].lower():
        found.append(f"the metadata says {metadata} and the computer is {computer}")
    if node != computer.lower():
        found.append(f"the node is {node} and the computer is {computer}")
    if certificate and certificate != f"system:node:{node}":
        found.append(
            f"the certificate is for {certificate.removeprefix('system:node:')}, not for {node}"
        )
    return found


def pool_problems(name: str, *, platform: str) -> list[str]:
    """Why a platform will not take a pool of that name; `platform` is aks or scale-set."""
    row = one(NameLimit, f"name-limit-{platform}", At())
    found = []
    if len(name) > row.value:
        found.append(f"{name} has {len(name)} characters, and {platform} takes {row.value}")
    found += [f"{name} contains {word}" for word in row.forbidden if word in name.lower()]
    if platform == "aks" and not _AKS.fullmatch(name):
        found.append(f"{name} is not made of lower-case letters and digits with a letter first")
    return found


def collisions(names: Iterable[ComputerName]) -> list[Collision]:
    """Computer names that more than one machine gets; Windows does not tell cases apart."""
    owners: dict[str, list[str]] = defaultdict(list)
    for name in names:
        label = f"{name.cluster}/{name.machine}" if name.cluster else name.machine
        owners[name.computer.lower()].append(label)
    return [
        Collision(computer, tuple(sorted(machines)))
        for computer, machines in sorted(owners.items())
        if len(machines) > 1
    ]


def without_collisions(machines: Sequence[MachineName], *, concerns: str) -> list[ComputerName]:
    """Names by hash, made different where even their hashes are the same."""
    taken: set[str] = set()
    result = []
    for machine in machines:
        salted, found = machine, named(machine, rule="hash", concerns=concerns)
        row = one(NameRule, f"name-{concerns}-hash", At())
        while found.computer.lower() in taken:
            salted = MachineName(salted.name, salted.cluster, f"{salted.pool}\0")
            platform = _hashed(salted, row)
            found = named(MachineName(platform), rule="hash", concerns=concerns)
        taken.add(found.computer.lower())
        result.append(
            ComputerName(
                machine=machine.name,
                cluster=machine.cluster,
                platform=found.platform,
                computer=found.computer,
                node=found.node,
                certificate=found.certificate,
                problems=found.problems,
            )
        )
    return result
