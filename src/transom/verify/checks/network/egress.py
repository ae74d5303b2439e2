"""A pod reaches an address outside of the cluster."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.checks.network._reach import NO_PACKETS
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, shell


def outside(case: Case) -> str:
    """Sites without internet name an address of their own."""
    wish = case.setting.wish
    if wish.image_repository and not wish.egress:
        return "with --image-repository the site is taken for one without internet; name an address with --egress"
    return ""


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod that asks."""
    return (shell(case),)


async def prove(attempt: Attempt) -> None:
    """Fetch the address; any answer of a server will do."""
    url = attempt.case.setting.wish.egress or attempt.case.expected("egress")
    code = await attempt.said(
        SHELL,
        "curl.exe",
        "-g",
        "-s",
        "-S",
        "-o",
        "NUL",
        "--max-time",
        "15",
        "-w",
        "%{http_code}",
        url,
    )
    attempt.evidence["egress"] = f"{url} answered {code}"


CHECK = Check(
    name="egress",
    suite=Suite.NETWORK,
    what="A pod reaches an address outside of the cluster over HTTPS, by name.",
    why="NAT and exceptions for it are written per node on Windows; DNS and MTU show here too.",
    needs=(needs.isolated, needs.pods, outside),
    objects=objects,
    prove=prove,
    patience_s=60,
    lab=NO_PACKETS,
)
