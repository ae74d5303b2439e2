"""kube-proxy on Windows nodes: kernelspace, with flags for the mode of the network."""

from transom.addons.kept_program import kept_program
from transom.addons.setting import Setting
from transom.model.manifest import Manifest

NAME = "kube-proxy-windows"


def kube_proxy(setting: Setting) -> list[Manifest]:
    """Its objects."""
    return kept_program(setting, NAME, "kube-proxy")
