"""Every table of facts in one list, in the order people read them.

To read one table use `rows`.
"""

from collections.abc import Iterator
from functools import cache

from transom.facts import (
    addons,
    api,
    capi,
    cloudbaseinit,
    codes,
    containerd,
    failures,
    foreign,
    gates,
    images,
    imaging,
    install,
    issues,
    join,
    kubelet,
    kubelet_types,
    labels,
    naming,
    network,
    platforms,
    removed,
    rules,
    ssh,
    topics,
    upstream,
    verify,
    windows,
)
from transom.facts.rows import At, Row, read, rows
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """Tables that are shown under one heading."""

    title: str
    tables: tuple[type[Row], ...]

    def rows(self, at: At) -> Iterator[Row]:
        """The rows of the group that hold at that place."""
        for table in self.tables:
            for row in read(table):
                if row.holds(at) and _concerns(row, at):
                    yield row


def _concerns(row: Row, at: At) -> bool:
    """Whether a row whose place is a column of its own is about that place."""
    if isinstance(row, gates.Gate):
        return at.kubernetes is None or gates.state(row, at.kubernetes).stage != ""
    if isinstance(row, windows.Release | windows.Kb):
        if at.build is not None:
            return row.build == at.build
        return at.kubernetes is None or row.build in _builds(at)
    return True


def _builds(at: At) -> frozenset[int]:
    support = rows(windows.Support, At(kubernetes=at.kubernetes))
    return frozenset(build for row in support for build in row.builds)


GROUPS = (
    Group("Windows Server", (windows.Release, windows.Support, windows.Kb)),
    Group("Images", (windows.PauseImage, windows.PauseBuild, windows.ImageMatch)),
    Group(
        "Joining",
        (
            join.KubeadmApi,
            join.CriSocket,
            join.KubeadmPath,
            join.Skew,
            join.PrivilegedWay,
            join.Limit,
            join.OwnLabels,
            join.ReservedLabel,
            join.OwnedFlag,
            join.Behaviour,
        ),
    ),
    Group(
        "Network",
        (
            network.PluginRow,
            network.ModeRow,
            network.CniRow,
            network.MtuRow,
            network.DirectRow,
            network.ModeLimit,
            network.ProxyFeature,
        ),
    ),
    Group(
        "Add-ons",
        (
            addons.AddonImage,
            addons.Right,
            addons.ServedVersion,
            addons.RuntimeHandler,
            addons.AddonLimit,
            addons.Rival,
            addons.Provision,
        ),
    ),
    Group("Kubelet flags", (kubelet.Flag,)),
    Group("Kubelet configuration", (kubelet.Field, kubelet.OwnedField, kubelet_types.TypesModule)),
    Group("Feature gates", (gates.Gate,)),
    Group("Rules", (rules.Rule,)),
    Group("API objects", (api.Kind,)),
    Group(
        "Boot data",
        (
            platforms.Platform,
            platforms.SecretStore,
            cloudbaseinit.ProgramVersion,
            cloudbaseinit.Section,
            cloudbaseinit.PartType,
            cloudbaseinit.Number,
            cloudbaseinit.Trap,
            naming.NameRule,
            naming.NameLimit,
            capi.Provider,
            capi.Registration,
            capi.AcsEngine,
            capi.PublishedImage,
        ),
    ),
    Group(
        "Images of machines",
        (
            imaging.BuildTool,
            imaging.Installer,
            imaging.Builder,
            imaging.BaseImage,
            imaging.BootPlugin,
            imaging.BootSetting,
            imaging.Policy,
            imaging.AnswerSetting,
        ),
    ),
    Group("Ways to a host", (ssh.SshServer,)),
    Group("Known issues", (issues.KnownIssue,)),
    Group("Known failures", (failures.Failure, failures.RefusalReason)),
    Group("Error codes", (codes.ErrorCode,)),
    Group("Topics", (topics.Topic,)),
    Group(
        "What lint knows beside its rules",
        (
            images.ImageName,
            images.LeastMemory,
            images.LimitAware,
            images.Mirror,
            images.Lacking,
            labels.NodeLabel,
            removed.RemovedApi,
            foreign.WrongAdvice,
        ),
    ),
    Group("Upstream's tests", (upstream.UpstreamJob, upstream.ImageRegistry)),
    Group("Checks of nodes", (verify.TestImage, verify.Expected)),
    Group(
        "What a node is made of",
        (
            install.DefaultVersion,
            install.ArtifactRow,
            install.DirectoryRow,
            install.ProtectedFileRow,
            install.AccessRow,
            install.FeatureRow,
            install.RegistryRow,
            install.EnvironmentRow,
            install.PortRow,
            install.RouteRow,
            install.ExclusionRow,
            install.ServiceRow,
            install.ArgumentRow,
            install.ProgramRow,
            install.ProgramArgumentRow,
            install.SourceVipRow,
            install.HostNetworkRow,
            install.SettingRow,
            install.ManualSettingRow,
            install.ManualArgumentRow,
            containerd.ContainerdShape,
        ),
    ),
)


@cache
def every_row() -> tuple[Row, ...]:
    """All rows of all tables."""
    return tuple(row for group in GROUPS for row in group.rows(At()))
