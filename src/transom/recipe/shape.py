"""A shape: what hosts of one fleet that differ only in name, address and connection have in common.

Every default that the fleet leaves to the facts is chosen here, once for all hosts of the shape; judging a
choice is in `refusals`. What concerns one host is in `case`.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from transom.facts import rows
from transom.facts.install import (
    Conditional,
    DefaultVersion,
    DirectoryRow,
    ProgramArgumentRow,
)
from transom.facts.join import PrivilegedWay, Skew
from transom.facts.kubelet import Flag
from transom.facts.network import ModeRow, PluginRow
from transom.facts.rows import At
from transom.facts.windows import PauseImage, Release
from transom.model.fleet import (
    CLUSTER_DOMAIN,
    AzureCNISpec,
    CalicoSpec,
    ExternalSpec,
    FlannelSpec,
    Fleet,
    Host,
    OVNKubernetesSpec,
    Plugin,
    Proxy,
    Runtime,
    WinBridgeSpec,
    WinCNISpec,
    WinOverlaySpec,
)
from transom.model.version import Version

C = TypeVar("C", bound=Conditional)

PLUGIN_NAMES: dict[type[Plugin], str] = {
    FlannelSpec: "flannel",
    CalicoSpec: "calico",
    AzureCNISpec: "azureCNI",
    OVNKubernetesSpec: "ovnKubernetes",
    WinCNISpec: "wincni",
    WinBridgeSpec: "winBridge",
    WinOverlaySpec: "winOverlay",
    ExternalSpec: "external",
}

_DSR = "kube-proxy-arg-dsr"


class Shape:
    """A fleet and the settings of some of its hosts, with every choice made.

    Hosts of one shape hold the same object, so shapes are told apart as objects are.
    """

    def __init__(
        self,
        fleet: Fleet,
        settings: Host,
        *,
        kubernetes: Version,
        detected_runtimes: tuple[str, ...] = (),
    ) -> None:
        self.fleet = fleet
        # A host without its name, address and connection.
        self.settings = settings
        self.kubernetes = kubernetes
        self.detected_runtimes = detected_runtimes

    @cached_property
    def release(self) -> Release | None:
        """The Windows release, by its id or one of its other names."""
        wanted = self.settings.windows.release
        return next(
            (row for row in rows.read(Release) if row.is_called(wanted)),
            None,
        )

    @property
    def chosen_runtime(self) -> Runtime | None:
        """The runtime as it is written for these hosts, or for the fleet."""
        return self.settings.runtime or self.fleet.runtime

    @property
    def proxy(self) -> Proxy:
        """The proxy of these hosts: their pool's, or the fleet's."""
        return self.settings.proxy or self.fleet.proxy

    @property
    def cluster_domain(self) -> str:
        """The DNS domain of the cluster."""
        return self.fleet.network.cluster_domain or CLUSTER_DOMAIN

    @cached_property
    def runtime(self) -> str:
        """The container runtime: the chosen one, the one found on the host, or containerd."""
        chosen = self.chosen_runtime
        if chosen is not None:
            return "docker" if chosen.docker is not None else "containerd"
        return self.detected_runtimes[0] if len(self.detected_runtimes) == 1 else "containerd"

    @cached_property
    def runtime_version(self) -> str:
        """The runtime's version as written, or the default for this Kubernetes."""
        chosen = self.chosen_runtime
        spec = None if chosen is None else (chosen.containerd or chosen.docker)
        if spec is not None and spec.version is not None:
            return spec.version.removeprefix("v")
        return self.default_version(self.runtime)

    @cached_property
    def at(self) -> At:
        """Where facts are asked about."""
        return At(
            kubernetes=self.kubernetes,
            build=self.release.build if self.release else None,
            containerd=Version.parse(self.runtime_version)
            if self.runtime == "containerd" and self.runtime_version
            else None,
        )

    @cached_property
    def privileged(self) -> str:
        """How privileged programs run: the fleet's word, or what this version has by default."""
        if self.fleet.privileged is not None:
            return self.fleet.privileged.value
        ways = [row for row in rows.rows(PrivilegedWay, self.at) if self.runtime in row.runtimes]
        default = next((row.way for row in ways if row.default), None)
        return default or next((row.way for row in ways if row.way == "wins"), "services")

    @cached_property
    def plugin(self) -> str:
        """The network plugin's name, as the fleet's key."""
        return PLUGIN_NAMES[type(self.fleet.network.plugin)]

    @cached_property
    def plugin_row(self) -> PluginRow | None:
        """What is known of the plugin for this version."""
        return next((row for row in rows.rows(PluginRow, self.at) if row.name == self.plugin), None)

    @cached_property
    def plugin_version(self) -> str:
        """The plugin's version without a leading v; empty where nobody names one."""
        written: str | None = getattr(self.fleet.network.plugin, "version", None)
        return written.removeprefix("v") if written else self.default_version(self.plugin)

    @cached_property
    def mode(self) -> str:
        """The network mode; empty where only the plugin's own installer knows it."""
        written = getattr(self.fleet.network.plugin, "mode", None)
        if written is not None:
            return str(written.value)
        return self.plugin_row.default_mode if self.plugin_row else ""

    @cached_property
    def mode_row(self) -> ModeRow | None:
        """What this plugin's mode fixes."""
        return next(
            (
                row
                for row in rows.rows(ModeRow, self.at)
                if (row.plugin, row.mode) == (self.plugin, self.mode)
            ),
            None,
        )

    @cached_property
    def vni(self) -> int | None:
        """The VXLAN network identifier, in overlay mode."""
        written: int | None = getattr(self.fleet.network.plugin, "vni", None)
        return written or (self.mode_row.vni if self.mode_row else 0) or None

    @cached_property
    def port(self) -> int | None:
        """The VXLAN port, in overlay mode."""
        written: int | None = getattr(self.fleet.network.plugin, "port", None)
        return written or (self.mode_row.port if self.mode_row else 0) or None

    @cached_property
    def network_name(self) -> str:
        """The name of the HNS network that pods are on."""
        plugin = self.fleet.network.plugin
        if isinstance(plugin, ExternalSpec):
            return plugin.network_name
        return self.mode_row.network_name.format(vni=self.vni) if self.mode_row else ""

    @cached_property
    def dsr(self) -> bool:
        """Whether kube-proxy uses direct server return."""
        return any(row.id == _DSR for row in self.rows(ProgramArgumentRow))

    @cached_property
    def own_pause(self) -> str:
        """The pause image the fleet names itself; empty where it names none."""
        runtime = self.chosen_runtime
        return (runtime.containerd.pause_image or "") if runtime and runtime.containerd else ""

    @cached_property
    def pause(self) -> PauseImage | None:
        """The first pause image from this version's default on that has the host's build."""
        default = rows.find(PauseImage, "pause-image", self.at)
        if default is None or self.release is None:
            return None
        known = rows.read(PauseImage)
        newer = known[known.index(default) :]
        return next((row for row in newer if self.release.build in row.builds), None)

    @cached_property
    def removed_flags(self) -> tuple[str, ...]:
        """The flags that this kubelet has lost since the oldest one a node may be upgraded from."""
        skew = rows.one(Skew, "kubelet-skew", self.at).minors
        minor = self.kubernetes.minor
        before = [Version(self.kubernetes.major, minor - n, 0) for n in range(1, skew + 1)]
        known = {row.name for at in before for row in rows.rows(Flag, At(kubernetes=at))}
        return tuple(sorted(known - {row.name for row in rows.rows(Flag, self.at)}))

    def default_version(self, program: str) -> str:
        """The version of a program where the fleet names none; empty if the facts have none."""
        row = rows.find(DefaultVersion, f"version-{program}", At(kubernetes=self.kubernetes))
        return row.version.format(minor=self.kubernetes.minor_text) if row else ""

    def rows(self, table: type[C]) -> tuple[C, ...]:
        """The rows of a table that hold for this case and whose conditions are met."""
        known: tuple[C, ...] | None = self._rows.get(table)
        if known is None:
            found = rows.rows(table, self.at)
            known = tuple(row for row in found if not row.reference and self.fits(row.when))
            self._rows[table] = known
        return known

    @cached_property
    def _rows(self) -> dict[type[Conditional], tuple[Any, ...]]:
        return {}

    def fits(self, conditions: Iterable[str]) -> bool:
        """Whether all conditions hold; `name=a|b` means either."""
        return all(self._fits_one(condition) for condition in conditions)

    def _fits_one(self, condition: str) -> bool:
        name, _, values = condition.partition("=")
        return self._terms[name] in values.split("|")

    @cached_property
    def _terms(self) -> Mapping[str, str]:
        return {
            "runtime": self.runtime,
            "plugin": self.plugin,
            "mode": self.mode,
            "privileged": self.privileged,
            "isolation": self.settings.isolation.value,
            "removed-flags": "some" if self.removed_flags else "none",
        }

    @cached_property
    def places(self) -> Mapping[str, str]:
        """The directories by their placeholder, the fleet's own choices included."""
        chosen = self.settings.directories
        asked = {
            "k": chosen.install,
            "logs": chosen.logs,
            "containerd_root": chosen.containerd_root,
            "containerd_state": chosen.containerd_state,
        }
        places: dict[str, str] = {}
        for row in self.rows(DirectoryRow):
            places[row.key] = asked.get(row.key) or row.path.format(**places)
        return places

    @cached_property
    def words(self) -> Mapping[str, str]:
        """What the placeholders of the facts stand for, but for those of a host."""
        network = self.fleet.network
        programs = (row.id for row in rows.rows(DefaultVersion, At(kubernetes=self.kubernetes)))
        return {
            **self.places,
            **{
                row_id: self.default_version(row_id.removeprefix("version-")) for row_id in programs
            },
            "kubernetes": str(self.kubernetes),
            "runtime": self.runtime,
            "runtime_version": self.runtime_version,
            "plugin_version": self.plugin_version,
            "network": self.network_name,
            "port": str(self.port or ""),
            "pod_cidr": ",".join(network.pod_cidrs),
            "removed_flags": ",".join(self.removed_flags),
            "pause": self.own_pause or (self.pause.image if self.pause else ""),
        }

    def say(self, text: str, **more: str) -> str:
        """A fact's text with its placeholders filled; raise KeyError for one of a host."""
        return text.format(**self.words, **more)
