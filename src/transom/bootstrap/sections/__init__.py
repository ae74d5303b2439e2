"""The sections of a cloud-config that cloudbase-init knows: one module each, with `follow`.

`follow(value, telling, machine)` tells what the section does and answers whether it asks for a
restart. It raises Skip where cloudbase-init gives the section up. The order is a fact.
"""

from collections.abc import Callable, Mapping
from typing import Any

from transom.bootstrap.machine import Machine
from transom.bootstrap.sections import (
    groups,
    hostname,
    ntp,
    runcmd,
    timezone,
    users,
    write_files,
)
from transom.bootstrap.story import Telling

Follow = Callable[[Any, Telling, Machine, str], bool]

FOLLOW: Mapping[str, Follow] = {
    "write_files": write_files.follow,
    "set_timezone": timezone.follow,
    "timezone": timezone.follow,
    "set_hostname": hostname.follow,
    "hostname": hostname.follow,
    "ntp": ntp.follow,
    "groups": groups.follow,
    "users": users.follow,
    "runcmd": runcmd.follow,
}
