"""Everything that helps somebody else to look at a host, brought here in one archive.

The archive is made on the host without secrets, fetched over the session, checked, and removed there.
Its name is made here: what the host calls it only says which of the program's own files it is.
"""

import hashlib
import re
from dataclasses import field
from datetime import UTC, datetime

from transom.errors import PermanentError
from transom.fleet.diagnose import visiting
from transom.fleet.on_host.answer import text_of, unusable
from transom.fleet.on_host.program import Bring
from transom.fleet.on_host.run import Connect
from transom.kube.api import Api
from transom.model.places import HOME
from transom.model.records import dataclass

# The program's own folder, or that of one visit.
_PLACE = re.compile(re.escape(HOME) + r"(?:-[\w-]+)?\\collected\\[\w.-]*\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """An archive with the name that it gets here."""

    host: str
    name: str
    sha256: str
    content: bytes = field(repr=False)


async def collect_host(
    place: str, connect: Connect, api: Api | None, *, bring: Bring, now: datetime
) -> Collected:
    """Have the host of that name or address make its archive, and bring it here."""
    async with visiting(connect, api, bring=bring) as visit:
        answer = await visit.program.look("collect", given=visit.given)
        path, sha256 = text_of(answer, "path"), text_of(answer, "sha256")
        if _PLACE.fullmatch(path) is None:
            raise unusable(f"it names {path or 'nothing'!r} as its archive")
        content = await visit.session.read(path)
        await visit.session.remove_tree(path)
    if content is None or hashlib.sha256(content).hexdigest() != sha256:
        raise PermanentError(
            f"the archive of {visit.host} is not what the host wrote",
            subject=visit.host,
            hint="run the same command again",
        )
    name = archive_name(place, now)
    return Collected(host=visit.host, name=name, sha256=sha256, content=content)


def archive_name(place: str, now: datetime) -> str:
    """The archive's name, from what the host is called here: a plain file's, whatever that is."""
    plain = re.sub(r"[^A-Za-z0-9.-]", "-", place)
    return f"transom-{plain}-{now.astimezone(UTC).strftime('%Y%m%dT%H%M%SZ')}.zip"
