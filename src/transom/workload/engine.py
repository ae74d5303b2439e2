"""The rules, run over documents: every object, every pod in it, every rule that may speak.

Gives plain findings; opens no file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from transom.facts.rules import Rule as Row
from transom.model.finding import Finding, Severity
from transom.model.version import Version
from transom.workload.catalogue import Catalogue, Judge, Profile, profile_of, profile_of_object
from transom.workload.context import LintContext, OperatingSystem
from transom.workload.links import Bond, Links, bond_of, says_windows
from transom.workload.paths import ObjectPath, text_of
from transom.workload.platform import decide
from transom.workload.pods import ObjectView, PodView, objects_in, pods_in
from transom.workload.rule import Hit
from transom.yamlio.document import Document

# What tells something about the cluster; looked for by name alone, because few files have it.
_TELLING = ("RuntimeClass", "LimitRange", "Namespace")

_JUDGES = {
    "apiserver": "the API server",
    "kubelet": "the kubelet",
    "kube-proxy": "kube-proxy",
    "kubeadm": "kubeadm",
    "pod-security": "Pod Security admission",
    "runtime": "the container runtime",
    "scheduler": "the scheduler",
}
_VERDICTS = {
    "deprecated": "deprecated",
    "fails": "fails on Windows",
    "ignored": "has no effect on Windows",
    "recommended": "recommended",
    "rejected": "rejected",
    "required": "needed on Windows",
    "unsupported": "not supported on Windows",
    "unverified": "not verified on Windows",
}
# How bad each behaviour is without os.name, where the API server cannot know the pod's system.
_UNSET_SEVERITIES = {
    "ignored": Severity.INFO,
    "unsupported": Severity.WARNING,
    "fails": Severity.ERROR,
    "rejected": Severity.ERROR,
}


class Linter:
    """The rules for one cluster. It keeps nothing of what it has judged, so one serves many calls at once."""

    def __init__(
        self,
        ctx: LintContext,
        *,
        without: frozenset[str] = frozenset(),
        templates: Mapping[str, Sequence[ObjectPath]] | None = None,
    ) -> None:
        self._ctx = ctx
        self._catalogue = Catalogue(ctx, without=without)
        self._templates = templates

    def lint(
        self,
        documents: Iterable[Document],
        links: Links | None = None,
        *,
        are_patches: bool = False,
    ) -> list[Finding]:
        """What is wrong by itself; what waits for other documents is added to `links`, where given.

        Of patches nothing is said to be missing.
        """
        seen = [(document, view) for document in documents for view in objects_in(document.value)]
        ctx = with_signs(self._ctx, [view for _document, view in seen])
        links = Links() if links is None else links
        judging = _Judging(ctx, self._catalogue, self._templates, links, are_patches)
        return [finding for document, view in seen for finding in judging.of_object(document, view)]


class _Judging(NamedTuple):
    """The documents of one call: what their cluster is like, and what links them."""

    ctx: LintContext
    catalogue: Catalogue
    templates: Mapping[str, Sequence[ObjectPath]] | None
    links: Links
    are_patches: bool

    def of_object(self, document: Document, view: ObjectView) -> Iterator[Finding]:
        if view.kind == "PersistentVolumeClaim":
            self.links.add_claim(view)
        elif view.kind == "StatefulSet":
            self.links.add_claim_templates(view)
        systems = []
        for pod in pods_in(view, self.templates):
            yield from self._of_pod(document, pod)
            systems.append(pod.os)
        # A Pod is judged as a pod already, and owners of Linux pods are left in peace.
        is_owner = view.kind != "Pod" and OperatingSystem.WINDOWS in systems
        if is_owner or not systems:
            yield from self._of_other(document, view)

    def _of_pod(self, document: Document, pod: PodView) -> Iterator[Finding]:
        decide(pod, self.ctx)
        if pod.is_windows:
            self.links.add_pod(pod)
        judge = self._judge(profile_of(pod))
        for row, hit in self._hits(judge, pod):
            yield finding_of(
                hit,
                row,
                view=pod.object,
                document=document,
                evidence=pod.evidence,
                unset=not pod.os_name,
                kubernetes=self.ctx.kubernetes,
            )

    def _of_other(self, document: Document, view: ObjectView) -> Iterator[Finding]:
        judge = self._judge(profile_of_object(view))
        bond: Bond | None = None
        for number, (row, hit) in enumerate(self._hits(judge, view)):
            finding = finding_of(hit, row, view=view, document=document)
            bond = bond_of(view) if number == 0 else bond
            if bond is not None and (hit.beyond or hit.port):
                told = bond._replace(beyond=hit.beyond, port=hit.port)
                self.links.waiting.append((told, finding))
            elif bond is None or self._is_for_windows(view):
                yield finding
            else:
                self.links.waiting.append((bond, finding))

    def _judge(self, profile: Profile) -> Judge:
        return self.catalogue.judge(profile._replace(partial=True) if self.are_patches else profile)

    def _is_for_windows(self, view: ObjectView) -> bool:
        return self.ctx.assume is OperatingSystem.WINDOWS or says_windows(view)

    def _hits(self, judge: Judge, view: PodView | ObjectView) -> Iterator[tuple[Row, Hit]]:
        yield from judge.program.run(view.value, view.path)
        for row, check in judge.logic:
            for hit in check(view, self.ctx):
                yield row, hit


def with_signs(ctx: LintContext, views: Sequence[ObjectView]) -> LintContext:
    """The cluster, with the classes and namespaces that stand beside its workloads."""
    if not any(view.kind in _TELLING for view in views):
        return ctx
    from transom.workload.cluster_signs import signs_in

    signs = signs_in(views)
    return ctx._replace(
        runtime_classes={**ctx.runtime_classes, **signs.runtime_classes},
        class_builds={**ctx.class_builds, **signs.class_builds},
        pod_security={**ctx.pod_security, **signs.pod_security},
        default_limits={**ctx.default_limits, **signs.default_limits},
    )


def finding_of(
    hit: Hit,
    row: Row,
    *,
    view: ObjectView,
    document: Document,
    evidence: tuple[str, ...] = (),
    unset: bool = False,
    kubernetes: Version | None = None,
) -> Finding:
    """A hit with its place and in words, as it is in that version."""
    place = document.locate(hit.path, key=True)
    behaviour, severity, judge = row.behaviour, Severity(row.severity), row.enforced_by
    if row.enforced_since and kubernetes is not None:
        unset = unset or kubernetes < Version.parse(row.enforced_since)
    if unset and row.when_os_name_unset and "os-name-windows" in row.scope:
        # What is switched off asks Windows for nothing.
        behaviour = "ignored" if hit.found == "false" else row.when_os_name_unset
        severity = _UNSET_SEVERITIES[behaviour]
        judge = "kubelet" if behaviour in ("fails", "rejected") else "none"
    found = f" ({hit.found})" if hit.found else ""
    by = f" by {_JUDGES[judge]}" if judge in _JUDGES and behaviour == "rejected" else ""
    return Finding(
        rule=row.id,
        severity=severity,
        file=document.name,
        line=place.line,
        column=place.column,
        kind=view.kind,
        namespace=view.namespace,
        name=view.name,
        path=text_of(hit.path),
        message=f"{row.title}{found}: {row.effect or _VERDICTS[behaviour]}{by}",
        fix=hit.fix or row.fix,
        source=row.source,
        evidence=evidence,
    )
