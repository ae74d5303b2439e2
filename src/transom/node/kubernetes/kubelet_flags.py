"""The arguments kubeadm wants the kubelet to have: read out of its file, and put on a command line.

kubeadm writes them to `kubeadm-flags.env` as one shell assignment. `transom.node.supervise.kubelet` reads it
at each start of the kubelet, so this module imports nothing that takes long.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from transom.errors import PermanentError

if TYPE_CHECKING:
    from transom.model.recipe import JoinPlan
    from transom.model.taint import Taint

_VARIABLE = "KUBELET_KUBEADM_ARGS"


def parse_flags_file(text: str) -> tuple[str, ...]:
    """Read the arguments out of `kubeadm-flags.env`; a file without them gives none."""
    for line in text.splitlines():
        name, assigned, value = line.strip().partition("=")
        if assigned and name.strip() == _VARIABLE:
            return _words(_unquote(value.strip()))
    return ()


def flags_file(arguments: Sequence[str]) -> str:
    """The content of `kubeadm-flags.env` for those arguments, where no kubeadm writes it."""
    quoted = (argument.replace("\\", "\\\\").replace('"', '\\"') for argument in arguments)
    return f'{_VARIABLE}="{" ".join(quoted)}"\n'


def extra_arguments(join: "JoinPlan") -> dict[str, str]:
    """The kubelet arguments that kubeadm is given; labels have no place of their own there."""
    arguments = dict(join.kubelet_extra_args)
    if join.labels:
        arguments["node-labels"] = ",".join(
            f"{key}={value}" for key, value in sorted(join.labels.items())
        )
    return arguments


def expected(join: "JoinPlan") -> tuple[str, ...]:
    """What kubeadm writes for that plan, where no kubeadm does."""
    arguments = extra_arguments(join)
    if join.taints:
        arguments["register-with-taints"] = ",".join(_taint(taint) for taint in join.taints)
    return tuple(f"--{name}={value}" for name, value in arguments.items())


def _taint(taint: "Taint") -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


def merged_words(command: tuple[str, ...], flags: tuple[str, ...]) -> tuple[str, ...]:
    """A program's words with those flags behind them; one that the command has too replaces it."""
    replaced = {flag_name(flag) for flag in flags}
    own = (
        word for word in command[1:] if not word.startswith("-") or flag_name(word) not in replaced
    )
    return (command[0], *own, *flags)


def flag_name(word: str) -> str:
    """The name of a flag without dashes and value; a word that is no flag is its own name."""
    return word.lstrip("-").partition("=")[0] if word.startswith("-") else word


def _unquote(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":  # noqa: PLR2004 - a pair
        return value[1:-1]
    return value


def _words(text: str) -> tuple[str, ...]:
    words: list[str] = []
    word: list[str] = []
    inside = ""
    started = False
    position = 0
    while position < len(text):
        letter = text[position]
        if letter == "\\" and inside != "'" and text[position + 1 : position + 2] in ('"', "\\"):
            position += 1
            word.append(text[position])
            started = True
        elif inside:
            inside = "" if letter == inside else inside
            word += [letter] if inside else []
        elif letter in "\"'":
            inside, started = letter, True
        elif letter.isspace():
            if started:
                words.append("".join(word))
            word, started = [], False
        else:
            word.append(letter)
            started = True
        position += 1
    if inside:
        raise PermanentError(
            "cannot read the kubelet's arguments: a quotation mark is not closed",
            hint="Write kubeadm-flags.env again with `kubeadm upgrade node`.",
        )
    if started:
        words.append("".join(word))
    return tuple(words)
