"""`transom completion SHELL`: scripts that ask `transom __complete` for the words that fit.

One function answers for all shells, from the parsers themselves, so that completion cannot
differ from what the commands accept.
"""

import argparse
from collections.abc import Iterable, Sequence

from transom.cli.commands import COMMANDS, find, plugins
from transom.cli.subcommands import VerbParser
from transom.errors import TransomError

SUMMARY = "Print a script that completes transom's commands and options."

_SCRIPTS = {
    "bash": """\
_transom() {
  local IFS=$'\\n'
  COMPREPLY=($(transom __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o filenames -F _transom transom kubectl-transom
""",
    "zsh": """\
#compdef transom kubectl-transom
_transom() {
  local -a found
  found=("${(@f)$(transom __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${found[*]}" ]]; then compadd -- "${found[@]}"; else _files; fi
}
if [ "$funcstack[1]" = "_transom" ]; then _transom "$@"; else compdef _transom transom kubectl-transom; fi
""",
    "fish": """\
function __transom_complete
  set -l words (commandline -opc) (commandline -ct)
  transom __complete $words[2..-1] 2>/dev/null
end
complete -c transom -a '(__transom_complete)'
complete -c kubectl-transom -a '(__transom_complete)'
""",
    "powershell": """\
Register-ArgumentCompleter -Native -CommandName transom, kubectl-transom -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '""' }
  transom __complete @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
""",
}

_EXAMPLES = """\
examples:
  source <(transom completion bash)
  transom completion zsh > "${fpath[1]}/_transom"
  transom completion fish > ~/.config/fish/completions/transom.fish
  transom completion powershell | Out-String | Invoke-Expression
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the shell."""
    parser.epilog = _EXAMPLES
    parser.add_argument("shell", choices=sorted(_SCRIPTS), help="the shell to complete in")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(_SCRIPTS[args.shell], end="")
    return 0


def complete(words: Sequence[str]) -> int:
    """Print the words that could stand where the last of `words` stands."""
    *before, current = ["", *words] if not words else [*words]
    current = "" if current == '""' else current
    try:
        found = sorted(set(_candidates(before, current)))
    except TransomError:
        found = []
    for word in found:
        if word.startswith(current):
            print(word)
    return 0


def _candidates(before: Sequence[str], current: str) -> Iterable[str]:
    from transom.cli.main import parser_for

    if not before:
        return [*(command.name for command in (*COMMANDS, *plugins())), "--help", "--version"]
    command = find(before[0])
    if command is None:
        return []
    parser = parser_for(command)
    for word in before[1:]:
        parser = _subparser(parser, word) or parser
    actions = parser._actions  # noqa: SLF001 - argparse offers no public list of its arguments
    if len(before) > 1:
        taker = next((a for a in actions if before[-1] in a.option_strings and a.nargs != 0), None)
        if taker is not None:
            return map(str, taker.choices or ())
    if current.startswith("-"):
        return [option for action in actions for option in action.option_strings]
    return [str(c) for a in actions if not a.option_strings for c in a.choices or ()]


def _subparser(parser: argparse.ArgumentParser, word: str) -> argparse.ArgumentParser | None:
    for action in parser._actions:  # noqa: SLF001 - as above
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            found = action.choices.get(word)
            if isinstance(found, VerbParser):
                found.load()
            return found
    return None
