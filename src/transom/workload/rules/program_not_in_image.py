"""A program that the image is known not to have.

What it flags: the first word of a command, probe or hook, or the program that `cmd /c` is to run, where
the image is one of Microsoft's and has no such program.
Why it fails: the container ends at once, or the probe always fails, with "The system cannot find the
file specified".
Example: `command: [powershell, -File, run.ps1]` with a Nano Server image.
Instead: use cmd.exe, an image that has the program, or an HTTP probe.
Sources: learn.microsoft.com, Container base images.
"""

from collections.abc import Iterator
from typing import Any

from transom.workload.context import LintContext
from transom.workload.image import lacks, read_image
from transom.workload.paths import ObjectPath
from transom.workload.pods import PodView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN095", "program-not-in-image")

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS = ("postStart", "preStop")
# Another rule says these of every image.
_SHELLS = frozenset({"sh", "bash", "ash", "dash", "zsh"})


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per command of a program that is not there."""
    for container in pod.containers:
        if not container.image:
            continue
        image = read_image(container.image)
        for words, path in _commands(container.value):
            program = _program(words)
            kind = lacks(image, program) if program and program not in _SHELLS else None
            if kind is not None:
                yield Hit((*container.path, *path), f"{program}; {kind.name} lacks it")


def _commands(container: Any) -> Iterator[tuple[Any, ObjectPath]]:
    yield container.get("command"), ("command",)
    for name in _PROBES:
        probe = mapping(mapping(container.get(name)).get("exec"))
        yield probe.get("command"), (name, "exec", "command")
    hooks = mapping(container.get("lifecycle"))
    for name in _HOOKS:
        hook = mapping(mapping(hooks.get(name)).get("exec"))
        yield hook.get("command"), ("lifecycle", name, "exec", "command")


def _program(words: Any) -> str:
    """The program that a command starts, without its path's case and extension."""
    texts = [str(word) for word in sequence(words)]
    if texts and _bare(texts[0]) == "cmd":
        # cmd /S /C "PROGRAM arguments": the first word that is no option of cmd itself.
        rest = " ".join(texts[1:]).split()
        texts = [word for word in rest if not word.startswith("/")]
    return _bare(texts[0]) if texts else ""


def _bare(word: str) -> str:
    return word.lower().removesuffix(".exe")
