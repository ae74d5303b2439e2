"""Workloads sent to the right nodes: selector, tolerations, os.name and RuntimeClass, as edits.

Says which edits a pod needs and why it does not get others; a pod that has everything needs none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from transom.model import records
from transom.workload.catalogue import Catalogue, profile_of
from transom.workload.context import LintContext, OperatingSystem
from transom.workload.engine import with_signs
from transom.workload.paths import ObjectPath, text_of
from transom.workload.platform import decide, placement
from transom.workload.pods import PodView, mapping, objects_in, pods_in
from transom.workload.remedy import OS_LABEL, toleration
from transom.workload.rules import windows_taint_not_tolerated
from transom.yamlio.document import Document
from transom.yamlio.editing import Append, Edit, Set, edit
from transom.yamlio.editing.stream import Stream


@records.dataclass(frozen=True, slots=True)
class Placed:
    """Something done to one object, or with a reason not done."""

    kind: str
    name: str
    path: str
    what: str
    reason: str = ""


@dataclass(slots=True)
class Result:
    """The text of a file whose workloads are placed."""

    data: bytes
    placed: list[Placed] = field(default_factory=list)
    left: list[Placed] = field(default_factory=list)


@records.dataclass(frozen=True, slots=True, kw_only=True)
class Placer:
    """What workloads get in one cluster; `linux` also pins pods that are not for Windows.

    `patches` are files that are laid over others: what they do not say stands there.
    """

    ctx: LintContext
    linux: bool = False
    runtime_class: str = ""
    templates: Mapping[str, Sequence[ObjectPath]] = field(default_factory=dict)
    patches: frozenset[str] = frozenset()

    def place(self, data: bytes, *, name: str) -> Result:
        """Place every workload of a file.

        Raises:
            InvalidDocument: the file cannot be read.
        """
        stream = Stream(data, name=name)
        result = Result(data)
        views = [view for document in stream.documents for view in objects_in(document.value)]
        ctx = with_signs(self.ctx, views)
        documents = [self._place_document(document, ctx, result) for document in stream.documents]
        result.data = stream.with_documents(documents)
        return result

    def _place_document(self, document: Document, ctx: LintContext, result: Result) -> Document:
        catalogue = Catalogue(ctx)
        wanted: list[tuple[Edit, Placed]] = []
        for view in objects_in(document.value):
            for pod in pods_in(view, self.templates):
                if pod.is_partial or document.name in self.patches:
                    continue  # what a patch does not say stands in what it is laid over
                decide(pod, ctx)
                for made in self._edits(pod, ctx):
                    note = _note(pod, made)
                    obstacle = _obstacle(pod, made, catalogue)
                    if obstacle:
                        result.left.append(_with_reason(note, obstacle))
                    else:
                        wanted.append((made, note))
        outcome = edit(document, [made for made, _ in wanted])
        reasons = {refused.edit.path: refused.reason for refused in outcome.refused}
        for made, note in wanted:
            if made.path in reasons:
                result.left.append(_with_reason(note, reasons[made.path]))
            else:
                result.placed.append(note)
        return outcome.document

    def _edits(self, pod: PodView, ctx: LintContext) -> Iterator[Edit]:
        system = pod.os or (OperatingSystem.LINUX if self.linux else None)
        if system is None or (system is OperatingSystem.LINUX and not self.linux):
            return
        if not any(found is system for found, _ in placement(pod, ctx)):
            yield Set(pod.spec_path("nodeSelector", OS_LABEL), system.value)
        if system is OperatingSystem.LINUX:
            return
        missing = {hit.found for hit in windows_taint_not_tolerated.check(pod, ctx)}
        for taint in ctx.taints:
            if f"{taint.key}={taint.value}:{taint.effect}" in missing:
                yield Append(pod.spec_path("tolerations"), toleration(taint))
        if not pod.os_name:
            yield Set(pod.spec_path("os", "name"), system.value)
        if self.runtime_class and not pod.spec.get("runtimeClassName"):
            yield Set(pod.spec_path("runtimeClassName"), self.runtime_class)


def _obstacle(pod: PodView, wanted: Edit, catalogue: Catalogue) -> str:
    """Why an edit would do harm; empty where it does not."""
    if wanted.path[-1] == OS_LABEL:
        found = mapping(pod.spec.get("nodeSelector")).get(OS_LABEL)
        return f"the pod already selects {found}" if found is not None else ""
    if wanted.path[-2:] != ("os", "name"):
        return ""
    # With os.name the API server begins to check, and would refuse what it let pass before.
    for row, hit in catalogue.judge(profile_of(pod)).program.run(pod.value, pod.path):
        if row.behaviour == "rejected" and row.enforced_by == "apiserver":
            return f"the API server would then refuse {text_of(hit.path)} ({row.id}): fix it first"
    return ""


def _note(pod: PodView, wanted: Edit) -> Placed:
    value = getattr(wanted, "value", "")
    if isinstance(value, Mapping):
        value = " ".join(map(str, value.values()))
    below = text_of(wanted.path[len(pod.spec_path()) :])
    what = f"{below}: {value}" if isinstance(wanted, Set) else f"tolerates {value}"
    return Placed(pod.object.kind, pod.object.name, text_of(wanted.path), what)


def _with_reason(note: Placed, reason: str) -> Placed:
    return Placed(note.kind, note.name, note.path, note.what, reason)
