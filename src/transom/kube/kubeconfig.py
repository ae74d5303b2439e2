"""Which cluster and user are meant by kubeconfig files, as kubectl reads them.

Of several files the first that names a cluster, a user or a context decides about it
wholly, and the first with a current-context about that; files that are missing are passed over. Paths
in a file are relative to that file. What is wrong is said without repeating any value.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import yaml

from transom.errors import UsageError
from transom.model.records import dataclass

# What kubectl takes where a cluster names none.
_SERVER = "http://localhost:8080"
_HINT = "name one with --kubeconfig, and its context with --context"
_SHOWN = 10


class _Found(NamedTuple):
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


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """A program that gives credentials; `env` is what it is told besides our own environment."""

    api_version: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    install_hint: str = ""


@dataclass(frozen=True, kw_only=True)
class User:
    """Who asks. A certificate and a key are PEM, or the file they stand in."""

    token: str = field(default="", repr=False)
    token_file: str = ""
    username: str = ""
    password: str = field(default="", repr=False)
    certificate: bytes | str = ""
    key: bytes | str = field(default="", repr=False)
    plugin: Plugin | None = None
    provider: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Where the server is, and who it must prove to be: by whom and, where not its address, as whom.

    An authority is PEM or the file it stands in.
    """

    server: str = _SERVER
    authority: bytes | str = ""
    is_insecure: bool = False
    server_name: str = ""
    proxy: str = ""


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """A cluster and its user; `headers` say as whom to act, `folder` is where the user's file lies."""

    context: str
    cluster: Cluster
    user: User = User()
    headers: tuple[tuple[str, str], ...] = ()
    folder: Path = Path()


class _Malformed(Exception):  # noqa: N818 - never leaves this module
    """A key whose value is of another kind than kubectl takes."""


class _Entry:
    """What is said of a cluster or a user; empty values are as good as none."""

    def __init__(self, value: Mapping[str, Any], folder: Path = Path()) -> None:
        self._value = {key: item for key, item in value.items() if item not in ("", None)}
        self._folder = folder

    def text(self, key: str) -> str:
        found = self._value.get(key, "")
        if not isinstance(found, str):
            raise _Malformed(f"{key} is no text")
        return found

    def flag(self, key: str) -> bool:
        found = self._value.get(key, False)
        if not isinstance(found, bool):
            raise _Malformed(f"{key} is neither true nor false")
        return found

    def path(self, key: str) -> str:
        found = self.text(key)
        return str(self._folder / found) if found else ""

    def pem(self, key: str) -> bytes | str:
        """The data, which wins, or the path of a file."""
        try:
            data = base64.b64decode("".join(self.text(f"{key}-data").split()), validate=True)
        except binascii.Error:
            raise _Malformed(f"{key}-data is not base64") from None
        return data or self.path(key)

    def texts(self, key: str) -> tuple[str, ...]:
        found = self._value.get(key, [])
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise _Malformed(f"{key} is no list of texts")
        return tuple(found)

    def mapping(self, key: str) -> Mapping[str, Any] | None:
        found = self._value.get(key)
        if found is not None and not isinstance(found, dict):
            raise _Malformed(f"{key} is no mapping")
        return found

    def entries(self, key: str) -> "Iterator[_Entry]":
        found = self._value.get(key, [])
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            raise _Malformed(f"{key} is no list of mappings")
        yield from (_Entry(item) for item in found)


def choose(files: Sequence[Path], context: str | None = None) -> Chosen:
    """The cluster and user of a context, of the current one where none is named."""
    merged = _Merged(files)
    name = merged.context(context)
    chosen = merged.entry("context", name).value
    cluster = merged.entry("cluster", str(chosen.get("cluster") or ""), of=name)
    user = merged.entry("user", str(chosen.get("user") or ""), of=name)
    try:
        said = _Entry(user.value, user.file.parent)
        return Chosen(
            context=name,
            cluster=_cluster(_Entry(cluster.value, cluster.file.parent)),
            user=_user(said),
            headers=tuple(_headers(said)),
            folder=user.file.parent,
        )
    except _Malformed as error:
        raise merged.wrong(f"what context {name!r} names is malformed: {error}") from None


def _cluster(said: _Entry) -> Cluster:
    return Cluster(
        server=said.text("server") or _SERVER,
        authority=said.pem("certificate-authority"),
        is_insecure=said.flag("insecure-skip-tls-verify"),
        server_name=said.text("tls-server-name"),
        proxy=said.text("proxy-url"),
    )


def _user(said: _Entry) -> User:
    plugin = said.mapping("exec")
    return User(
        token=said.text("token"),
        token_file=said.path("tokenFile"),
        username=said.text("username"),
        password=said.text("password"),
        certificate=said.pem("client-certificate"),
        key=said.pem("client-key"),
        plugin=None if plugin is None else _plugin(_Entry(plugin)),
        provider=said.mapping("auth-provider"),
    )


def _plugin(said: _Entry) -> Plugin:
    return Plugin(
        api_version=said.text("apiVersion"),
        command=said.text("command"),
        args=said.texts("args"),
        env={item.text("name"): item.text("value") for item in said.entries("env")},
        install_hint=said.text("installHint"),
    )


def _headers(said: _Entry) -> Iterator[tuple[str, str]]:
    """How the API server is told as whom to act."""
    yield from (("Impersonate-User", name) for name in (said.text("as"),) if name)
    yield from (("Impersonate-Uid", uid) for uid in (said.text("as-uid"),) if uid)
    yield from (("Impersonate-Group", group) for group in said.texts("as-groups"))
    extra = _Entry(said.mapping("as-user-extra") or {})
    for key in said.mapping("as-user-extra") or {}:
        for value in extra.texts(key):
            yield f"Impersonate-Extra-{quote(str(key), safe='')}", value


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


def _unreadable(file: Path, what: str) -> UsageError:
    return UsageError(f"cannot use the kubeconfig {file}: {what}", subject=str(file), hint=_HINT)
