"""Flannel on Windows nodes, overlay and l2bridge; its net-conf.json is the recipe's."""

from transom.addons.kept_program import kept_program
from transom.addons.setting import Setting
from transom.model.manifest import Manifest

NAME = "kube-flannel-windows"


def flannel(setting: Setting) -> list[Manifest]:
    """Its objects."""
    return kept_program(setting, NAME, "flannel")
