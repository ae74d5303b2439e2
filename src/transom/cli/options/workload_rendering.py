"""Folders that are charts or kustomizations, rendered where helm or kustomize is installed."""

import os
import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from transom.errors import PermanentError, UsageError
from transom.model.problem import Mistake
from transom.workload.linting.forms import CHART, KUSTOMIZATIONS, rendered_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transom.workload.linting.rendered import Rendered
    from transom.workload.linting.run import Job, Part
    from transom.workload.linting.settings import Settings


class Rendering:
    """What the named folders and the charts below them render.

    `others` are the paths that are read as files, but for `charts` below them.
    """

    def __init__(self, args: Namespace, settings: "Settings") -> None:
        self.others: list[str] = []
        self.mistakes: list[Mistake] = []
        self._rendered: list[Rendered] = []
        for path in args.paths:
            if args.no_render or not _may_render(path) or not self._render_named(path, args):
                self.others.append(path)
        self.charts = frozenset() if args.no_render else self._render_below(args, settings)
        if args.values and not self._rendered and not self.mistakes:
            raise UsageError(
                "no chart was rendered",
                subject="--values",
                hint="name the folder of a chart, and install helm",
            )

    def parts(self, job: "Job") -> "Iterator[Part]":
        """Lint what was rendered."""
        for rendered in self._rendered:
            from transom.workload.linting.rendered import lint_rendered

            yield lint_rendered(rendered, job, job.of_file(rendered.folder).linter())

    def _render_named(self, folder: str, args: Namespace) -> bool:
        try:
            return self._render(folder, args)
        except PermanentError as error:
            self.mistakes.append(Mistake(error.message, hint=error.hint, file=folder))
            return False

    def _render_below(self, args: Namespace, settings: "Settings") -> frozenset[str]:
        """Render the charts below folders; one that fails is noted, and its templates are counted."""
        rendered = set()
        exclude = (*args.exclude, *settings.exclude)
        for path in self.others:
            if _may_render(path) or not os.path.isdir(path):  # noqa: PTH112 - as in sources
                continue
            below = rendered_below(path, exclude=exclude)
            for chart in below.charts:
                try:
                    if self._render(chart, args):
                        rendered.add(chart)
                except PermanentError as error:
                    print(f"note: {chart}: {error.message}", file=sys.stderr)
            _tell_kustomizations(below.kustomizations)
        return frozenset(rendered)

    def _render(self, folder: str, args: Namespace) -> bool:
        """Render a folder; False where its files have to do.

        Raises:
            PermanentError: the program failed.
        """
        from transom.remote.generators import HELM, KUSTOMIZE, render
        from transom.workload.linting.rendered import Rendered, is_chart

        environ = os.environ  # noqa: TID251 - the command line is where the environment is read
        generator = HELM if is_chart(folder) else KUSTOMIZE
        argv = generator.found(environ.get("PATH", ""))
        if not argv:
            if generator is KUSTOMIZE:  # of a chart its templates are told, with what to run
                _tell_missing(folder)
            return False
        if generator is HELM:
            values = [option for file in args.values for option in ("--values", file)]
            version = ["--kube-version", args.kubernetes] if args.kubernetes else []
            argv = (*argv, *values, *version)
        self._rendered.append(Rendered(folder, render((*argv, folder), environ)))
        return True


def _tell_missing(folder: str) -> None:
    what = "kustomize and kubectl are not installed, so its files are linted as they are"
    command = f"kustomize build {folder} | transom lint -"
    print(f"note: {folder}: {what}; lint what it builds: `{command}`", file=sys.stderr)


def _tell_kustomizations(found: "Sequence[str]") -> None:
    """Say how to lint what kustomizations below a folder build; their files are linted as they are."""
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        what = "the files of a kustomization are linted as they are; lint what it builds"
        print(f"note: {found[0]}{more}: {what}: `transom lint {found[0]}`", file=sys.stderr)


def _may_render(path: str) -> bool:
    names = (os.path.join(path, name) for name in (CHART, *KUSTOMIZATIONS))  # noqa: PTH118 - as in sources
    return any(os.path.isfile(name) for name in names)  # noqa: PTH113 - same
