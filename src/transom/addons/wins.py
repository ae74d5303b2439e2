"""Legacy: a DaemonSet per Windows build that starts a host's own program through wins.

The image is the bare Nano Server of that build. wins.exe and what it starts are the host's, seen
through a read-only mount at the same path, because wins compares the two files before it starts one.
"""

from collections.abc import Iterator
from typing import Any

from transom.addons.command_line import command_line
from transom.addons.host_process import daemon_set_of
from transom.addons.setting import Setting
from transom.facts import rows
from transom.facts.addons import AddonImage
from transom.model.manifest import Manifest
from transom.model.recipe import PREPARED

_IGNORED = "ignore.transom.dev/WIN080"
_WHY = "with Docker the network named host lets such a pod start before there is a pod network"
PIPE = "\\\\.\\pipe\\rancher_wins"


def wins_daemon_sets(setting: Setting, name: str, program: str) -> Iterator[Manifest]:
    """One for each build the fleet has; a build without a Nano Server image has none."""
    for build in setting.builds:
        image = rows.one(AddonImage, f"image-nanoserver-{build.build}", setting.at)
        container = {
            "name": program,
            "image": image.image,
            "imagePullPolicy": "IfNotPresent",
            "command": _command(setting, program),
            "resources": {
                "requests": {"cpu": "50m", "memory": "100Mi"},
                "limits": {"cpu": "1", "memory": "300Mi"},
            },
            "volumeMounts": [
                {"name": "wins", "mountPath": PIPE},
                {"name": "programs", "mountPath": setting.places.install, "readOnly": True},
            ],
        }
        spec = {
            "serviceAccountName": name,
            "priorityClassName": "system-node-critical",
            "hostNetwork": True,
            "securityContext": {"windowsOptions": {"runAsUserName": "ContainerAdministrator"}},
            "nodeSelector": {
                "kubernetes.io/os": "windows",
                "node.kubernetes.io/windows-build": f"10.0.{build.build}",
                **PREPARED,
            },
            "tolerations": [{"operator": "Exists"}],
            "containers": [container],
            "volumes": [
                {"name": "wins", "hostPath": {"path": PIPE}},
                {"name": "programs", "hostPath": {"path": setting.places.install}},
            ],
        }
        made = daemon_set_of(setting, f"{name}-{build.release}".lower(), spec)
        made["metadata"]["annotations"] = {_IGNORED: _WHY}
        yield made


def _command(setting: Setting, program: str) -> list[Any]:
    path, *arguments = command_line(setting, program)
    wins = f"{setting.places.install}\\wins.exe"
    # wins takes the arguments as one text and splits it at spaces; none of our paths has one.
    return [wins, "cli", "process", "run", "--path", path, "--args", " ".join(arguments)]
