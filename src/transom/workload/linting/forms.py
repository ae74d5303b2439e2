"""What a file is beside a manifest: a Helm template, its values, a kustomize patch, or foreign YAML."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from transom.model.problem import Mistake
from transom.workload.linting.sources import STDIN, matches
from transom.workload.pods import mapping, sequence
from transom.yamlio.loader import load_what_is_whole

if TYPE_CHECKING:
    from transom.yamlio.document import Document

# What every manifest has; a file that cannot be read and lacks one of them is meant for another tool.
_has_version = re.compile(rb"apiVersion[\"']?\s*:").search
_has_kind = re.compile(rb"\bkind[\"']?\s*:").search
_MARK = b"{{"
CHART = "Chart.yaml"
_TEMPLATES, _VALUES = "templates", "values"
# The names that kustomize looks for, in its order.
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_PATCH_KEYS = ("patches", "patchesStrategicMerge", "patchesJson6902")


class Form(Enum):
    """What a file is that is not read as manifests."""

    TEMPLATE = "template"
    VALUES = "values"
    FOREIGN = "foreign"


def form_of(name: str, data: bytes) -> Form | None:
    """What a file is by its place in a chart, whether it can be read as YAML or not."""
    if name == STDIN:
        return None
    if _MARK in data and _templates_above(name):
        return Form.TEMPLATE
    folder, base = os.path.split(name)
    if base.startswith(_VALUES) and os.path.isfile(os.path.join(folder, CHART)):  # noqa: PTH113, PTH118 - a Path costs as much as reading a manifest
        return Form.VALUES
    return None


def form_of_broken(data: bytes) -> Form | None:
    """What a file is that cannot be read as YAML; none where it is a broken manifest."""
    if _MARK in data:
        return Form.TEMPLATE
    return None if _has_version(data) and _has_kind(data) else Form.FOREIGN


def of_template(name: str, mistakes: Sequence[Mistake] = ()) -> Mistake:
    """The mistake of a template that was named as if it were a manifest."""
    hint = (
        "This looks like a template: lint what it renders, `helm template CHART | transom lint -`."
    )
    found = mistakes[0] if mistakes else Mistake("a template of a chart is no manifest", file=name)
    return found._replace(hint=hint)


def chart_of(name: str) -> str:
    """The folder of the chart that a template belongs to, or the template itself."""
    return _templates_above(name) or name


class Below(NamedTuple):
    """The folders below one that a program renders; charts within charts are not among them."""

    charts: list[str]
    kustomizations: list[str]


def rendered_below(folder: str, *, exclude: Sequence[str] = ()) -> Below:
    """What helm or kustomize would render below a folder, in order."""
    found = Below([], [])
    for root, folders, files in os.walk(folder):
        is_chart = CHART in files
        if root != folder and not (exclude and matches(root, exclude)):
            if is_chart:
                found.charts.append(os.path.normpath(root))
            elif any(name in files for name in KUSTOMIZATIONS):
                found.kustomizations.append(os.path.normpath(root))
        folders[:] = sorted(name for name in folders if not (is_chart or name.startswith(".")))
    return found


def _templates_above(name: str) -> str:
    """The chart in whose templates a file is, empty where it is in none."""
    if _TEMPLATES not in name:
        return ""
    folder = os.path.dirname(name)  # noqa: PTH120 - a Path costs as much as reading a manifest
    while folder:
        above, last = os.path.split(folder)
        if last == _TEMPLATES and os.path.isfile(os.path.join(above, CHART)):  # noqa: PTH113, PTH118 - same
            return above or "."
        if above == folder:
            break
        folder = above
    return ""


def patches_near(names: Iterable[str]) -> frozenset[str]:
    """Those of the files that a kustomization beside them, or one folder up, lays over others."""
    wanted = {os.path.abspath(name): name for name in names if name != STDIN}  # noqa: PTH100 - same
    folders = dict.fromkeys(os.path.dirname(name) for name in wanted)  # noqa: PTH120 - same
    folders |= dict.fromkeys(os.path.dirname(folder) for folder in folders)  # noqa: PTH120 - same
    found = (patch for folder in folders for patch in patches_of(kustomization_in(folder)))
    return frozenset(wanted[patch] for patch in found if patch in wanted)


def kustomization_in(folder: str) -> str:
    """The kustomization of a folder, empty where it has none."""
    names = (os.path.join(folder, name) for name in KUSTOMIZATIONS)  # noqa: PTH118 - same
    return next((name for name in names if os.path.isfile(name)), "")  # noqa: PTH113 - same


def patches_of(file: str) -> Iterator[str]:
    """The files that a kustomization lays over others; none of one that cannot be read."""
    if not file:
        return
    try:
        with open(file, "rb") as stream:  # noqa: PTH123 - same
            data = stream.read()
    except OSError:
        return
    folder = os.path.dirname(file)  # noqa: PTH120 - same
    for path in _patches_in(load_what_is_whole(data, name=file)[0]):
        yield os.path.normpath(os.path.join(folder, path))  # noqa: PTH118 - same


def _patches_in(documents: "Sequence[Document]") -> Iterator[str]:
    for document in documents:
        for key in _PATCH_KEYS:
            for entry in sequence(mapping(document.value).get(key)):
                path = mapping(entry).get("path") if isinstance(entry, dict) else entry
                if isinstance(path, str) and "\n" not in path:
                    yield path
