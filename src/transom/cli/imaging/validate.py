"""`transom image validate`: every mistake in a rendered folder, before anything is built."""

import asyncio
import json
import os
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from transom.errors import UsageError
from transom.model.problem import Mistake

SUMMARY = "every mistake in a rendered folder, before anything is built"

_EXAMPLES = """\
examples:
  transom image validate image
  transom image validate image -o json

packer judges the template where it is installed (`packer init` brings its plugin), cloudbase-init its own
configuration where the Python package is; what could not be judged is said. Nothing is built or reached.
exit codes: 0 nothing wrong, 1 mistakes, 2 usage
"""
_LARGEST = 64 << 20


def configure(parser: ArgumentParser) -> None:
    """Add the folder."""
    parser.epilog = _EXAMPLES
    parser.add_argument("folder", metavar="DIR", help="what `transom image render` wrote")
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def run(args: Namespace) -> int:
    """Judge, and say what was judged by whom."""
    from transom.cli.documents.images import ImageValidation
    from transom.image.packer.check import mistakes_of

    folder = Path(args.folder)
    files = _read(folder)
    found = mistakes_of(files)
    skipped: list[str] = []
    found += _by_cloudbase_init(files, skipped)
    found += _by_packer(folder, files, skipped)
    report = ImageValidation(
        folder=str(folder), files=len(files), mistakes=tuple(found), skipped=tuple(skipped)
    )
    if args.output == "json":
        from transom.cli import console

        console.print_json(report)
    else:
        _print(report)
    return 1 if found else 0


def _print(report: Any) -> None:
    for mistake in report.mistakes:
        where = ": ".join(filter(None, (mistake.file, mistake.path)))
        print(f"{where}: {mistake.message}")
        if mistake.hint:
            print(f"  next: {mistake.hint}")
    for text in report.skipped:
        print(f"NOT JUDGED: {text}")
    count = len(report.mistakes)
    verdict = f"{count} mistake{'' if count == 1 else 's'}" if count else "nothing wrong"
    files = f"{report.files} file{'' if report.files == 1 else 's'}"
    print(f"{report.folder}: {files}, {verdict}")


def _read(folder: Path) -> dict[str, bytes]:
    if not folder.is_dir():
        raise UsageError(
            f"there is no folder {folder}",
            subject=str(folder),
            hint="write it with `transom image render`",
        )
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] == "output" or not path.is_file():
            continue
        try:
            if path.stat().st_size <= _LARGEST:
                found[name] = path.read_bytes()
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}", subject=str(path)) from error
    return found


def _by_cloudbase_init(files: dict[str, bytes], skipped: list[str]) -> list[Mistake]:
    from transom.cli.imaging.cloudbase_options import load, options_are_there
    from transom.image.packer.configuration import SERVICE, SPECIALIZE
    from transom.image.packer.plan import FOLDER

    if not options_are_there():
        skipped.append(
            "cloudbase-init's configuration by cloudbase-init itself: the Python package is not installed"
        )
        return []
    found = []
    for name in (SERVICE, SPECIALIZE):
        path = f"{FOLDER}/{name}"
        if path in files and (problem := load(files[path])):
            found.append(Mistake(f"cloudbase-init refuses it: {problem}", file=path))
    return found


def _by_packer(folder: Path, files: dict[str, bytes], skipped: list[str]) -> list[Mistake]:
    from transom.image.packer.plan import TEMPLATE
    from transom.remote import packer

    program = packer.find_packer()
    if program is None:
        skipped.append("the template by packer: it is not on the path")
        return []
    if TEMPLATE not in files:
        return []
    with tempfile.TemporaryDirectory() as scratch:
        given = _stand_ins(files, Path(scratch))
        if given is None:
            return []
        path = Path(scratch) / "stand-ins.pkrvars.json"
        path.write_text(json.dumps(given), "utf-8")
        environment = {**os.environ, "CHECKPOINT_DISABLE": "1", "PACKER_NO_COLOR": "1"}  # noqa: TID251 - the user's own, for packer
        said = asyncio.run(
            packer.validate(
                program,
                folder.absolute(),
                arguments=[f"-var-file={path}"],
                environment=environment,
            )
        )
    if given:
        skipped.append(f"values that only the site knows: {', '.join(sorted(given))}")
    if not said:
        return []
    hint = f"run `packer init {TEMPLATE}` first" if "required plugin" in said.lower() else ""
    return [Mistake(f"packer refuses it: {said}", file=TEMPLATE, hint=hint)]


def _stand_ins(files: dict[str, bytes], scratch: Path) -> dict[str, Any] | None:
    """Values for variables that have none yet, so that the rest can be judged; None for no template."""
    from transom.image.packer.plan import EXAMPLE, TEMPLATE

    try:
        declared = json.loads(files[TEMPLATE])["variable"]
        examples = json.loads(files.get(EXAMPLE, b"{}"))
        known = set()
        for name, content in files.items():
            if name.endswith(".auto.pkrvars.json"):
                known |= json.loads(content).keys()
    except (ValueError, KeyError, TypeError):
        return None
    known |= {
        name.removeprefix("PKR_VAR_")
        for name in os.environ  # noqa: TID251 - packer reads variables from it
        if name.startswith("PKR_VAR_")
    }
    found = {
        name: examples.get(name, "stand-in")
        for name, given in declared.items()
        if name not in known and "default" not in given
    }
    if "ssh_private_key_file" in found:
        found["ssh_private_key_file"] = str(_key(scratch))
    return found


def _key(scratch: Path) -> Path:
    import asyncssh

    path = scratch / "key"
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(path)
    path.chmod(0o600)
    return path
