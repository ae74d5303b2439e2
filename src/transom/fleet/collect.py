"""Everything that helps somebody else to look at a host, brought here in one archive.

Called by `transom collect`. The archive is made on the host without secrets, fetched over the session,
checked, and removed there.
"""

import hashlib
import ntpath
from dataclasses import field

from transom.errors import PermanentError
from transom.fleet.diagnose import visiting
from transom.fleet.program import Bring
from transom.fleet.run import Connect
from transom.kube.api import Api
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """An archive with the name it has on the host."""

    host: str
    name: str
    sha256: str
    content: bytes = field(repr=False)


async def collect_host(connect: Connect, api: Api | None, *, bring: Bring) -> Collected:
    """Have the host make its archive, and bring it here."""
    async with visiting(connect, api, bring=bring) as visit:
        answer = await visit.program.look("collect", given=visit.given)
        path, sha256 = str(answer["path"]), str(answer["sha256"])
        content = await visit.session.read(path)
        await visit.session.remove_tree(path)
    if content is None or hashlib.sha256(content).hexdigest() != sha256:
        raise PermanentError(
            f"the archive of {visit.host} is not what the host wrote",
            subject=visit.host,
            hint="run the same command again",
        )
    return Collected(host=visit.host, name=ntpath.basename(path), sha256=sha256, content=content)
