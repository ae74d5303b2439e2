"""Where on a host a diagnosis looks: by the recipe, else where kubeadm and its friends put things."""

import ntpath
import re
from collections.abc import Mapping

from transom.model.recipe import Recipe, Unpack
from transom.model.records import dataclass
from transom.model.sddl import ADMINISTRATORS_ONLY_BELOW
from transom.node.steps.join import Layout as JoinLayout

SERVICES = ("hns", "containerd", "docker", "kubelet", "kube-proxy", "flanneld", "rancher-wins")
VARIABLES = ("Path", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_LOGS = {
    "containerd": r"C:\var\log\containerd\containerd.log",
    "kubelet": r"C:\var\log\kubelet\kubelet.log",
    "kube-proxy": r"C:\var\log\kube-proxy\kube-proxy.log",
    "flanneld": r"C:\var\log\flanneld\flanneld.log",
}
_FIXED = (
    r"C:\run\flannel\subnet.env",
    r"C:\etc\kube-flannel\net-conf.json",
    r"C:\sourcevip\sourceVip.json",
    r"C:\Program Files\containerd\config.toml",
)
# The top-level key of containerd's configuration. Its default is on the system drive in every
# version (containerd defaults/defaults_windows.go), and only the drive matters here.
_ROOT = re.compile(r"""(?m)^root\s*=\s*(?P<quote>["'])(?P<path>.+?)(?P=quote)""")
_DEFAULT_ROOT = r"C:\ProgramData\containerd\root"
_PROGRAMS = r"C:\k"
_READABLE = (
    ADMINISTRATORS_ONLY_BELOW + "(A;OICI;0x1200a9;;;BU)(A;OICI;0x1200a9;;;AU)(A;OICI;0x1200a9;;;WD)"
)
# Whoever may write to it runs programs as SYSTEM; wins itself makes it for administrators only.
WINS_PIPE = r"\\.\pipe\rancher_wins"


@dataclass(frozen=True, slots=True)
class Places:
    """The paths, services and variables that matter to one host."""

    kubernetes: str
    kubelet: str
    recipe: Recipe | None

    @staticmethod
    def of(recipe: Recipe | None) -> "Places":
        """The places of a recipe, or the usual ones."""
        if recipe is None:
            return Places(r"C:\etc\kubernetes", r"C:\var\lib\kubelet", None)
        layout = JoinLayout.of(recipe.join)
        return Places(layout.kubernetes, layout.kubelet, recipe)

    @property
    def services(self) -> tuple[str, ...]:
        """The services to look at."""
        own = self.recipe.services if self.recipe else ()
        return tuple(dict.fromkeys((*SERVICES, *(service.name for service in own))))

    @property
    def variables(self) -> tuple[str, ...]:
        """The machine's variables to look at."""
        own = self.recipe.environment if self.recipe else ()
        by_name = {name.lower(): name for name in (*VARIABLES, *(item.name for item in own))}
        return tuple(by_name.values())

    @property
    def cni(self) -> str:
        """Where the network's configuration lies."""
        return r"C:\etc\cni\net.d"

    @property
    def leases(self) -> str:
        """Where the addresses of pods are written down, one directory per network."""
        return r"C:\var\lib\cni\networks"

    @property
    def texts(self) -> tuple[str, ...]:
        """Configuration files to read whole."""
        kubelet = ("config.yaml", "instance-config.yaml", "kubeadm-flags.env")
        own = [item.path for item in self.recipe.files] if self.recipe else []
        found = [
            *(ntpath.join(self.kubelet, name) for name in kubelet),
            ntpath.join(self.kubernetes, "kubelet.conf"),
            *_FIXED,
            *own,
        ]
        return tuple(dict.fromkeys(found))

    @property
    def certificates(self) -> tuple[str, ...]:
        """Directories whose certificates matter."""
        return (ntpath.join(self.kubelet, "pki"), ntpath.join(self.kubernetes, "pki"))

    @property
    def access(self) -> dict[str, str]:
        """The access each path that must be closed should have."""
        if self.recipe is None:
            closed = dict.fromkeys((self.kubernetes, *self.certificates), ADMINISTRATORS_ONLY_BELOW)
            return {_PROGRAMS: _READABLE, **closed}
        recipe = self.recipe
        found = {item.path: item.acl for item in recipe.directories}
        found |= {item.path: item.acl for item in recipe.files}
        found |= {item.path: item.acl for item in recipe.protected_files}
        if recipe.target.privileged == "wins":
            found[WINS_PIPE] = ADMINISTRATORS_ONLY_BELOW
        return {path: acl for path, acl in found.items() if acl}

    @property
    def programs(self) -> dict[str, str]:
        """Programs that are one download each, with their SHA-256."""
        artifacts = self.recipe.artifacts if self.recipe else ()
        single = [item for item in artifacts if item.unpack is Unpack.FILE and item.sha256]
        return {item.path: item.sha256 or "" for item in single}

    @property
    def archives(self) -> tuple[str, ...]:
        """Downloads whose members were written down when they were unpacked."""
        artifacts = self.recipe.artifacts if self.recipe else ()
        return tuple(item.path for item in artifacts if item.unpack is not Unpack.FILE)

    def volumes(self, texts: Mapping[str, str]) -> tuple[str, ...]:
        """A path on each volume that the kubelet and the runtime fill, by the runtime's own settings."""
        paths = [self.kubelet, *runtime_roots(texts)]
        if self.recipe is not None:
            paths += [item.path for item in self.recipe.directories if "containerd" in item.path]
        by_drive = {ntpath.splitdrive(path)[0].upper(): path for path in reversed(paths)}
        return tuple(by_drive[drive] for drive in sorted(by_drive) if drive)


def runtime_roots(texts: Mapping[str, str]) -> list[str]:
    """Where containerd keeps its images and containers, by its configuration; its default else."""
    named = [
        match["path"].replace("\\\\", "\\")
        for path, text in texts.items()
        if path.lower().endswith("\\containerd\\config.toml")
        for match in _ROOT.finditer(text)
    ]
    return named or [_DEFAULT_ROOT]


def usual_log(service: str) -> str:
    """Where a service logs when its command line does not say."""
    return _LOGS.get(service, "")
