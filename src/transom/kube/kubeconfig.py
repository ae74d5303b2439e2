"""Which cluster and user are meant by kubeconfig files, as kubectl reads them.

Used by `client`. Of several files the first that names a cluster, a user or a context decides about it
wholly, and the first with a current-context about that; files that are missing are passed over. Paths
in a file are relative to that file. What is wrong is said without repeating any value.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import yaml
from lightkube.config.kubeconfig import SingleConfig
from lightkube.config.models import Cluster, Context, User

from transom.errors import UsageError
from transom.model.records import dataclass

_PATHS = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
_HINT = "name one with --kubeconfig, and its context with --context"
_SHOWN = 10


class _Found(msgspec.Struct):
    """An entry of a list, and the file it stands in."""

    value: Mapping[str, Any]
    file: Path


class _Merged:
    """All files as one."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.named = ", ".join(str(file) for file in files)
        self.current = ""
        self._lists: dict[str, dict[str, _Found]] = {"cluster": {}, "context": {}, "user": {}}
        there = [file for file in files if file.is_file()]
        if not there:
            raise self.wrong("there is no such file")
        for file in there:
            self._add(file, _document(file))

    def _add(self, file: Path, document: Mapping[str, Any]) -> None:
        self.current = self.current or str(document.get("current-context") or "")
        for kind, known in self._lists.items():
            for name, value in _entries(file, document, kind):
                known.setdefault(name, _Found(value, file))

    def wrong(self, what: str) -> UsageError:
        """Why no cluster comes of these files."""
        return UsageError(
            f"cannot use the kubeconfig {self.named}: {what}", subject=self.named, hint=_HINT
        )

    def context(self, name: str | None) -> str:
        """The name of the context that is meant."""
        known = self._lists["context"]
        chosen = name or self.current
        if chosen in known:
            return chosen
        shown = ", ".join(sorted(known)[:_SHOWN]) or "none"
        said = f"there is no context {chosen!r}" if chosen else "it has no current-context"
        raise self.wrong(f"{said}; its contexts: {shown}")

    def entry(self, kind: str, name: str, *, of: str = "") -> _Found:
        """What is said of a name."""
        if name not in self._lists[kind]:
            said = f"the {kind} {name!r}, which is not there" if name else f"no {kind}"
            raise self.wrong(f"context {of!r} names {said}")
        return self._lists[kind][name]


class _Way(msgspec.Struct):
    """What a cluster's entry says of the way there, besides what lightkube knows."""

    proxy: str | None = msgspec.field(name="proxy-url", default=None)
    server_name: str = msgspec.field(name="tls-server-name", default="")


class _Role(msgspec.Struct):
    """As whom a user acts."""

    user: str = msgspec.field(name="as", default="")
    uid: str = msgspec.field(name="as-uid", default="")
    groups: list[str] = msgspec.field(name="as-groups", default_factory=list)
    extra: dict[str, list[str]] = msgspec.field(name="as-user-extra", default_factory=dict)

    def headers(self) -> Iterator[tuple[str, str]]:
        """How the API server is told."""
        yield from (("Impersonate-User", name) for name in (self.user,) if name)
        yield from (("Impersonate-Uid", uid) for uid in (self.uid,) if uid)
        yield from (("Impersonate-Group", group) for group in self.groups)
        for key, values in self.extra.items():
            yield from ((f"Impersonate-Extra-{quote(key, safe='')}", value) for value in values)


@dataclass(frozen=True)
class Chosen:
    """What lightkube is told, and what it does not know.

    `server_name` is who the server must prove to be, where that is not its address; `headers` say as
    whom to act.
    """

    config: SingleConfig
    proxy: str | None
    server_name: str
    headers: tuple[tuple[str, str], ...]


def choose(files: Sequence[Path], context: str | None = None) -> Chosen:
    """The cluster and user of a context, of the current one where none is named."""
    merged = _Merged(files)
    name = merged.context(context)
    chosen = merged.entry("context", name).value
    cluster = merged.entry("cluster", str(chosen.get("cluster") or ""), of=name)
    user = merged.entry("user", str(chosen.get("user") or ""), of=name)
    try:
        config = SingleConfig(
            context_name=name,
            context=msgspec.convert(chosen, Context),
            cluster=msgspec.convert(_placed(cluster), Cluster),
            user=msgspec.convert(_placed(user), User),
            fname=user.file,
        )
        way = msgspec.convert(_placed(cluster), _Way)
        headers = tuple(msgspec.convert(_placed(user), _Role).headers())
        return Chosen(config, way.proxy, way.server_name, headers)
    except msgspec.ValidationError as error:
        raise merged.wrong(f"what context {name!r} names is malformed: {error}") from error


def _document(file: Path) -> Mapping[str, Any]:
    try:
        document = yaml.safe_load(file.read_bytes())
    except OSError as error:
        raise _unreadable(file, error.strerror or "it cannot be read") from error
    except yaml.MarkedYAMLError as error:
        # Its own text repeats lines of the file.
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise _unreadable(file, f"it is no YAML: {error.problem}{line}") from None
    except (yaml.YAMLError, ValueError):
        raise _unreadable(file, "it is no YAML") from None
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise _unreadable(file, "it is no kubeconfig")
    return document


def _entries(
    file: Path, document: Mapping[str, Any], kind: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    listed = document.get(f"{kind}s") or []
    if not isinstance(listed, list):
        raise _unreadable(file, f"its {kind}s are no list")
    for item in listed:
        value = item.get(kind) if isinstance(item, dict) else None
        if not isinstance(item, dict) or not isinstance(value or {}, dict) or not item.get("name"):
            raise _unreadable(file, f"an entry of its {kind}s has no name, or is no {kind}")
        yield str(item["name"]), value or {}


def _placed(found: _Found) -> dict[str, Any]:
    """The entry with its paths in full, and without what is empty."""
    given = {key: value for key, value in found.value.items() if value not in ("", None)}
    folder = found.file.parent
    return {
        key: str(folder / value) if key in _PATHS and isinstance(value, str) else value
        for key, value in given.items()
    }


def _unreadable(file: Path, what: str) -> UsageError:
    return UsageError(f"cannot use the kubeconfig {file}: {what}", subject=str(file), hint=_HINT)
