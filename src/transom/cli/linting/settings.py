"""Settings of `transom lint`: `.transom.toml`, found upwards, under options on the command line."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from transom.errors import InvalidDocument
from transom.model.problem import Mistake

if TYPE_CHECKING:
    from transom.workload.ignore import Ignore
    from transom.workload.paths import ObjectPath

FILE_NAME = ".transom.toml"

_KEYS = {
    "kubernetes": str,
    "windows": list,
    "network-mode": str,
    "fail-on": str,
    "disable": list,
    "baseline": str,
    "mixed": bool,
    "pod-security": str,
    "pod-templates": dict,
    "ignore": list,
}
_NETWORK_MODES = ("overlay", "l2bridge")
_SEVERITIES = ("error", "warning", "info", "never")
_CHOICES = {
    "network-mode": _NETWORK_MODES,
    "fail-on": _SEVERITIES,
    "pod-security": ("privileged", "baseline", "restricted"),
}


class Settings(NamedTuple):
    """What the file says; empty where it says nothing.

    `pod_templates` tells where further kinds keep their pods, such as Rollout at spec.template.
    """

    file: str = ""
    kubernetes: str = ""
    windows: tuple[str, ...] = ()
    network_mode: str = ""
    fail_on: str = ""
    disable: tuple[str, ...] = ()
    baseline: str = ""
    mixed: bool = False
    pod_security: str = ""
    pod_templates: Mapping[str, "tuple[ObjectPath, ...]"] = {}
    ignores: "tuple[Ignore, ...]" = ()


def find(start: str) -> Settings:
    """The settings of the nearest folder upwards that has some.

    Names are handled as text here: pathlib would cost more than all the rest.
    """
    folder = os.path.abspath(start)  # noqa: PTH100 - see above
    while True:
        path = os.path.join(folder, FILE_NAME)  # noqa: PTH118 - same
        if os.path.isfile(path):  # noqa: PTH113 - same
            with open(path, encoding="utf-8") as file:  # noqa: PTH123 - same
                return read(file.read(), file=path)
        above = os.path.dirname(folder)  # noqa: PTH120 - same
        if above == folder:
            return Settings()
        folder = above


def read(text: str, *, file: str) -> Settings:
    """Read the settings; raise InvalidDocument with every mistake in them."""
    import tomllib

    try:
        table = tomllib.loads(text).get("lint", {})
    except tomllib.TOMLDecodeError as error:
        raise InvalidDocument([Mistake(str(error), file=file)], subject=file) from error
    mistakes = [_placed(message, key, text, file) for key, message in _mistakes(table)]
    if mistakes:
        raise InvalidDocument(mistakes, subject=file, hint="docs/lint.md lists the settings")
    return Settings(
        file=file,
        kubernetes=table.get("kubernetes", ""),
        windows=tuple(map(str, table.get("windows", ()))),
        network_mode=table.get("network-mode", ""),
        fail_on=table.get("fail-on", ""),
        disable=tuple(map(str, table.get("disable", ()))),
        baseline=_beside(file, table["baseline"]) if "baseline" in table else "",
        mixed=table.get("mixed", False),
        pod_security=table.get("pod-security", ""),
        pod_templates={
            kind: (_template(path),) for kind, path in table.get("pod-templates", {}).items()
        },
        ignores=tuple(_ignores(table.get("ignore", []), text, file)),
    )


def _beside(file: str, name: str) -> str:
    folder = os.path.dirname(file)  # noqa: PTH120 - as in `find`
    return os.path.join(folder, name)  # noqa: PTH118 - same


def _mistakes(table: Any) -> list[tuple[str, str]]:
    if not isinstance(table, dict):
        return [("lint", "`lint` must be a table")]
    found = []
    for key, value in table.items():
        wanted = _KEYS.get(key)
        if wanted is None:
            found.append((key, f"there is no setting `{key}`"))
        elif not isinstance(value, wanted):
            found.append((key, f"`{key}` must be a {wanted.__name__}"))
        elif key in _CHOICES and value not in _CHOICES[key]:
            found.append((key, f"`{key}` must be one of {', '.join(_CHOICES[key])}"))
    for kind, path in _table(table.get("pod-templates")).items():
        if not _is_template(path):
            found.append((kind, f"{path!r} is no path such as spec.template"))
    found += (
        ("[lint.ignore]", "an ignore has `rules`, `paths` and `reason`")
        for entry in _list(table.get("ignore"))
        if not (isinstance(entry, dict) and {"rules", "paths", "reason"} == set(entry))
    )
    return found


def _is_template(path: Any) -> bool:
    from transom.workload.paths import parse

    try:
        return isinstance(path, str) and all(isinstance(step, str) for step in parse(path))
    except ValueError:
        return False


def _template(path: str) -> "ObjectPath":
    from transom.workload.paths import parse

    return tuple(str(step) for step in parse(path))


def _ignores(entries: list[dict[str, Any]], text: str, file: str) -> "list[Ignore]":
    from transom.workload.ignore import Ignore

    lines = [
        number for number, line in enumerate(text.split("\n"), start=1) if "[[lint.ignore]]" in line
    ]
    return [
        Ignore(
            rule,
            str(entry["reason"]).strip(),
            file,
            lines[number] if number < len(lines) else 1,
            1,
            globs=tuple(map(str, _list(entry["paths"]))),
        )
        for number, entry in enumerate(entries)
        for rule in map(str, _list(entry["rules"]))
    ]


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _placed(message: str, key: str, text: str, file: str) -> Mistake:
    numbered = enumerate(text.split("\n"), start=1)
    line = next((number for number, line in numbered if key in line), 1)
    return Mistake(message, path=key, line=line, column=1, file=file)
