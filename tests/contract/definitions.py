"""The real CRDs of Cluster API and its providers, out of their Go modules; every module by its sum."""

import json
import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

MODULES = Path(__file__).parents[1] / "data" / "capi" / "modules.toml"
_TIMEOUT_S = 300


def definitions(*kinds: str) -> Iterator[dict[str, Any]]:
    """The definitions of those kinds, whole."""
    for row in tomllib.loads(MODULES.read_text("utf-8"))["module"]:
        folder = _fetched(row["path"], row["version"], row["sum"])
        for part in row["folders"]:
            for file in sorted((folder / part).glob("*.yaml")):
                if file.stem.rpartition("_")[2] in {f"{kind.lower()}s" for kind in kinds} | {
                    f"{kind.lower()[:-1]}ies" for kind in kinds if kind.endswith("y")
                } | {f"{kind.lower()}es" for kind in kinds if kind.endswith("s")}:
                    yield yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader)


@cache
def _fetched(path: str, version: str, wanted: str) -> Path:
    go = shutil.which("go")
    if go is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Go is needed to fetch the definitions of Cluster API")
        pytest.skip("Go is not installed")
    # The sum is compared below: the checksum database does not know every module.
    done = subprocess.run(
        [go, "mod", "download", "-json", f"{path}@{version}"],
        capture_output=True, text=True, check=False, timeout=_TIMEOUT_S, cwd="/",
        env={**os.environ, "GONOSUMDB": "*", "GOWORK": "off"},
    )  # fmt: skip
    found = json.loads(done.stdout or "{}")
    assert done.returncode == 0, found.get("Error", done.stderr)
    assert found["Sum"] == wanted, f"{path} {version} is not what it was"
    return Path(found["Dir"])
