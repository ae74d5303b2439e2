"""What flanneld on this host is set to, by the file it reads."""

import json
from collections.abc import Mapping
from typing import Any

from transom.node.doctor.observation import Observation


def flannel_settings(seen: Observation) -> tuple[str, Mapping[str, Any]]:
    """The file's path, and the network's range with the backend's settings beside it."""
    path, text = seen.text("\\net-conf.json")
    try:
        document = json.loads(text) if text else {}
    except ValueError:
        return path, {}
    if not isinstance(document, dict):
        return path, {}
    backend = document.get("Backend")
    return path, {
        "Network": document.get("Network"),
        **(backend if isinstance(backend, dict) else {}),
    }
