"""The logs of a lab, by the names a person would guess: `apiserver`, `win1/kubelet`."""

from pathlib import Path

from transom_lab.lab import Lab


def log_files(lab: Lab) -> dict[str, Path]:
    """Every log, by name."""
    folders = (lab.directory, lab.control_plane.directory)
    found = {path.stem: path for folder in folders for path in folder.glob("*.log")}
    for host in lab.hosts():
        name = host.plan.name
        found |= {f"{name}/{path.stem}": path for path in host.directory.glob("*.log")}
        inside = host.drive_c / "var" / "log"
        # A service's log is named after its program: kubelet.exe.log.
        found |= {f"{name}/{path.name.split('.')[0]}": path for path in inside.glob("*.log")}
    return found
