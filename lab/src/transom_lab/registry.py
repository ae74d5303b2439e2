"""What a lab host says it is: the registry of its prefix, for a Windows release and a name.

Called when a base prefix is made and when a host is; renders text only.
"""

import tomllib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from string import Template

from transom.errors import UnsupportedError

_NETBIOS_LENGTH = 15
_MACHINES = uuid.UUID("4c4c4544-0044-4810-8031-b4c04f4b3132")


@dataclass(frozen=True, slots=True)
class WindowsRelease:
    """One Windows Server release, as its registry names it."""

    name: str
    product: str
    display: str
    build: int
    ubr: int


def windows_releases() -> tuple[WindowsRelease, ...]:
    """Every release a host can say it is, oldest first."""
    file = resources.files("transom_lab") / "windows_releases.toml"
    rows = tomllib.loads(file.read_text())["release"]
    return tuple(
        WindowsRelease(row["name"], row["product"], row["display"], row["build"], row["ubr"])
        for row in rows
    )


def windows_release(name: str) -> WindowsRelease:
    """The release called `2019`, `2022`, ...

    Raises:
        UnsupportedError: the lab knows no such release.
    """
    known = windows_releases()
    for release in known:
        if release.name == name:
            return release
    raise UnsupportedError(
        f"cannot make a Windows {name} host: the lab knows {', '.join(r.name for r in known)}",
        subject=name,
    )


def render_registry(
    template: str, release: WindowsRelease, hostname: str, *, address: str = ""
) -> str:
    """Fill in the registry file of a host (lab/native/base.reg.in), in the form regedit imports.

    Without an address the adapter has none, as in a base that hosts are copied from.
    """
    text = Template(template).substitute(
        product=release.product,
        display=release.display,
        build=release.build,
        ubr_hex=f"{release.ubr:08x}",
        hostname=hostname,
        netbios=hostname[:_NETBIOS_LENGTH].upper(),
        machine=uuid.uuid5(_MACHINES, hostname),
        adapter=str(uuid.uuid5(_MACHINES, "adapter")).upper(),
        address=_many_strings((address,) if address else ()),
    )
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _many_strings(texts: Sequence[str]) -> str:
    """A REG_MULTI_SZ in the form of a registry file: each text ended by NUL, then one more.

    One byte a character: so Wine's regedit reads it in a file that is not itself UTF-16.
    """
    data = "".join(f"{text}\0" for text in texts) + "\0"
    return data.encode("ascii").hex(",")
