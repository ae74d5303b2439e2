"""Reasons that concern the container runtime and how privileged programs run on it."""

from collections.abc import Iterator

from transom.facts import rows
from transom.facts.gates import Gate
from transom.facts.join import Behaviour, CriSocket, PrivilegedWay
from transom.facts.rows import At
from transom.facts.windows import Support
from transom.model.problem import Refusal
from transom.model.version import Version
from transom.recipe.case import Case
from transom.recipe.containerd import own_config, patch_fault, patch_of
from transom.recipe.refusals.because import because, host_path


def two_runtimes(case: Case) -> Iterator[Refusal]:
    """Two runtimes on the host and no choice."""
    if case.shape.chosen_runtime is None and len(case.shape.detected_runtimes) > 1:
        row = rows.one(Behaviour, "kubeadm-two-runtimes", At())
        yield because(
            row,
            host_path(case),
            f"the host has {' and '.join(case.shape.detected_runtimes)}",
            row.text,
            "Say which: runtime: {type: Containerd} or runtime: {type: Docker}.",
        )


def docker(case: Case) -> Iterator[Refusal]:
    """Docker where dockershim is gone, or too old."""
    if case.shape.runtime != "docker":
        return
    socket = rows.find(CriSocket, "cri-socket-docker", At(kubernetes=case.shape.kubernetes))
    support = rows.find(Support, "windows-support", At(kubernetes=case.shape.kubernetes))
    if socket is None and support is not None:
        yield because(
            support,
            "runtime.docker",
            f"Docker with Kubernetes {case.shape.kubernetes}",
            "dockershim is gone from 1.24",
            "Use containerd; a host that has Docker is reset and joined anew.",
            row_id="dockershim",
        )
    elif support is not None and support.docker_minimum:
        version, minimum = case.shape.runtime_version, support.docker_minimum
        if Version.parse(version) < Version.parse(minimum):
            yield because(
                support,
                "runtime.docker.version",
                version,
                f"Kubernetes {case.shape.kubernetes.minor_text} wants Docker {minimum} or newer",
                f"Use {minimum} or newer.",
            )


def containerd(case: Case) -> Iterator[Refusal]:
    """A containerd this Kubernetes does not work with."""
    support = rows.find(Support, "windows-support", At(kubernetes=case.shape.kubernetes))
    if case.shape.runtime != "containerd" or support is None:
        return
    minimums = [Version.parse(text) for text in support.containerd_minimums]
    version = Version.parse(case.shape.runtime_version)
    if not minimums:
        yield because(
            support,
            "runtime.containerd",
            f"containerd {version} with Kubernetes {case.shape.kubernetes}",
            "this minor knows no containerd on Windows",
            "Use Docker, or Kubernetes 1.20 or newer.",
        )
    elif not _is_recent_enough(version, minimums):
        listed = ", ".join(f"{minimum}+" for minimum in support.containerd_minimums)
        yield because(
            support,
            "runtime.containerd.version",
            str(version),
            f"Kubernetes {case.shape.kubernetes.minor_text} wants containerd {listed}",
            f"Use one of {listed}.",
        )


def config_patch(case: Case) -> Iterator[Refusal]:
    """More settings for containerd that cannot be added to ours."""
    patch = patch_of(case.shape)
    if not patch or case.shape.runtime != "containerd" or case.shape.release is None:
        return
    why = patch_fault(own_config(case.shape), patch)
    if why:
        yield Refusal(
            id="config-patch",
            subject="runtime.containerd.configPatch",
            found=patch.strip().splitlines()[0] if patch.strip() else "an empty text",
            reason=why,
            fix="Leave those out: registries, pauseImage, isolation and directories have keys of their own.",
            source="containerd/containerd docs/man/containerd-config.toml.5.md",
        )


def _is_recent_enough(version: Version, minimums: list[Version]) -> bool:
    series = [m for m in minimums if (m.major, m.minor) == (version.major, version.minor)]
    if series:
        return version >= series[0]
    # A single minimum speaks for everything after it; of several, each for its own series.
    return version >= (minimums[0] if len(minimums) == 1 else minimums[-1])


def privileged(case: Case) -> Iterator[Refusal]:
    """A way of running privileged programs that does not exist here."""
    way = case.shape.privileged
    known = [row for row in rows.read(PrivilegedWay) if row.way == way]
    row = next((r for r in known if r.holds(At(kubernetes=case.shape.kubernetes))), None)
    if row is None:
        windows = " or ".join(r.kubernetes for r in known)
        yield because(
            known[0],
            "privileged",
            f"{way} with Kubernetes {case.shape.kubernetes}",
            f"{way} exists for Kubernetes {windows}",
            "Use services, or hostprocess from 1.23 on.",
        )
        return
    if case.shape.runtime not in row.runtimes:
        yield because(
            row,
            "privileged",
            f"{way} with {case.shape.runtime}",
            f"{way} needs {' or '.join(row.runtimes)}",
            "Change the runtime, or use services.",
        )
    elif row.containerd_minimum and case.shape.at.containerd is not None:
        minimum = Version.parse(row.containerd_minimum)
        if case.shape.at.containerd < minimum:
            yield because(
                row,
                "privileged",
                f"{way} with containerd {case.shape.at.containerd}",
                f"{way} needs containerd {minimum} or newer",
                "Use a newer containerd, or services.",
            )
    if row.gate:
        yield from _privileged_gate(case, row)


def _privileged_gate(case: Case, row: PrivilegedWay) -> Iterator[Refusal]:
    kubelet_gates = case.host.kubelet.config.get("featureGates", {})
    for where, gates in (
        ("cluster.featureGates", case.shape.fleet.cluster.feature_gates),
        (host_path(case, "kubelet.config.featureGates"), kubelet_gates),
    ):
        if not gates.get(row.gate):
            yield because(
                row,
                where,
                f"{row.gate} is not on",
                f"{row.way} is alpha in {case.shape.kubernetes.minor_text}: the gate must be on in kubelet and API server",
                f"Set {row.gate}: true there and in the API server, or use services.",
            )


def hyperv(case: Case) -> Iterator[Refusal]:
    """Hyper-V isolation where Docker no longer has it."""
    if case.host.isolation.value != "hyperv" or case.shape.runtime != "docker":
        return
    row = next(r for r in rows.read(Gate) if r.name == "HyperVContainer")
    if case.shape.kubernetes >= Version.parse(row.deprecated):
        yield because(
            row,
            host_path(case, "isolation"),
            f"hyperv with Docker and Kubernetes {case.shape.kubernetes}",
            f"dockershim has no Hyper-V isolation since {row.deprecated}",
            "Use containerd with a RuntimeClass, or process isolation.",
        )
