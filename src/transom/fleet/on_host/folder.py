r"""Whose the folders of the node program on a host are: asked before anything in them runs or is believed.

Below `C:\` any user may make folders, and whoever makes one owns it: a program found in it would run with
an administrator's rights. So Windows itself is asked first, by PowerShell, which starts in about a
second; names of accounts differ by language, so that everything here goes by SIDs. A folder of Transom is
made with its access in one call and is never open, not even for a moment.
"""

import re
from collections.abc import Mapping, Sequence

from transom.errors import InternalError, UnsupportedError
from transom.model import sddl
from transom.model.places import HOME, PARENT
from transom.model.records import dataclass
from transom.remote.session import Completed, Session

CLOSED = sddl.CLOSED_FOLDER
"""SYSTEM and administrators alone; the same as the recipe wants for both folders."""

_SCRIPT_S = 120.0
_PLAIN = re.compile(r"[A-Za-z0-9:\\-]+")
_DIRECTORY, _REPARSE_POINT = 0x10, 0x400
_ABSENT = "absent"
_MADE = "made"
_NAMES = {
    "BU": "Users",
    "AU": "Authenticated Users",
    "WD": "Everyone",
    "IU": "INTERACTIVE",
    "LA": "the account Administrator, not the group Administrators",
}
# To take a folder away, to put another in its place, or to change who may: the parent must not give that.
_TAKES_AWAY = sddl.DELETE | sddl.DELETE_CHILD | sddl.WRITE_DAC | sddl.WRITE_OWNER
_CHANGES = _TAKES_AWAY | sddl.WRITE_ONLY

# One line for each folder: its attributes (System.IO.FileAttributes), the folder, and owner and access as
# SDDL; nothing is read through a link. The texts are the same in every language of Windows.
_LOOK = r"""
foreach ($p in {paths}) {
  try { $a = [int][IO.File]::GetAttributes($p) }
  catch [IO.FileNotFoundException], [IO.DirectoryNotFoundException] { "absent $p"; continue }
  $s = ''
  if (($a -band 0x410) -eq 0x10) { $s = [IO.Directory]::GetAccessControl($p, 'Owner, Access').GetSecurityDescriptorSddlForm('Owner, Access') }
  "$a $p $s"
}
"""
_MAKE = r"""
$d = New-Object Security.AccessControl.DirectorySecurity
$d.SetSecurityDescriptorSddlForm('{closed}')
foreach ($p in {paths}) { if (-not [IO.Directory]::Exists($p)) { $null = [IO.Directory]::CreateDirectory($p, $d); "made $p" } }
"""


@dataclass(frozen=True, slots=True)
class _Seen:
    """One folder as Windows describes it; `attributes` is None where there is none."""

    path: str
    attributes: int | None
    access: str = ""


def look_script(paths: Sequence[str]) -> str:
    """The script that tells what the folders are."""
    return _LOOK.replace("{paths}", _listed(paths)).strip()


def make_script(paths: Sequence[str]) -> str:
    """The script that makes the folders that are missing, closed, and tells what they all are then."""
    made = _MAKE.replace("{closed}", CLOSED).replace("{paths}", _listed(paths))
    return f"{made.strip()}\n{look_script(paths)}"


async def is_there(session: Session) -> bool:
    """Whether the host has the program's folder; refuse one, or its parent, that is not ours."""
    seen = _seen(await _run(session, look_script((PARENT, HOME))), (PARENT, HOME))
    for item in seen.values():
        _judge(item)
    return seen[HOME].attributes is not None


async def ours(session: Session, paths: Sequence[str]) -> tuple[str, ...]:
    """Those of the folders that nobody else could have made or filled."""
    if not paths:
        return ()
    seen = _seen(await _run(session, look_script(paths)), paths)
    return tuple(path for path in paths if _is_ours(seen[path]))


async def make(session: Session, folder: str) -> tuple[str, ...]:
    """Have a folder in the parent, closed from the start, and the parent; which of them were made."""
    paths = (PARENT, folder)
    done = await _run(session, make_script(paths))
    # Somebody may have been quicker: what is there now counts.
    for item in _seen(done, paths).values():
        if item.attributes is None:
            raise _refused(item.path, "is not there though it was just made", _AGAIN)
        _judge(item)
    lines = done.stdout.decode(errors="replace").splitlines()
    return tuple(line.partition(" ")[2] for line in lines if line.startswith(_MADE + " "))


async def _run(session: Session, script: str) -> Completed:
    done = await session.script(script, timeout_s=_SCRIPT_S)
    if done.code != 0:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()[-500:]
        raise UnsupportedError(
            f"cannot read who owns {PARENT} and {HOME}: {said}",
            subject=HOME,
            hint="the user must be an administrator of the host",
        )
    return done


def _seen(done: Completed, paths: Sequence[str]) -> Mapping[str, _Seen]:
    found = {}
    for line in done.stdout.decode(errors="replace").splitlines():
        what, _, rest = line.partition(" ")
        path, _, access = rest.partition(" ")
        if path in paths and what == _ABSENT:
            found[path] = _Seen(path, None)
        elif path in paths and what.isdecimal():
            found[path] = _Seen(path, int(what), access)
    missing = [path for path in paths if path not in found]
    if missing:
        said = (done.stdout + done.stderr).decode(errors="replace").strip()[-500:]
        raise InternalError(f"Windows did not tell what {missing[0]} is, but: {said!r}")
    return found


_AGAIN = "run the same command again"


def _judge(seen: _Seen) -> None:
    """Refuse a folder that somebody else could fill or exchange."""
    if seen.attributes is None:
        return
    if seen.attributes & _REPARSE_POINT:
        raise _refused(
            seen.path, "is a link to another place", f"look at what it is, then: rmdir {seen.path}"
        )
    if not seen.attributes & _DIRECTORY:
        raise _refused(seen.path, "is a file", f"move it away, or: del {seen.path}")
    owner = sddl.owner_of(seen.access)
    if owner not in sddl.TRUSTED_OWNERS:
        who = _called(owner or "nobody")
        raise _refused(seen.path, f"belongs to {who}", _repair(seen.path))
    others = _others(seen)
    if others:
        raise _refused(seen.path, f"can be changed by {others}", _repair(seen.path))


def _is_ours(seen: _Seen) -> bool:
    try:
        _judge(seen)
    except UnsupportedError:
        return False
    return seen.attributes is not None


def _others(seen: _Seen) -> str:
    """Who else may change the folder; new entries are no harm in the parent, where each has its owner."""
    try:
        found = sddl.parse(seen.access)
    except ValueError:
        return f"somebody (its access is {seen.access})"
    mask = _TAKES_AWAY if seen.path == PARENT else _CHANGES
    names = [
        _called(entry.who)
        for entry in found.entries
        if entry.allow
        and not entry.inherit_only
        and entry.mask & mask
        and entry.who not in sddl.TRUSTED_OWNERS
    ]
    return ", ".join(dict.fromkeys(names))


def _called(who: str) -> str:
    return f"{_NAMES[who]} ({who})" if who in _NAMES else who


def _repair(path: str) -> str:
    owned = f"icacls {path} /setowner *S-1-5-32-544"
    closed = f"icacls {path} {sddl.ICACLS_CLOSED_FOLDER}"
    if path == PARENT:
        return (
            "delete what is not yours in it, then close it, in cmd as administrator: "
            f"{owned} && {closed}"
        )
    return (
        "if you do not know all that is in it, delete it, in cmd as administrator: "
        f"rmdir /s /q {path} (if you do, keep it: {owned} /t && {closed})"
    )


def _refused(path: str, why: str, repair: str) -> UnsupportedError:
    return UnsupportedError(
        f"{path} on the host {why}: nothing in it is used", subject=path, hint=repair
    )


def _listed(paths: Sequence[str]) -> str:
    assert all(_PLAIN.fullmatch(path) for path in paths)
    return ", ".join(f"'{path}'" for path in paths)
