"""Files rewritten by a command: read, changed, shown as a diff or put in the place of the old.

Called by the commands that edit manifests. A file is written beside and renamed, so that none is
ever half written; standard input goes to standard output.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

from transom.cli.linting import sources
from transom.errors import InvalidDocument, UsageError
from transom.model.problem import Mistake

# Gives the new bytes of a file from its name and bytes.
Rewrite = Callable[[str, bytes], bytes]


def rewrite(paths: Sequence[str], change: Rewrite, *, diff: bool) -> tuple[int, list[Mistake]]:
    """Rewrite the files; give how many changed, or would, and what could not be read."""
    names, unreadable = sources.find(paths)
    changed = 0
    for name in list(names):
        try:
            before = _read(name)
            after = change(name, before)
        except InvalidDocument as error:
            unreadable += error.mistakes
            continue
        except OSError as error:
            reason = error.strerror or str(error)
            hint = "Check the name and that you may read it."
            unreadable.append(Mistake(f"cannot read: {reason}", hint=hint, file=name))
            continue
        changed += before != after
        if diff:
            sys.stdout.writelines(_diff(name, before, after))
        elif name == sources.STDIN:
            sys.stdout.buffer.write(after)
        elif before != after:
            replace_file(Path(name), after)
    return changed, unreadable


def tell_unreadable(mistakes: Sequence[Mistake]) -> None:
    """Say on standard error what could not be read."""
    for mistake in mistakes:
        place = ":".join(str(part) for part in (mistake.file, mistake.line, mistake.column) if part)
        print(f"error: {place}: {mistake.message}", file=sys.stderr)
        if mistake.hint:
            print(f"  next:  {mistake.hint}", file=sys.stderr)


def _read(name: str) -> bytes:
    return sys.stdin.buffer.read() if name == sources.STDIN else Path(name).read_bytes()


def _diff(name: str, before: bytes, after: bytes) -> Iterator[str]:
    old, new = (_lines(data) for data in (before, after))
    for line in unified_diff(old, new, fromfile=name, tofile=name):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    # Not splitlines: other characters that end lines in Python do not in files.
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [
        line for line in text.split("\n")[-1:] if line
    ]


def replace_file(path: Path, data: bytes) -> None:
    """Put new content in a file's place, whole or not at all."""
    # Behind a link the file itself is replaced, not the link.
    target = path.resolve()
    beside = target.with_name(f".{target.name}.transom")
    try:
        beside.write_bytes(data)
        beside.chmod(target.stat().st_mode)
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise UsageError(
            f"cannot write {path}", subject=str(path), hint="make the file and folder writable"
        ) from error
