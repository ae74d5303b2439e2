"""A pod's DNS servers and search list are those that its spec asks for."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, Suite
from transom.verify.checks.network._reach import NO_PACKETS
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, shown
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, shell

# Addresses and names of documentation: nothing answers there, and nobody else sets them.
_SERVER, _SEARCH = "192.0.2.53", "verify.transom.example"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod with a DNS configuration of its own."""
    own = {"nameservers": [_SERVER], "searches": [_SEARCH]}
    return (shell(case, dnsPolicy="None", dnsConfig=own),)


async def prove(attempt: Attempt) -> None:
    """Look at the pod's network adapter."""
    text = await attempt.said(SHELL, "ipconfig.exe", "/all")
    missing = [value for value in (_SERVER, _SEARCH) if value not in text]
    if missing:
        raise Fault(f"the pod's adapter lacks {' and '.join(missing)}: {shown(text)}")


CHECK = Check(
    name="dns-through-cni",
    suite=Suite.NETWORK,
    what="DNS servers and search list of a pod reach its network adapter through CNI.",
    why="Windows has no resolv.conf: a CNI plugin that drops them leaves pods with the node's DNS.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    lab=NO_PACKETS,
)
