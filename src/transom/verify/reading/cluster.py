"""What a run ran on, read from the objects of its cluster that a collector saved."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from transom.verify.reading.limits import NAME_CHARACTERS, bounded

# 10.0.20348.2582: the third part is the build, which names the release; the fourth rises with each update.
_KERNEL = re.compile(r"10\.0\.([0-9]{4,6})(?:\.([0-9]{1,6}))?")


def variant_of_nodes(nodes: Any) -> dict[str, str]:
    """The variant that the Windows nodes of a NodeList show; values that differ are all listed."""
    items = nodes.get("items") if isinstance(nodes, dict) else None
    found: dict[str, set[str]] = {}
    for info in _windows(items if isinstance(items, list) else ()):
        for key, value in _told(info).items():
            found.setdefault(key, set()).add(bounded(value, NAME_CHARACTERS))
    return {key: ", ".join(sorted(values)) for key, values in found.items()}


def variant_of_version(version: Any) -> dict[str, str]:
    """The variant that an answer of `/version` shows."""
    text = version.get("gitVersion") if isinstance(version, dict) else None
    return {"kubernetes": bounded(text, NAME_CHARACTERS)} if isinstance(text, str) else {}


def _windows(items: Iterable[Any]) -> Iterable[Mapping[str, Any]]:
    for item in items:
        status = item.get("status") if isinstance(item, dict) else None
        info = status.get("nodeInfo") if isinstance(status, dict) else None
        if isinstance(info, dict) and info.get("operatingSystem") == "windows":
            yield info


def _told(info: Mapping[str, Any]) -> dict[str, str]:
    told = {"kubernetes": str(info.get("kubeletVersion", ""))}
    name, _, version = str(info.get("containerRuntimeVersion", "")).partition("://")
    told["runtime"] = f"{name} {version}".strip()
    kernel = _KERNEL.match(str(info.get("kernelVersion", "")))
    if kernel:
        told["windows"] = kernel[1]
        told["kb"] = f"revision {kernel[2]}" if kernel[2] else ""
    return {key: value for key, value in told.items() if value}
