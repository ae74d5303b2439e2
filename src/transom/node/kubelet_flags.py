"""The arguments kubeadm wants the kubelet to have, and the command line that carries them.

kubeadm writes them to `kubeadm-flags.env` as one shell assignment; a Windows service has a fixed
command line and would ignore that file, so the steps put its content on the command line. Before
the first join the file is missing and `expected` says what kubeadm will write.
"""

from collections.abc import Sequence

from transom.errors import PermanentError
from transom.model.recipe import JoinPlan, Service
from transom.model.taint import Taint
from transom.node.quoting import join_arguments

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


def extra_arguments(join: JoinPlan) -> dict[str, str]:
    """The kubelet arguments that kubeadm is given; labels have no place of their own there."""
    arguments = dict(join.kubelet_extra_args)
    if join.labels:
        arguments["node-labels"] = ",".join(
            f"{key}={value}" for key, value in sorted(join.labels.items())
        )
    return arguments


def expected(join: JoinPlan) -> tuple[str, ...]:
    """What kubeadm will write, so that the kubelet registers rightly the first time it starts."""
    arguments = extra_arguments(join)
    if join.taints:
        arguments["register-with-taints"] = ",".join(_taint(taint) for taint in join.taints)
    return tuple(f"--{name}={value}" for name, value in arguments.items())


def _taint(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


def command_line(service: Service, flags: tuple[str, ...]) -> str:
    """The service's command line with those flags, sorted; one the command has too replaces it."""
    programs = [n for n, word in enumerate(service.command) if word.lower().endswith(".exe")]
    start = programs[-1] + 1 if programs else 1
    replaced = {_name(flag) for flag in flags}
    own = [word for word in service.command[start:] if _name(word) not in replaced]
    return join_arguments((*service.command[:start], *own, *sorted(flags)))


def _name(flag: str) -> str:
    return flag.lstrip("-").partition("=")[0] if flag.startswith("-") else flag


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
