"""`timezone`: an IANA name, which cloudbase-init turns into the Windows one or refuses."""

import re
from typing import Any

from transom.bootstrap.machine import Machine
from transom.bootstrap.sections.kinds import kind_of
from transom.bootstrap.story import Skip, Telling

_IANA = re.compile(r"[A-Za-z]+(/[A-Za-z0-9_+-]+)+|UTC|GMT|[A-Z]{3}([0-9][A-Z]{3})?")


def follow(value: Any, telling: Telling, machine: Machine, section: str) -> bool:
    """Tell the time zone that is set."""
    del machine
    if not isinstance(value, str):
        telling.remark("BOOT076", f"it is {kind_of(value)}", (section,))
        raise Skip
    if not _IANA.fullmatch(value):
        telling.remark("BOOT076", value, (section,))
    telling.act("timezone", value)
    return False
