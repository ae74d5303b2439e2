"""Fleets of the test data as settings, and the objects of their golden streams."""

from pathlib import Path
from typing import Any

import yaml

from transom.addons.catalogue import EXTRAS
from transom.addons.setting import Setting, setting_of
from transom.errors import UnsupportedError
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

DATA = Path(__file__).parents[2] / "data"
FLEETS = sorted((DATA / "fleets").glob("k1*.yaml"))


def setting_from(path: Path) -> Setting:
    """The setting of a fleet's file."""
    (fleet,) = read_fleets(path.read_bytes(), name=path.name)
    return setting_of(fleet, resolve(fleet))


def golden_setting(name: str) -> Setting:
    """The setting of a golden fleet."""
    return setting_from(DATA / "fleets" / f"{name}.yaml")


def objects(path: Path) -> list[Any]:
    """The objects of a golden stream."""
    return list(yaml.safe_load_all((DATA / "addons" / f"{path.stem}.yaml").read_text("utf-8")))


def everything(path: Path) -> list[Any]:
    """The golden stream of a fleet, and every extra that it can have."""
    setting = setting_from(path)
    made = objects(path)
    for extra in EXTRAS.values():
        try:
            made += extra(setting)
        except UnsupportedError:
            continue
    return made


def found(manifests: Any, kind: str, name: str) -> Any:
    """One object of them."""
    (match,) = [
        item for item in manifests if (item["kind"], item["metadata"]["name"]) == (kind, name)
    ]
    return match
