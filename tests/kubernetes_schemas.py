"""The API of a Kubernetes minor, by the schemas that releases of kubernetes-validate carry.

The installed release has the newer minors. `make setup` downloads the last one that had the older ones;
only its files are read, because a package cannot be installed in two versions.
"""

import functools
import json
import os
import re
import sys
import tarfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft4Validator

ARCHIVED = 24
_ARCHIVE = Path(sys.prefix) / "old-schemas" / "kubernetes-validate-1.24.1.tar.gz"
_FOLDER = "kubernetes-json-schema"
_REFERENCE = re.compile(r"(/api/)?(_definitions\.json)?#/(definitions|\$defs)/")
_MEMBER = re.compile(rf"{_FOLDER}/(v1\.\d+\.0-local-strict/[a-z0-9_-]+\.json)$")


def validate(item: Any, minor: int) -> None:
    """Raise where the minor knows no such object, or a field of it is unknown or wrongly typed."""
    api_version = re.sub(r"^([^./]*)(?:\.[^/]*)?/", r"\1-", item["apiVersion"])
    _validator(minor, f"{item['kind'].lower()}-{api_version}.json").validate(item)


@functools.cache
def _validator(minor: int, name: str) -> Draft4Validator:
    """One schema with all it refers to inside."""
    schema = json.loads(_REFERENCE.sub("#/definitions/", _text(minor, name)))
    kept = {key: value for key, value in schema.items() if key not in ("$id", "$schema")}
    return Draft4Validator({**kept, "definitions": _definitions(minor)})


@functools.cache
def _definitions(minor: int) -> Any:
    shared = json.loads(_REFERENCE.sub("#/definitions/", _text(minor, "_definitions.json")))
    return shared.get("definitions") or shared["$defs"]


def _text(minor: int, name: str) -> str:
    path = f"v1.{minor}.0-local-strict/{name}"
    if minor <= ARCHIVED:
        return _archived()[path].decode()
    return (files("kubernetes_validate") / _FOLDER / path).read_text("utf-8")


@functools.cache
def _archived() -> dict[str, bytes]:
    if not _ARCHIVE.exists():
        reason = f"{_ARCHIVE} is missing; make setup downloads it"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with tarfile.open(_ARCHIVE) as archive:
        found = ((_MEMBER.search(member.name), member) for member in archive)
        return {
            match[1]: file.read()
            for match, member in found
            if match and (file := archive.extractfile(member)) is not None
        }
