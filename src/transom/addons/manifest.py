"""How every object of an add-on begins: its name, and the labels by which Transom knows its own."""

from typing import Any

from transom.addons.setting import Setting

NAMESPACE = "transom-system"
MANAGED_BY = {"app.kubernetes.io/managed-by": "transom"}
FLEET = "transom.dev/fleet"


def labels(setting: Setting, name: str) -> dict[str, str]:
    """The labels of an object."""
    return {"app.kubernetes.io/name": name, **MANAGED_BY, FLEET: setting.fleet}


def metadata(setting: Setting, name: str, *, namespace: str = "", component: str = "") -> Any:
    """The metadata of an object; `component` is what it belongs to where that is not its name."""
    place = {"namespace": namespace} if namespace else {}
    return {"name": name, **place, "labels": labels(setting, component or name)}
