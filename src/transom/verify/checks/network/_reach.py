"""How checks of the network look alike: something dials an address, and the right pod must answer. Pure but for that."""

from transom.verify.check import Fault
from transom.verify.running.attempt import Attempt, shown

# PowerShell, because Windows has no other program that sends one datagram and reads the answer.
_DATAGRAM = (
    "$c=New-Object Net.Sockets.UdpClient;$c.Client.ReceiveTimeout=5000;"
    "$c.Connect('{host}',{port});$b=[Text.Encoding]::ASCII.GetBytes('hostname');"
    "[void]$c.Send($b,$b.Length);$e=New-Object Net.IPEndPoint([Net.IPAddress]::Any,0);"
    "[Text.Encoding]::ASCII.GetString($c.Receive([ref]$e))"
)
NO_PACKETS = "no packet moves between pods there"


async def from_pod(
    attempt: Attempt, pod: str, host: str, port: int, protocol: str, *, answers: str
) -> None:
    """A pod's program reaches an address, and the pod named `answers` says its name."""
    told = await attempt.dialed(pod, host, port, protocol)
    _judge(attempt, told, f"pod {pod}", f"{host}:{port} by {protocol}", answers)


async def from_node(attempt: Attempt, pod: str, host: str, port: int, *, answers: str) -> None:
    """A program of the node reaches an address by HTTP."""
    told = await attempt.fetched(pod, f"http://{host}:{port}/hostname")
    _judge(attempt, told, "the node", f"{host}:{port} by http", answers)


async def from_node_by_udp(
    attempt: Attempt, pod: str, host: str, port: int, *, answers: str
) -> None:
    """A program of the node reaches an address by UDP."""
    script = _DATAGRAM.format(host=host, port=port)
    told = await attempt.said(pod, "powershell.exe", "-NoProfile", "-Command", script)
    _judge(attempt, told, "the node", f"{host}:{port} by udp", answers)


def _judge(attempt: Attempt, told: str, who: str, where: str, answers: str) -> None:
    if told.strip().lower() != answers.lower():
        raise Fault(f"{who} asked {where}, and {shown(told)!r} answered instead of {answers}")
    attempt.evidence["reached"] = f"{who} reached {where}, where {answers} answered"
