"""Windows Server releases as the registry shows them. Pure; read by `prefix` and `cli`."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from transom.errors import UsageError

DEFAULT_RELEASE = "2022"

_VERSION_KEY = r"HKEY_LOCAL_MACHINE\Software\Microsoft\Windows NT\CurrentVersion"
_OPTIONS_KEY = r"HKEY_LOCAL_MACHINE\System\CurrentControlSet\Control\ProductOptions"


@dataclass(frozen=True)
class Release:
    """One Windows Server release at one monthly update."""

    name: str
    product: str
    build: int
    revision: int
    release_id: str
    display: str

    @property
    def version(self) -> str:
        """The version Windows reports, with its revision."""
        return f"10.0.{self.build}.{self.revision}"

    def registry_file(self) -> str:
        """The values that make a prefix claim to be this release, as a .reg file."""
        texts = {
            "CurrentBuild": str(self.build),
            "CurrentBuildNumber": str(self.build),
            # Windows says 6.3 here; Wine 8 takes what RtlGetVersion answers from it.
            "CurrentVersion": "10.0",
            "ProductName": self.product,
            "InstallationType": "Server Core",
            "EditionID": "ServerDatacenter",
            "ReleaseId": self.release_id,
            "DisplayVersion": self.display,
        }
        numbers = {
            "CurrentMajorVersionNumber": 10,
            "CurrentMinorVersionNumber": 0,
            "UBR": self.revision,
        }
        lines = ["Windows Registry Editor Version 5.00", "", f"[{_VERSION_KEY}]"]
        lines += [f'"{name}"="{value}"' for name, value in texts.items()]
        lines += [f'"{name}"=dword:{value:08x}' for name, value in numbers.items()]
        lines += ["", f"[{_OPTIONS_KEY}]", '"ProductType"="ServerNT"', ""]
        return "\r\n".join(lines)


@cache
def releases() -> dict[str, Release]:
    """Every release, by name."""
    rows = tomllib.loads((files("transom_lab") / "releases.toml").read_text(encoding="utf-8"))
    return {name: Release(name=name, **row) for name, row in rows.items()}


def release(name: str) -> Release:
    """The release called `name`."""
    try:
        return releases()[name]
    except KeyError:
        raise UsageError(
            f"the lab has no Windows Server {name}",
            subject=name,
            hint=f"choose from {', '.join(releases())}",
        ) from None
