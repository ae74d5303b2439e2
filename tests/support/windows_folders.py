r"""What Windows PowerShell says to the scripts of `fleet.folder`, on a simulated host.

Attributes are those of System.IO.FileAttributes (16 a directory, 32 a file, 1040 a directory that is a
reparse point); owner and access are SDDL, as GetSecurityDescriptorSddlForm writes them: only these two
parts were asked for, so no group is among them.
"""

import re
from typing import Any

from transom.fleet.on_host.folder import CLOSED, look_script, make_script
from transom.node.host.values import PathKind
from transom.remote.session import Completed

_PATHS = re.compile(r"foreach \(\$p in ([^)]*)\)")
_ATTRIBUTES = {PathKind.DIRECTORY: 16, PathKind.FILE: 32, PathKind.LINK: 1040}


def answer(host: Any, script: str) -> Completed:
    """Do what a script of `fleet.folder` says; any other is not known here."""
    found = _PATHS.search(script)
    paths = tuple(re.findall(r"'([^']*)'", found[1])) if found else ()
    if script not in (look_script(paths), make_script(paths)):
        return Completed(1, b"", f"this simulated host does not know {script!r}\r\n".encode())
    lines = []
    if script == make_script(paths):
        for path in paths:
            if host.files.kind(path) is PathKind.ABSENT:
                host.files.make_directory(path)
                host.files.set_acl(path, CLOSED)
                lines.append(f"made {path}")
    lines += [_line(host, path) for path in paths]
    return Completed(0, "".join(f"{line}\r\n" for line in lines).encode(), b"")


def _line(host: Any, path: str) -> str:
    kind = host.files.kind(path)
    if kind is PathKind.ABSENT:
        return f"absent {path}"
    access = host.files.acl(path) if kind is PathKind.DIRECTORY else ""
    return f"{_ATTRIBUTES[kind]} {path} {re.sub('G:(S-1-[0-9-]+|[A-Z]{2})', '', access)}"
