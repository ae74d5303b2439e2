"""A pod has the identity of a group managed service account."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, shown
from transom.verify.running.case import Case
from transom.verify.running.look import GMSA
from transom.verify.running.objects import SHELL, pod


def credential(case: Case) -> str:
    """Which credential spec, and whether the cluster knows them."""
    if GMSA not in case.setting.kinds:
        return f"the cluster has no {GMSA}: windows-gmsa is not installed"
    return "" if case.setting.wish.gmsa else f"no {GMSA} is named; --gmsa names one"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod of servercore, which has the programs of a domain."""
    options = {"gmsaCredentialSpecName": case.setting.wish.gmsa}
    main = {
        "name": "main",
        "image": case.image("servercore"),
        "command": ["cmd.exe", "/c", "for /l %i in (1,0,2) do @ping -n 30 127.0.0.1 >nul"],
    }
    context = {"windowsOptions": options}
    return (pod(case, SHELL, [main], securityContext=context, hostname="verify-gmsa"),)


async def prove(attempt: Attempt) -> None:
    """The container's account reaches its domain."""
    text = await attempt.said(SHELL, "nltest.exe", "/parentdomain")
    if "completed successfully" not in text.lower():
        raise Fault(f"the pod's account does not reach its domain: {shown(text)}")


CHECK = Check(
    name="gmsa",
    suite=Suite.WORKLOAD,
    what="A pod with a gMSA credential spec reaches its domain as that account.",
    why="It takes a domain controller, the webhook, RBAC and the node's membership or a plugin: any may be missing.",
    needs=(needs.isolated, needs.pods, credential),
    objects=objects,
    prove=prove,
    pods_deadline_s=900,
    patience_s=120,
    lab="there is no domain there",
)
