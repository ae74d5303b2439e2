"""A rendered folder judged before anything is built: by our own rules, by packer and by cloudbase-init where they are installed."""

import asyncio
import importlib
import importlib.util
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transom.documents.images import ImageValidation
from transom.errors import UsageError
from transom.image.packer.check import mistakes_of
from transom.image.packer.configuration import SERVICE, SPECIALIZE
from transom.image.packer.plan import EXAMPLE, FOLDER, TEMPLATE
from transom.model.problem import Mistake
from transom.remote import packer
from transom.site.environment import Environment

_LARGEST = 64 << 20
_QUIET = {"CHECKPOINT_DISABLE": "1", "PACKER_NO_COLOR": "1"}


def check_image(folder: Path, environment: Environment) -> ImageValidation:
    """Give every mistake in a folder, and what could not be judged."""
    files = _read(folder)
    skipped: list[str] = []
    found = [
        *mistakes_of(files),
        *_by_cloudbase_init(files, skipped),
        *_by_packer(folder, files, environment, skipped),
    ]
    return ImageValidation(
        folder=str(folder), files=len(files), mistakes=tuple(found), skipped=tuple(skipped)
    )


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


def _by_cloudbase_init(files: Mapping[str, bytes], skipped: list[str]) -> list[Mistake]:
    if importlib.util.find_spec("cloudbaseinit") is None:
        skipped.append(
            "cloudbase-init's configuration by cloudbase-init itself: the Python package is not installed"
        )
        return []
    found = []
    for name in (SERVICE, SPECIALIZE):
        path = f"{FOLDER}/{name}"
        if path in files and (problem := _refusal_of(files[path])):
            found.append(Mistake(f"cloudbase-init refuses it: {problem}", file=path))
    return found


def _refusal_of(content: bytes) -> str:
    """Give what cloudbase-init's own option parser has against a configuration; it knows each setting's type."""
    cfg = importlib.import_module("oslo_config.cfg")
    factory = importlib.import_module("cloudbaseinit.conf.factory")
    settings = cfg.ConfigOpts()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "cloudbase-init.conf"
        path.write_bytes(content)
        try:
            for options in factory.get_options():
                options(settings).register()
            settings(["--config-file", str(path)], project="cloudbase-init")
            for group in (None, *settings._groups):  # noqa: SLF001 - reading each value is what types it
                place = settings if group is None else settings[group]
                for name in list(place._opts if group is None else place):  # noqa: SLF001 - same
                    getattr(place, name)
            for name in (*settings.metadata_services, *settings.plugins):
                if importlib.util.find_spec(name.rpartition(".")[0]) is None:
                    return f"there is no {name}"
        except (cfg.Error, ValueError, ImportError) as error:
            return str(error)
    return ""


def _by_packer(
    folder: Path,
    files: Mapping[str, bytes],
    environment: Environment,
    skipped: list[str],
) -> list[Mistake]:
    program = packer.find_packer()
    if program is None:
        skipped.append("the template by packer: it is not on the path")
        return []
    if TEMPLATE not in files:
        return []
    with tempfile.TemporaryDirectory() as scratch:
        given = _stand_ins(files, environment, Path(scratch))
        if given is None:
            return []
        path = Path(scratch) / "stand-ins.pkrvars.json"
        path.write_text(json.dumps(given), "utf-8")
        said = asyncio.run(
            packer.validate(
                program,
                folder.absolute(),
                arguments=[f"-var-file={path}"],
                environment={**environment.variables, **_QUIET},
            )
        )
    if given:
        skipped.append(f"values that only the site knows: {', '.join(sorted(given))}")
    if not said:
        return []
    hint = f"run `packer init {TEMPLATE}` first" if "required plugin" in said.lower() else ""
    return [Mistake(f"packer refuses it: {said}", file=TEMPLATE, hint=hint)]


def _stand_ins(
    files: Mapping[str, bytes], environment: Environment, scratch: Path
) -> dict[str, Any] | None:
    """Give values for variables that have none yet, so that the rest can be judged; None for no template."""
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
        for name in environment.variables
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
    from transom.remote.ssh_keys import write_new_key

    path = scratch / "key"
    write_new_key(path)
    return path
