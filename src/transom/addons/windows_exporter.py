"""windows_exporter: a host's own figures for Prometheus, by a HostProcess container."""

from transom.addons.host_process import daemon_set_of, host_process_pod
from transom.addons.setting import Setting
from transom.facts import rows
from transom.facts.install import PortRow
from transom.facts.rows import At
from transom.model.manifest import Manifest

NAME = "windows-exporter"


def windows_exporter(setting: Setting) -> list[Manifest]:
    """Its DaemonSet; the port is opened before it starts, anew so that there is one rule."""
    port = rows.one(PortRow, "port-windows-exporter", At())
    rule = f"name={NAME}"
    opening = (
        f"netsh advfirewall firewall delete rule {rule} & "
        f"netsh advfirewall firewall add rule {rule} dir=in action=allow "
        f"protocol=TCP localport={port.port}"
    )
    limits = {
        "requests": {"cpu": "50m", "memory": "100Mi"},
        "limits": {"cpu": "500m", "memory": "300Mi"},
    }
    spec = {
        **host_process_pod(setting),
        "initContainers": [
            {
                "name": "firewall",
                "image": setting.image("image-hostprocess-base"),
                "imagePullPolicy": "IfNotPresent",
                "command": ["cmd.exe", "/c", opening],
                "resources": limits,
            }
        ],
        "containers": [
            {
                "name": NAME,
                "image": setting.image("image-windows-exporter"),
                "imagePullPolicy": "IfNotPresent",
                "args": [
                    f"--web.listen-address=:{port.port}",
                    "--collectors.enabled=[defaults],container",
                ],
                "ports": [{"name": "metrics", "containerPort": int(port.port)}],
                "resources": limits,
            }
        ],
    }
    return [daemon_set_of(setting, NAME, spec)]
