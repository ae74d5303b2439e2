"""csi-proxy: what CSI drivers whose node part is no HostProcess container do on the host through."""

from transom.addons.host_process import daemon_set_of, host_process_pod
from transom.addons.setting import Setting
from transom.model.manifest import Manifest

NAME = "csi-proxy"


def csi_proxy(setting: Setting) -> list[Manifest]:
    """Its DaemonSet."""
    spec = {
        **host_process_pod(setting),
        "containers": [
            {
                "name": NAME,
                "image": setting.image("image-csi-proxy"),
                "imagePullPolicy": "IfNotPresent",
                "resources": {
                    "requests": {"cpu": "10m", "memory": "100Mi"},
                    "limits": {"cpu": "500m", "memory": "300Mi"},
                },
            }
        ],
    }
    return [daemon_set_of(setting, NAME, spec)]
