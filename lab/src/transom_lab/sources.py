"""Where the lab's own source folders are: beside the package in a checkout, inside it in an installed wheel."""

from pathlib import Path


def source(name: str) -> Path:
    """Find `modules`, `native`, `windows` or `setup.sh`."""
    packaged = Path(__file__).parent / "_sources" / name
    return packaged if packaged.exists() else Path(__file__).parents[2] / name
