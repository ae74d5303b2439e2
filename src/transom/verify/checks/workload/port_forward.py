"""A port of a pod is reached through the API server."""

import asyncio

from transom.errors import PermanentError
from transom.kube.errors import Unavailable
from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, Suite
from transom.verify.checks.network._reach import NO_PACKETS
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, shown
from transom.verify.running.case import Case
from transom.verify.running.objects import HTTP_PORT, SERVER, server

_REQUEST = b"GET /hostname HTTP/1.0\r\nHost: verify\r\n\r\n"
_MOST = 65536
_READ_S = 20.0


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod that answers."""
    return (server(case),)


async def prove(attempt: Attempt) -> None:
    """Ask through the tunnel."""
    answer = b""
    try:
        async with attempt.door.forward(attempt.name(SERVER), HTTP_PORT) as tunnel:
            await tunnel.write(_REQUEST)
            async with asyncio.timeout(_READ_S):
                while len(answer) < _MOST and (more := await tunnel.read(deadline_s=_READ_S)):
                    answer += more
    except (PermanentError, Unavailable, TimeoutError) as error:
        await attempt.found(SERVER)  # the API answers, so it is the node that does not
        raise Fault(f"a port of the pod is not reached through the API server: {error}") from error
    if not answer.lower().rstrip().endswith(SERVER.encode()):
        raise Fault(f"through the tunnel {shown(answer.decode('utf-8', 'replace'))!r} answered")


CHECK = Check(
    name="port-forward",
    suite=Suite.WORKLOAD,
    what="kubectl port-forward reaches a port of a pod.",
    why="On Windows the runtime itself must carry it: there is no network namespace to enter.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    patience_s=40,
    lab=NO_PACKETS,
)
