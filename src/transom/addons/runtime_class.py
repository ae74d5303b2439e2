"""A RuntimeClass per Windows build and isolation: who names it gets the right node, or none."""

from collections.abc import Iterator

from transom.addons.manifest import metadata
from transom.addons.setting import Build, Setting
from transom.facts import rows
from transom.facts.addons import RuntimeHandler, ServedVersion
from transom.facts.rows import At
from transom.model.manifest import Manifest
from transom.model.recipe import ISOLATION


def runtime_classes(setting: Setting) -> Iterator[Manifest]:
    """Those of the builds the fleet has."""
    served = rows.find(ServedVersion, "served-RuntimeClass", setting.at)
    if served is None:
        return
    for build in setting.builds:
        # A host that isolates by Hyper-V runs pods without it as well.
        for isolation in dict.fromkeys(["process", *build.isolations]):
            handler = rows.find(RuntimeHandler, f"handler-{setting.runtime}-{isolation}", At())
            if handler is not None:
                yield _runtime_class(setting, build, handler, served.api_version)


def _runtime_class(
    setting: Setting, build: Build, handler: RuntimeHandler, api_version: str
) -> Manifest:
    name = f"windows-{build.release}".lower()
    selector = {
        "kubernetes.io/os": "windows",
        "kubernetes.io/arch": "amd64",
        "node.kubernetes.io/windows-build": f"10.0.{build.build}",
    }
    if handler.isolation != "process":
        name += f"-{handler.isolation}"
        selector |= {ISOLATION: handler.isolation}
    tolerations = [
        {
            "key": taint.key,
            "operator": "Equal" if taint.value else "Exists",
            **({"value": taint.value} if taint.value else {}),
            "effect": taint.effect.value,
        }
        for taint in build.taints
    ]
    return {
        "apiVersion": api_version,
        "kind": "RuntimeClass",
        "metadata": metadata(setting, name),
        "handler": handler.handler,
        "scheduling": {
            "nodeSelector": selector,
            **({"tolerations": tolerations} if tolerations else {}),
        },
    }
