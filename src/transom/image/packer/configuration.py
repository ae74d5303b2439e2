"""cloudbase-init's two configuration files: of its service, and of its run while Windows is set up.

The order of plugins is that of the facts: the name and the network before boot data, which joins
under that name; no plugin twice; restarts allowed where boot data may ask for one.
"""

from transom.facts import rows
from transom.facts.imaging import BootPlugin, BootSetting
from transom.facts.platforms import Platform

SERVICE = "cloudbase-init.conf"
SPECIALIZE = "cloudbase-init-unattend.conf"


def configuration(platform: Platform, *, specialize: bool) -> bytes:
    """The file of the service, or of the run in setup's pass specialize."""
    lines = ["[DEFAULT]"]
    for row in rows.read(BootSetting):
        value = row.specialize or row.value if specialize else row.value
        lines.append(f"{row.name}={value}")
    lines.append(f"metadata_services={','.join(platform.enable)}")
    lines.append(f"plugins={','.join(plugins(platform, specialize=specialize))}")
    return ("\r\n".join(lines) + "\r\n").encode()


def plugins(platform: Platform, *, specialize: bool) -> tuple[str, ...]:
    """The classes in the order they run."""
    return tuple(
        row.name
        for row in rows.read(BootPlugin)
        if (row.in_specialize or not specialize)
        and (not row.platforms or platform.id in row.platforms)
    )
