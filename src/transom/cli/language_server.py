"""`transom lint --server`: findings, quick fixes and explanations in editors.

The door to pygls, which speaks the Language Server Protocol on standard input and output. What is wrong
and what ends it comes from the same rules and fixes as on the command line.
"""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from transom import __version__
from transom.errors import TransomError, UsageError
from transom.model.finding import Finding, Severity
from transom.model.problem import Mistake

if TYPE_CHECKING:
    from transom.workload.linting.editor import Around, LineEdit
    from transom.workload.linting.settings import Settings

try:
    from lsprotocol import types as lsp
    from pygls.lsp.server import LanguageServer
    from pygls.uris import to_fs_path
    from pygls.workspace import TextDocument
except ImportError as error:
    raise UsageError(
        "the language server needs pygls",
        subject="--server",
        hint="pip install 'transom[server]'",
    ) from error

NAME = "transom"
_FIX_ALL = f"source.fixAll.{NAME}"
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFO: lsp.DiagnosticSeverity.Information,
}


def serve(args: Namespace) -> int:
    """Serve until the editor ends it."""
    if args.cluster or args.paths:
        raise UsageError(
            "the language server is told its files by the editor",
            subject="--server",
            hint="leave PATH and --cluster out; --kubernetes, --windows and -f hold",
        )
    server = LanguageServer(NAME, f"v{__version__}")
    _register(server, _Files(args))
    # A stream of its own, which pygls closes; nothing else may print between its messages.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers, redirect_stdout(sys.stderr):
        server.start_io(sys.stdin.buffer, answers)
    return 0


class _Files:
    """The rules and settings for each file that an editor has open."""

    def __init__(self, args: Namespace) -> None:
        from transom.workload.linting.editor import Neighbours

        self._args = args
        self._neighbours = Neighbours()

    def of(self, document: TextDocument) -> "tuple[str, Around, Settings]":
        """A file's name, and what holds for it; settings are read again, as people edit them."""
        from transom.cli.options.workload_options import job_of, settings_of

        name = to_fs_path(document.uri) or document.uri
        args = Namespace(**{**vars(self._args), "paths": [name]})
        settings = settings_of(args)
        # A template or foreign YAML that is open is left alone, not refused as one that was named.
        job = job_of(args, settings)._replace(named=frozenset())
        return name, self._neighbours.around(name, job), settings


def _register(server: LanguageServer, files: _Files) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def check(params: lsp.DidOpenTextDocumentParams | lsp.DidChangeTextDocumentParams) -> None:
        """Tell what is wrong in a file that was opened or changed."""
        tell(server.workspace.get_text_document(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def check_all(_params: lsp.DidSaveTextDocumentParams) -> None:
        """Tell what is wrong in every open file: what was saved may change what others mean."""
        for document in list(server.workspace.text_documents.values()):
            tell(document)

    def tell(document: TextDocument) -> None:
        try:
            found = _diagnostics(document, files)
        except TransomError as error:
            message = lsp.ShowMessageParams(lsp.MessageType.Error, f"{NAME}: {error}")
            server.window_show_message(message)
            found = []
        _publish(server, document.uri, found, document.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def forget(params: lsp.DidCloseTextDocumentParams) -> None:
        """Take back what was told of a file that is closed."""
        _publish(server, params.text_document.uri, [])

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix, _FIX_ALL]),
    )
    def fix(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Offer the fixes of the findings at a place, and all that are safe."""
        document = server.workspace.get_text_document(params.text_document.uri)
        return _actions(document, params, files)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def explain(params: lsp.HoverParams) -> lsp.Hover | None:
        """Explain the findings on a line."""
        document = server.workspace.get_text_document(params.text_document.uri)
        name, around, settings = files.of(document)
        return _hover(document, name, around, settings, params.position.line)


def _publish(
    server: LanguageServer, uri: str, found: list[lsp.Diagnostic], version: int | None = None
) -> None:
    params = lsp.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=version)
    server.text_document_publish_diagnostics(params)


def _diagnostics(document: TextDocument, files: _Files) -> list[lsp.Diagnostic]:
    from transom.workload.linting.editor import check

    name, around, settings = files.of(document)
    findings, mistakes = check(document.source, name, around, settings.ignores)
    lines = document.source.split("\n")
    return [
        *(_of_mistake(mistake, lines) for mistake in mistakes),
        *(_of_finding(finding, lines) for finding in findings if finding.file == name),
    ]


def _of_finding(finding: Finding, lines: Sequence[str]) -> lsp.Diagnostic:
    why = f"\nfor Windows: {finding.evidence[0]}" if finding.evidence else ""
    return lsp.Diagnostic(
        range=_range(finding.line, finding.column, lines),
        message=f"{finding.message}\n{finding.fix}{why}",
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        source=NAME,
    )


def _of_mistake(mistake: Mistake, lines: Sequence[str]) -> lsp.Diagnostic:
    return lsp.Diagnostic(
        range=_range(mistake.line or 1, mistake.column or 1, lines),
        message=f"{mistake.message}\n{mistake.hint}".rstrip(),
        severity=lsp.DiagnosticSeverity.Error,
        source=NAME,
    )


def _range(line: int, column: int, lines: Sequence[str]) -> lsp.Range:
    """From a place to the end of its line; the protocol counts from zero, in units of UTF-16."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    start, end = (len(part.encode("utf-16-le")) // 2 for part in (text[: column - 1], text))
    return lsp.Range(
        lsp.Position(max(line - 1, 0), start), lsp.Position(max(line - 1, 0), max(start, end))
    )


def _actions(
    document: TextDocument, params: lsp.CodeActionParams, files: _Files
) -> list[lsp.CodeAction]:
    from transom.workload.linting.editor import edits_of, quick_fixes

    name, around, settings = files.of(document)
    job = around.job
    wanted = [
        (str(found.code), found) for found in params.context.diagnostics if found.source == NAME
    ]
    actions = [
        lsp.CodeAction(
            title=offered.title,
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[found for rule, found in wanted if rule == offered.rule],
            is_preferred=offered.is_safe,
            edit=_edit(document, offered.edits),
        )
        for offered in quick_fixes(
            document.source, name, job, [rule for rule, _found in wanted], settings.ignores
        )
    ]
    everything = edits_of(document.source, name, job, ignores=settings.ignores)
    if everything:
        title = "transom: fix all that is safe in this file"
        actions.append(lsp.CodeAction(title, kind=_FIX_ALL, edit=_edit(document, everything)))
    return actions


def _edit(document: TextDocument, edits: "Sequence[LineEdit]") -> lsp.WorkspaceEdit:
    changes = [
        lsp.TextEdit(lsp.Range(lsp.Position(made.start, 0), lsp.Position(made.end, 0)), made.text)
        for made in edits
    ]
    return lsp.WorkspaceEdit(changes={document.uri: changes})


def _hover(
    document: TextDocument, name: str, around: "Around", settings: "Settings", line: int
) -> lsp.Hover | None:
    from transom.facts.explain import explain
    from transom.workload.linting.editor import check

    findings, _mistakes = check(document.source, name, around, settings.ignores)
    rules = dict.fromkeys(found.rule for found in findings if found.line == line + 1)
    told = [explanation for rule in rules for explanation in explain([rule]).explanations]
    if not told:
        return None
    parts = [
        f"**{item.id}: {item.title}**\n\n{item.why}\n\n{item.since}\n\n{item.do}\n\n*{item.source}*"
        for item in told
    ]
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n---\n\n".join(parts)))
