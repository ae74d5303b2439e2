"""A volume of the kubelet or the runtime is nearly full."""

import re
from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.kubelet_settings import mapping, setting
from transom.node.doctor.observation import Observation, VolumeSeen
from transom.node.doctor.places import Places, runtime_roots
from transom.node.engine.step import Seen

# kubernetes v1.37.1 pkg/kubelet/eviction/defaults_windows.go; they count only where evictionHard is
# not set at all, or where mergeDefaultEvictionSettings asks for them (cmd/kubelet/app/server.go).
_DEFAULTS = {"nodefs.available": "10%", "imagefs.available": "15%"}
_FLAG = "eviction-hard"
_QUANTITY = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>[KMGTPE]i|[kMGTPE]|m)?")
_POWERS = "kMGTPE"
_GIB = 1 << 30


def _examine(seen: Observation) -> Iterator[Trouble]:
    thresholds = _thresholds(seen)
    for volume in seen.volumes:
        drive = volume.path[:2].upper()
        least = [
            (_bytes(thresholds[signal], volume.total_bytes), f"{signal}<{thresholds[signal]}")
            for signal in _DEFAULTS
            if signal in thresholds and drive in _drives(seen, signal)
        ]
        wanted, words = max(least, default=(0.0, ""))
        # As the kubelet does: at the threshold itself there is no pressure.
        if volume.free_bytes < wanted:
            yield _trouble(seen, volume, words)


def _trouble(seen: Observation, volume: VolumeSeen, words: str) -> Trouble:
    return Trouble(
        subject=volume.path[:2],
        message=f"{volume.path[:2]} has {volume.free_bytes / _GIB:.1f} GiB left of "
        f"{volume.total_bytes / _GIB:.1f}: the kubelet evicts pods at {words}",
        evidence=(f"{volume.free_bytes} of {volume.total_bytes} bytes free",),
        file=seen.text("\\config.yaml")[0] if mapping(seen, "evictionHard") else "",
    )


def _thresholds(seen: Observation) -> dict[str, str]:
    """The kubelet's, by its command line, else its configuration, else Windows' defaults."""
    kubelet = seen.service("kubelet")
    flag = kubelet.option(_FLAG) if kubelet is not None else None
    if flag:
        pairs = (part.partition("<") for part in flag.split(","))
        return {signal.strip(): value.strip() for signal, _, value in pairs}
    own = mapping(seen, "evictionHard")
    if not own:
        return _DEFAULTS
    return {**_DEFAULTS, **own} if setting(seen, "mergeDefaultEvictionSettings") == "true" else own


def _drives(seen: Observation, signal: str) -> set[str]:
    """The drives that a signal is measured on."""
    paths = [Places.of(seen.recipe).kubelet]
    if signal.startswith("imagefs"):
        paths = runtime_roots(seen.texts)
    return {path[:2].upper() for path in paths}


def _bytes(threshold: str, total: int) -> float:
    """A threshold in bytes; 0 and 100 % mean none to the kubelet, as does what it would refuse."""
    if threshold.endswith("%"):
        percent = float(threshold[:-1])
        return total * percent / 100 if 0 < percent < 100 else 0.0  # noqa: PLR2004
    match = _QUANTITY.fullmatch(threshold)
    if match is None:
        raise ValueError(f"evictionHard has {threshold!r}, which is no quantity")
    unit = match["unit"] or ""
    if unit == "m":
        return float(match["number"]) / 1000
    base = 1024 if unit.endswith("i") else 1000
    power = _POWERS.lower().index(unit[0].lower()) + 1 if unit else 0
    return float(match["number"]) * float(base**power)


DIAGNOSIS = Diagnosis(
    id="disk-pressure",
    title="Disk nearly full",
    symptom="Pods are evicted or stay Pending, the Node has the condition DiskPressure, services "
    "cannot write their logs.",
    cause="Less of a volume is free than the kubelet's `evictionHard` asks for; where it says "
    "nothing, 10 % of the kubelet's volume and 15 % of the one with the images.",
    remedy=Remedy(
        "Delete old logs and files that do not belong to the node first. Then remove unused "
        "images with `crictl rmi --prune`, unless this site cannot pull them again, or enlarge "
        "the volume. Where that frees nothing, containerd may hold snapshots that it cannot "
        "delete: its log says so.",
        "Nothing runs on an unused image or an old log. A pod that needs a removed image must "
        "pull it again before it starts.",
    ),
    looks_at=("volumes", "texts", "services", "recipe"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    hides=("node-not-ready",),
)
