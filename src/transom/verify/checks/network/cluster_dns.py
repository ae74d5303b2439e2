"""A pod resolves names of the cluster."""

from transom.kube.door import SERVICE as _SERVICE
from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, Suite
from transom.verify.checks.network._reach import NO_PACKETS
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, shown
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, shell


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod that asks."""
    return (shell(case),)


async def prove(attempt: Attempt) -> None:
    """Look up the API server's Service; the answer must have its address."""
    domain = attempt.case.node.config.get("clusterDomain") or "cluster.local"
    name = f"kubernetes.default.svc.{domain}"
    service = await attempt.door.get(
        attempt.name("", _SERVICE)._replace(namespace="default", name="kubernetes")
    )
    address = str(((service or {}).get("spec") or {}).get("clusterIP") or "")
    text = await attempt.said(SHELL, "nslookup.exe", f"{name}.")
    if not address or address not in text:
        raise Fault(f"the pod looked up {name} and was told {shown(text)!r}, without {address}")
    attempt.evidence["resolved"] = f"{name} is {address}"


CHECK = Check(
    name="cluster-dns",
    suite=Suite.NETWORK,
    what="A pod resolves kubernetes.default.svc through the cluster's DNS.",
    why="Names are the first thing every application uses.",
    needs=(needs.isolated, needs.pods, needs.cluster_dns),
    objects=objects,
    prove=prove,
    patience_s=60,
    lab=NO_PACKETS,
)
