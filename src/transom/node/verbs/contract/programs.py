"""What a host promises about programs: how they end, what they say, and their files while they run.

The program that is run is the host's own Python, the one program that every host has.
"""

import ntpath

from transom.errors import InUse
from transom.node.engine.journalled_host import chunks_of
from transom.node.host.nouns.processes import Child
from transom.node.host.protocols import Machine
from transom.node.host.values import Completed, PathKind
from transom.node.verbs.contract.promise import FOLDER, NAME, PATIENCE_S, Promise, refuses

_MUCH = 300_000  # more than any pipe takes before somebody reads it
_SECRET = "not-for-everyone"  # noqa: S105 - nobody's


def _run(machine: Machine, script: str, **more: object) -> Completed:
    argv = (machine.system.interpreter(), "-I", "-c", script)
    given = {"timeout_s": PATIENCE_S, **more}
    return machine.processes.run(argv, **given)  # type: ignore[arg-type]


def _ends(machine: Machine) -> bool:
    script = "import sys; print('said'); sys.stdout.flush(); sys.exit('asked')"
    failed = _run(machine, script)
    good, other = _run(machine, "pass"), _run(machine, "import sys; sys.exit(77)")
    return (good.code, good.output, other.code, failed.code) == (
        0,
        "",
        77,
        1,
    ) and failed.output.split() == ["said", "asked"]


def _given(machine: Machine) -> bool:
    script = f"import os, sys; print(sys.stdin.read(), os.environ['{NAME.upper()}'])"
    done = _run(machine, script, stdin=b"read", environment={NAME.upper(): "set"})
    return done.output.split() == ["read", "set"]


def _masked(machine: Machine) -> bool:
    done = _run(machine, f"print('{_SECRET}', 'open')", secrets=(_SECRET,))
    return done.output.split() == ["***", "open"]


def _long(machine: Machine) -> bool:
    return _run(machine, f"print('y' * {_MUCH})").output.strip() == "y" * _MUCH


def _late(machine: Machine) -> bool:
    return refuses(lambda: _run(machine, "import time; time.sleep(60)", timeout_s=2))


def _no_program(machine: Machine) -> bool:
    argv = [FOLDER + r"\no such program.exe"]
    return refuses(lambda: machine.processes.run(argv, timeout_s=PATIENCE_S))


def _beside(machine: Machine) -> bool:
    child = _sleeping(machine, machine.system.interpreter())
    ran = child.ended() is None
    child.stop()
    child.stop()
    return ran and child.ended() is not None


def _image(machine: Machine) -> bool:
    python = machine.system.interpreter()
    # Beside it, because a Python needs its libraries there.
    path = ntpath.join(ntpath.dirname(python), f"{NAME}.exe")
    child = None
    try:
        machine.files.write(path, chunks_of(machine.files.open(python)))
        child = _sleeping(machine, path)
        kept = _is_kept(machine, path) and not machine.disk.discard(path)
        machine.files.write(path, b"its successor")
        replaced = machine.files.read(path) == b"its successor" and child.ended() is None
        child.stop()
        child = None
        machine.files.sweep()
        return kept and replaced and machine.disk.discard(path)
    finally:
        if child is not None:
            child.stop()
        machine.files.remove(path)
        machine.files.sweep()


def _is_kept(machine: Machine, path: str) -> bool:
    """Whether the file of a program that runs is not replaced by what only takes its name."""
    beside = path + ".new"
    machine.disk.create(beside)
    try:
        machine.disk.rename(beside, path)
    except InUse:
        return machine.files.kind(path) is PathKind.FILE
    finally:
        machine.disk.remove(beside)
    return False


def _sleeping(machine: Machine, program: str) -> Child:
    argv = (program, "-I", "-c", "import time; time.sleep(60)")
    return machine.processes.start(argv, environment={}, output=lambda _line: None)


PROMISES: dict[str, Promise] = {
    "a program ends with its exit code, and both its outputs": _ends,
    "a program gets its input and its variables": _given,
    "a secret is masked in what a program says": _masked,
    "a program may say much": _long,
    "a program that takes too long is ended": _late,
    "a program that is not there does not start": _no_program,
    "a program runs beside this one until it is stopped": _beside,
    "a program that runs is replaced, goes on, and is removed when it has ended": _image,
}
