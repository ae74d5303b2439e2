"""Write the fields of KubeletConfiguration and their types, minor by minor, from upstream's Go modules.

`facts/kubelet_types.toml` names a module for each minor. Go's own parser reads them (`kubelet_fields`); one table with
a range of minors for each field comes out.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from transom_lab.gomodules import find_go

FACTS = Path(__file__).parents[1] / "src" / "transom" / "facts"
READER = Path(__file__).parent / "kubelet_fields"
MODULES = ("k8s.io/kubelet", "k8s.io/component-base")


def main() -> int:
    """Download, read, write."""
    rows = tomllib.loads((FACTS / "kubelet_types.toml").read_text("utf-8"))["types_module"]
    versions = sorted((row["version"] for row in rows), key=_minor)
    fields = {_minor(version): _fields(version) for version in versions}
    path = FACTS / "kubelet_types.json"
    path.write_text(_document(_ranges(fields)), "utf-8")
    print(f"{path}: {len(fields)} minors, {path.stat().st_size >> 10} KiB")
    return 0


def _minor(version: str) -> int:
    return int(version.split(".")[1])


def _fields(version: str) -> dict[str, dict[str, Any]]:
    named = [f"{module}={_folder(module, version)}" for module in MODULES]
    found = json.loads(_go("run", ".", *named))
    return {field.pop("path"): field for field in found}


def _folder(module: str, version: str) -> str:
    folder: str = json.loads(_go("mod", "download", "-json", f"{module}@v{version}"))["Dir"]
    return folder


def _go(*arguments: str) -> str:
    environment = {**os.environ, "GOFLAGS": "", "GOWORK": "off", "CGO_ENABLED": "0"}
    argv = [find_go(), *arguments]
    done = subprocess.run(argv, check=True, cwd=READER, env=environment, stdout=subprocess.PIPE)
    return done.stdout.decode()


def _ranges(minors: dict[int, dict[str, dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """For each field what it is and since when and until when it is that; left out: always."""
    oldest = min(minors)
    table: dict[str, list[dict[str, Any]]] = {}
    for minor, fields in minors.items():
        for path, field in fields.items():
            entries = table.setdefault(path, [])
            if entries and "until" not in entries[-1] and _same(entries[-1], field):
                continue
            if entries and "until" not in entries[-1]:
                entries[-1]["until"] = minor
            entries.append({**field, **({} if minor == oldest else {"since": minor})})
        for path, entries in table.items():
            if path not in fields and "until" not in entries[-1]:
                entries[-1]["until"] = minor
    return dict(sorted(table.items()))


def _same(entry: dict[str, Any], field: dict[str, Any]) -> bool:
    return entry["type"] == field["type"] and entry.get("values") == field.get("values")


def _document(table: dict[str, list[dict[str, Any]]]) -> str:
    lines = (f" {json.dumps(path)}: {json.dumps(entries)}" for path, entries in table.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
