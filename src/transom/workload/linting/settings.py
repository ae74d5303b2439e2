"""Settings of `transom lint`: `.transom.toml`, found upwards, under options on the command line."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from transom.errors import InvalidDocument, UsageError
from transom.model.problem import Mistake
from transom.model.version import Version

if TYPE_CHECKING:
    from transom.workload.ignore import Ignore
    from transom.workload.paths import ObjectPath

FILE_NAME = ".transom.toml"

_KEYS = {
    "kubernetes": str,
    "windows": list,
    "network-mode": str,
    "fail-on": str,
    "unreadable": str,
    "select": list,
    "disable": list,
    "include": list,
    "exclude": list,
    "baseline": str,
    "mixed": bool,
    "pod-security": str,
    "pod-templates": dict,
    "ignore": list,
    "override": list,
}
# What can be said of some files only; it is about the cluster they go to, and about rules.
_OF_FILES = ("kubernetes", "windows", "network-mode", "pod-security", "mixed", "select", "disable")
_NETWORK_MODES = ("overlay", "l2bridge")
_SEVERITIES = ("error", "warning", "info", "never")
_CHOICES = {
    "network-mode": _NETWORK_MODES,
    "fail-on": _SEVERITIES,
    "unreadable": ("fail", "report"),
    "pod-security": ("privileged", "baseline", "restricted"),
}


class Settings(NamedTuple):
    """What the file says; empty where it says nothing.

    `pod_templates` tells where further kinds keep their pods, such as Rollout at spec.template;
    `overrides` what holds instead for files that match absolute globs.
    """

    file: str = ""
    kubernetes: str = ""
    windows: tuple[str, ...] = ()
    network_mode: str = ""
    fail_on: str = ""
    unreadable: str = ""
    select: tuple[str, ...] = ()
    disable: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    baseline: str = ""
    mixed: bool = False
    pod_security: str = ""
    pod_templates: Mapping[str, "tuple[ObjectPath, ...]"] = {}
    ignores: "tuple[Ignore, ...]" = ()
    overrides: "tuple[tuple[tuple[str, ...], Settings], ...]" = ()


def find(start: str) -> Settings:
    """The settings of the nearest folder upwards that has some.

    Names are handled as text here: pathlib would cost more than all the rest.
    """
    folder = os.path.abspath(start)  # noqa: PTH100 - see above
    while True:
        path = os.path.join(folder, FILE_NAME)  # noqa: PTH118 - same
        if os.path.isfile(path):  # noqa: PTH113 - same
            return read_file(path)
        above = os.path.dirname(folder)  # noqa: PTH120 - same
        if above == folder:
            return Settings()
        folder = above


def read_file(path: str) -> Settings:
    """Read the settings in a file."""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - as in `find`
            text = file.read()
    except OSError as error:
        raise UsageError(
            f"cannot read {path}", subject=path, hint="make it readable, or name another: --config"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"the text of {path} is not UTF-8", subject=path, hint="save the file as UTF-8"
        ) from error
    return read(text, file=path)


def read(text: str, *, file: str) -> Settings:
    """Read the settings; raise InvalidDocument with every mistake in them."""
    import tomllib

    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidDocument([Mistake(str(error), file=file)], subject=file) from None
    table = whole.get("lint", {})
    found = [(key, f"there is no table `{key}`") for key in whole if key != "lint"]
    found += _mistakes(table)
    mistakes = [_placed(message, key, text, file) for key, message in found]
    if mistakes:
        raise InvalidDocument(mistakes, subject=file, hint="docs/lint.md lists the settings")
    settings = _about_files(Settings(), table)._replace(
        file=file,
        fail_on=table.get("fail-on", ""),
        unreadable=table.get("unreadable", ""),
        include=tuple(_absolute_glob(str(path), file) for path in table.get("include", ())),
        exclude=tuple(_absolute_glob(str(path), file) for path in table.get("exclude", ())),
        baseline=_beside(file, table["baseline"]) if "baseline" in table else "",
        pod_templates={
            kind: (_template(path),) for kind, path in table.get("pod-templates", {}).items()
        },
        ignores=tuple(_ignores(table.get("ignore", []), text, file)),
    )
    return settings._replace(
        overrides=tuple(
            (
                tuple(_absolute_glob(path, file) for path in entry["paths"]),
                _about_files(settings, entry),
            )
            for entry in table.get("override", [])
        )
    )


def _about_files(under: Settings, table: Mapping[str, Any]) -> Settings:
    """Settings with what a table says of files; rules that are switched off stay so."""
    return under._replace(
        kubernetes=table.get("kubernetes", under.kubernetes),
        windows=tuple(map(str, table.get("windows", under.windows))),
        network_mode=table.get("network-mode", under.network_mode),
        pod_security=table.get("pod-security", under.pod_security),
        mixed=table.get("mixed", under.mixed),
        select=tuple(map(str, table.get("select", under.select))),
        disable=(*under.disable, *map(str, table.get("disable", ()))),
    )


def _beside(file: str, name: str) -> str:
    folder = os.path.dirname(file)  # noqa: PTH120 - as in `find`
    return os.path.join(folder, name)  # noqa: PTH118 - same


def _mistakes(table: Any) -> list[tuple[str, str]]:
    if not isinstance(table, dict):
        return [("lint", "`lint` must be a table")]
    found = _wrong_keys(table, _KEYS)
    for kind, path in _table(table.get("pod-templates")).items():
        if not _is_template(path):
            found.append((kind, f"{path!r} is no path such as spec.template"))
    found += (
        ("[lint.ignore]", "an ignore has a list `rules`, a list `paths` and a text `reason`")
        for entry in _list(table.get("ignore"))
        if not _is_ignore(entry)
    )
    for entry in _list(table.get("override")):
        found += _wrong_override(entry)
    return found


def _wrong_override(entry: Any) -> list[tuple[str, str]]:
    paths = _table(entry).get("paths")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        return [("[lint.override]", "an override has a list `paths`")]
    keys = {key: _KEYS[key] for key in _OF_FILES}
    return _wrong_keys({key: entry[key] for key in entry if key != "paths"}, keys)


def _wrong_keys(table: Mapping[str, Any], keys: Mapping[str, type]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, value in table.items():
        wanted = keys.get(key)
        if wanted is None:
            found.append((key, f"there is no setting `{key}`"))
        elif not isinstance(value, wanted):
            found.append((key, f"`{key}` must be a {wanted.__name__}"))
        elif key in _CHOICES and value not in _CHOICES[key]:
            found.append((key, f"`{key}` must be one of {', '.join(_CHOICES[key])}"))
        else:
            found += ((key, message) for message in _wrong_values(key, value))
    return found


def _wrong_values(key: str, value: Any) -> Iterator[str]:
    match key:
        case "kubernetes":
            try:
                Version.parse(value)
            except ValueError:
                yield f"{value!r} is no Kubernetes version such as 1.30"
        case "windows":
            from transom.workload.context import build_of_release

            for release in map(str, value):
                if build_of_release(release) is None:
                    yield f"{release!r} is no known Windows release"
        case "disable" | "select":
            for rule in unknown_rules(value):
                yield f"there is no rule {rule}"


def unknown_rules(written: Iterable[Any]) -> list[str]:
    """Those of the names that are neither an id, nor the beginning of one, nor a family."""
    from transom.workload.catalogue import known_ids
    from transom.workload.families import meant_by

    return meant_by(map(str, written), known_ids())[1]


def rules_without(select: Sequence[str], disable: Sequence[str]) -> frozenset[str]:
    """The ids that are not run: those that are not selected, where some are, and those disabled."""
    if not (select or disable):
        return frozenset()
    from transom.workload.catalogue import known_ids
    from transom.workload.families import meant_by

    known = known_ids()
    selected = meant_by(select, known)[0] if select else known
    return (known - selected) | meant_by(disable, known)[0]


def _is_ignore(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and {"rules", "paths", "reason"} == set(entry)
        and isinstance(entry["reason"], str)
        and all(
            isinstance(entry[key], list) and all(isinstance(text, str) for text in entry[key])
            for key in ("rules", "paths")
        )
    )


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
            entry["reason"].strip(),
            file,
            lines[number] if number < len(lines) else 1,
            1,
            globs=tuple(_absolute_glob(path, file) for path in entry["paths"]),
        )
        for number, entry in enumerate(entries)
        for rule in entry["rules"]
    ]


def _absolute_glob(path: str, file: str) -> str:
    """What is meant by a glob beside the settings, from wherever the command runs."""
    from glob import escape

    from transom.workload.ignore import absolute

    if path.startswith("/"):
        return path
    folder = absolute(os.path.dirname(file))  # noqa: PTH120 - as in `find`
    return f"{escape(folder)}/{path.removeprefix('./')}"


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _placed(message: str, key: str, text: str, file: str) -> Mistake:
    numbered = enumerate(text.split("\n"), start=1)
    line = next((number for number, line in numbered if key in line), 1)
    return Mistake(message, path=key, line=line, column=1, file=file)
