"""What a Node in a dump says about itself."""

import re
from collections.abc import Mapping
from typing import Any

from transom.workload.context import OperatingSystem
from transom.workload.pods import ObjectView, mapping

_KERNEL = re.compile(r"10\.0\.(\d{5})(?:\.\d+)?")


def node_info(node: ObjectView) -> Mapping[str, Any]:
    """The status.nodeInfo of a Node."""
    return mapping(mapping(node.value.get("status")).get("nodeInfo"))


def node_build(info: Mapping[str, Any]) -> int | None:
    """The build of a Windows node; None for any other."""
    if info.get("operatingSystem") != OperatingSystem.WINDOWS.value:
        return None
    kernel = _KERNEL.match(str(info.get("kernelVersion", "")))
    return int(kernel[1]) if kernel else None
