"""Offences that are ended by editing the text, rule by rule, until nothing more can be done.

Gives new text and says what was done and what was not, with the reason; opens no file. What
somebody has decided to ignore stays.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from transom.facts.rules import Rule as Row
from transom.model import records
from transom.model.finding import Finding
from transom.workload.catalogue import POD, Catalogue, profile_of, profile_of_object
from transom.workload.context import LintContext
from transom.workload.engine import finding_of, with_signs
from transom.workload.ignore import Ignore, annotations_in, comments_in
from transom.workload.paths import ObjectPath
from transom.workload.platform import decide
from transom.workload.pods import ObjectView, PodView, objects_in, pods_in
from transom.workload.remedy import DEMANDED, LAST, REMEDIES, Offence, Remedy
from transom.workload.rule import Hit
from transom.yamlio.document import Document
from transom.yamlio.editing import Edit, Remove, edit
from transom.yamlio.editing.stream import Stream

# Mappings that mean the same empty and absent, so that none is left behind empty.
_HOLDERS = frozenset({"securityContext"})
# Each round ends offences that the round before made visible; real documents need two or three.
_ROUNDS = 10


_Key = tuple[str, ObjectPath]


@records.dataclass(frozen=True, slots=True)
class Fixed:
    """An offence that is no more, and what was done."""

    finding: Finding
    what: str


@records.dataclass(frozen=True, slots=True)
class Left:
    """An offence that has a remedy and stays, with the reason; `needs_unsafe` if that is all."""

    finding: Finding
    reason: str
    needs_unsafe: bool = False


@dataclass(slots=True)
class Result:
    """The text of a file after its fixes."""

    data: bytes
    fixed: list[Fixed] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)


@records.dataclass(frozen=True, slots=True)
class _Case:
    """An offence with its rule."""

    row: Row
    hit: Hit
    view: ObjectView
    pod: PodView | None
    finding: Finding

    @property
    def key(self) -> _Key:
        return self.row.id, self.hit.path

    def is_in_pod_of(self, other: "_Case") -> bool:
        return self.pod is not None and other.pod is not None and self.pod.path == other.pod.path


class Fixer:
    """The remedies for one cluster; `patches` are files that are laid over others, to which nothing is added.

    It keeps nothing of what it has fixed, so one serves many calls at once.
    """

    def __init__(
        self,
        ctx: LintContext,
        *,
        rules: frozenset[str] = frozenset(),
        unsafe: bool = False,
        without: frozenset[str] = frozenset(),
        ignores: Sequence[Ignore] = (),
        templates: Mapping[str, Sequence[ObjectPath]] | None = None,
        patches: frozenset[str] = frozenset(),
    ) -> None:
        self._patches = patches
        self._ctx = ctx
        self._rules = rules or frozenset(REMEDIES)
        self._unsafe = unsafe
        self._catalogue = Catalogue(ctx, without=without)
        self._ignores = ignores
        self._templates = templates

    def fix(self, data: bytes, *, name: str) -> Result:
        """Fix every document of a file.

        Raises:
            InvalidDocument: the file cannot be read.
        """
        stream = Stream(data, name=name)
        result = Result(data)
        views = [view for document in stream.documents for view in objects_in(document.value)]
        ctx = with_signs(self._ctx, views)
        documents = [self._fix_document(document, ctx, result) for document in stream.documents]
        result.data = stream.with_documents(documents)
        return result

    def _fix_document(self, document: Document, ctx: LintContext, result: Result) -> Document:
        left: dict[_Key, Left] = {}
        for _round in range(_ROUNDS):
            cases = list(self._cases(document, ctx))
            ignores = [*self._ignores, *_ignores_in(document, self._templates)]
            wanted = [
                case
                for case in cases
                if case.row.id in self._rules
                and case.row.id in REMEDIES
                and not any(ignore.covers(case.finding) for ignore in ignores)
            ]
            held = [case for case in wanted if _is_demanded(case, ctx)]
            plan = _Plan(self._unsafe, ctx, document.value)
            plan.add([case for case in wanted if case.row.id not in LAST and case not in held])
            changed, left = plan.carry_out(document, result)
            if changed is document:
                plan = _Plan(self._unsafe, ctx, document.value)
                refused = (case for case in cases if _is_refused_by_server(case.row))
                plan.add(
                    [case for case in wanted if case.row.id in LAST],
                    obstacles=[case for case in refused if case not in held],
                )
                plan.add_with_the_system(held)
                changed, left_last = plan.carry_out(document, result)
                left |= left_last
            if changed is document:
                break
            document = changed
        result.left += left.values()
        return document

    def _cases(self, document: Document, ctx: LintContext) -> Iterator[_Case]:
        for view in objects_in(document.value):
            is_owner = False
            for pod in pods_in(view, self._templates):
                decide(pod, ctx)
                is_owner = is_owner or (pod.is_windows and view.kind != POD)
                yield from self._judge(document, view, pod, ctx)
            if is_owner:
                yield from self._judge(document, view, None, ctx)

    def _judge(
        self, document: Document, view: ObjectView, pod: PodView | None, ctx: LintContext
    ) -> Iterator[_Case]:
        subject: ObjectView | PodView = view if pod is None else pod
        profile = profile_of_object(view) if pod is None else profile_of(pod)
        if document.name in self._patches:
            profile = profile._replace(partial=True)
        judge = self._catalogue.judge(profile)
        hits = judge.program.run(subject.value, subject.path)
        hits += ((row, hit) for row, check in judge.logic for hit in check(subject, ctx))
        for row, hit in hits:
            finding = finding_of(
                hit,
                row,
                view=view,
                document=document,
                evidence=() if pod is None else pod.evidence,
                unset=pod is not None and not pod.os_name,
                kubernetes=ctx.kubernetes,
            )
            yield _Case(row, hit, view, pod, finding)


class _Plan:
    """The edits of one round, and the offences each of them ends."""

    def __init__(self, unsafe: bool, ctx: LintContext, value: Any) -> None:  # noqa: FBT001 - private
        self._unsafe = unsafe
        self._ctx = ctx
        self._value = value
        self._made: list[tuple[_Case, Remedy, Sequence[Edit]]] = []
        self._left: dict[_Key, Left] = {}

    def carry_out(self, document: Document, result: Result) -> tuple[Document, dict[_Key, Left]]:
        """Make the edits and note what they ended; give the document, and what stays and why."""
        left = dict(self._left)
        outcome = edit(document, self._edits())
        for refused in outcome.refused:
            for case in self._cases_of(refused.edit):
                left[case.key] = Left(case.finding, refused.reason)
        if outcome.made:
            result.fixed += (
                Fixed(case.finding, remedy.what)
                for case, remedy, _ in self._made
                if case.key not in left
            )
        return outcome.document, left

    def _edits(self) -> list[Edit]:
        """The edits, with holders that would be left empty removed as a whole."""
        wanted = {(type(made), made.path): made for _, _, edits in self._made for made in edits}
        return prune(self._value, wanted.values())

    def _cases_of(self, wanted: Edit) -> list[_Case]:
        """The offences that an edit was to end; for a holder, those below it."""
        return [
            case
            for case, _, edits in self._made
            if any(made.path[: len(wanted.path)] == wanted.path for made in edits)
        ]

    def add(self, cases: Iterable[_Case], *, obstacles: Sequence[_Case] = ()) -> None:
        """Plan the remedies of offences, or note why not."""
        for case in cases:
            remedy = REMEDIES[case.row.id]
            value = _value_at(self._value, case.hit.path)
            offence = Offence(case.view, case.hit, value, self._ctx, case.pod)
            obstacle = next((other for other in obstacles if other.is_in_pod_of(case)), None)
            if not self._unsafe and not remedy.is_safe(offence):
                reason = "needs --unsafe, because it may not be what was meant"
                self._left[case.key] = Left(case.finding, reason, needs_unsafe=True)
            elif obstacle is not None:
                place = f"{obstacle.row.id} at {obstacle.finding.path}"
                self._leave(case, f"the API server would then refuse the pod: {place}")
            elif edits := remedy.edits(offence):
                self._made.append((case, remedy, edits))
            else:
                self._leave(case, "it takes a person to say what was meant")

    def add_with_the_system(self, cases: Iterable[_Case]) -> None:
        """Plan the remedies of offences in pods that get os.name by this very plan, and of no others."""
        named = [case for case, _remedy, _edits in self._made if case.row.id in LAST]
        for case in cases:
            if any(case.is_in_pod_of(other) for other in named):
                self.add([case])
            else:
                self._leave(case, "Pod Security restricted demands it while os.name is not set")

    def _leave(self, case: _Case, reason: str) -> None:
        self._left[case.key] = Left(case.finding, reason)


def prune(value: Any, edits: Iterable[Edit]) -> list[Edit]:
    """Replace removals that would leave an empty holder by the removal of the holder."""
    wanted = list(edits)
    losses: dict[ObjectPath, set[str | int]] = {}
    for made in wanted:
        if isinstance(made, Remove) and len(made.path) > 1 and made.path[-2] in _HOLDERS:
            losses.setdefault(made.path[:-1], set()).add(made.path[-1])
    empty = {path for path, keys in losses.items() if keys == set(_value_at(value, path))}
    kept = [made for made in wanted if not (isinstance(made, Remove) and made.path[:-1] in empty)]
    return [*kept, *(Remove(path) for path in sorted(empty, key=str))]


def _ignores_in(
    document: Document, templates: Mapping[str, Sequence[ObjectPath]] | None
) -> Iterator[Ignore]:
    """What the document says itself; edits move lines, so each round asks again."""
    if b"transom" not in document.source:
        return
    yield from annotations_in([document], templates)
    above = document.first_line - 1
    for ignore in comments_in(document.source.decode(), file=document.name):
        yield ignore._replace(line=ignore.line + above)


def _is_demanded(case: _Case, ctx: LintContext) -> bool:
    """Whether Pod Security refuses the pod without the field: it waives it only with os.name."""
    if case.pod is None or case.pod.os_name or case.row.id not in DEMANDED:
        return False
    return ctx.pod_security_of(case.pod.object.namespace) == "restricted"


def _is_refused_by_server(row: Row) -> bool:
    return row.behaviour == "rejected" and row.enforced_by == "apiserver"


def _value_at(value: Any, path: ObjectPath) -> Any:
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
        else:
            return None
    return value
