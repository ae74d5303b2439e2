"""Everything in an image's folder that can be judged without packer: every mistake at once. Pure."""

import configparser
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from transom.facts import rows
from transom.facts.imaging import AnswerSetting, BootPlugin, BootSetting
from transom.image.packer.answers import NAMESPACE
from transom.image.packer.configuration import SERVICE, SPECIALIZE
from transom.image.packer.plan import FOLDER, TEMPLATE, VALUES
from transom.model.codec import decode
from transom.model.problem import Mistake
from transom.model.request import Request

Files = Mapping[str, bytes]

ANSWERS = (f"{FOLDER}/autounattend.xml", f"{FOLDER}/unattend.xml")
_SUM = re.compile(r"[0-9a-f]{64}")
_USED = re.compile(r"\$\{path\.root\}/([\w./-]+)")
_SECRETS = (
    ("a private key", re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    ("a bootstrap token", re.compile(rb"(?<![\w.])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.])")),
)
_PASSWORDS = ("Password", "AdministratorPassword")
_BEFORE_BOOT_DATA = ("SetHostNamePlugin", "NetworkConfigPlugin")


def mistakes_of(files: Files) -> list[Mistake]:
    """What is wrong with the folder."""
    found = [*_missing(files), *_secrets(files)]
    document = _json(files, TEMPLATE, found)
    values = _json(files, VALUES, found)
    if isinstance(document, dict) and isinstance(values, dict):
        found += _variables(document, values)
        found += _sensitive(document, files)
    found += _request(files)
    for name in ANSWERS:
        if name in files:
            found += _answers(name, files[name])
    for name in (SERVICE, SPECIALIZE):
        path = f"{FOLDER}/{name}"
        if path in files:
            found += _configuration(path, files[path], specialize=name == SPECIALIZE)
    return found


def _json(files: Files, name: str, found: list[Mistake]) -> Any:
    try:
        return json.loads(files[name]) if name in files else None
    except ValueError as error:
        found.append(Mistake(f"is no JSON: {error}", file=name))
        return None


def _missing(files: Files) -> Iterator[Mistake]:
    wanted = [TEMPLATE, VALUES]
    used = _USED.findall(files.get(TEMPLATE, b"").decode("utf-8", "replace"))
    for name in dict.fromkeys((*wanted, *used)):
        if name not in files:
            yield Mistake("is missing", file=name, hint="render the folder again")


def _variables(document: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[Mistake]:
    """The lock is complete: every address has a sum, and the other way round."""
    declared = document.get("variable", {})
    for name in declared:
        stem, _, kind = name.rpartition("_")
        partner = {"url": f"{stem}_sha256", "sha256": f"{stem}_url"}.get(kind)
        if partner is None or (kind == "url" and stem == "iso"):
            continue
        if partner not in declared and kind == "sha256":
            yield Mistake("is a sum of nothing", path=name, file=TEMPLATE)
        if partner not in declared and name in values:
            yield Mistake("has no SHA-256 beside it", path=name, file=TEMPLATE)
        if kind == "sha256" and not _SUM.fullmatch(str(values.get(name, ""))):
            hint = "pin it with `transom lock`, then render again"
            yield Mistake("is no SHA-256", path=name, file=VALUES, hint=hint)
        if kind == "url" and name in values and urlsplit(str(values[name])).password:
            hint = "give credentials by headers of a mirror, never in an address"
            yield Mistake("has a password in it", path=name, file=VALUES, hint=hint)
    for name in values:
        if name not in declared:
            yield Mistake("is a value of no variable", path=name, file=VALUES)


def _sensitive(document: Mapping[str, Any], files: Files) -> Iterator[Mistake]:
    secret = {
        name for name, given in document.get("variable", {}).items() if given.get("sensitive")
    }
    for file, content in files.items():
        if file.endswith(".pkrvars.json"):
            try:
                given = json.loads(content)
            except ValueError:
                continue
            for name in secret.intersection(given):
                hint = f"take it out and set PKR_VAR_{name} in the environment"
                yield Mistake("is a secret in a file", path=name, file=file, hint=hint)


def _secrets(files: Files) -> Iterator[Mistake]:
    for file, content in files.items():
        for what, pattern in _SECRETS:
            if not file.endswith(".pyz") and pattern.search(content):
                yield Mistake(f"has {what} in it", file=file, hint="an image is no place for it")


def _request(files: Files) -> Iterator[Mistake]:
    name = f"{FOLDER}/request.json"
    if name not in files:
        return
    try:
        request = decode(Request, json.loads(files[name]))
    except ValueError as error:
        yield Mistake(f"is no request: {error}", file=name)
        return
    if request.join is not None or request.access.headers:
        yield Mistake("has a secret in it", file=name, hint="an image is no place for it")
    for field, value in (
        ("recipe.identity.name", request.recipe.identity.name),
        ("recipe.identity.address", request.recipe.identity.address),
    ):
        if value:
            yield Mistake(f"is {value}, which every copy would have", path=field, file=name)


def _answers(name: str, content: bytes) -> Iterator[Mistake]:
    try:
        root = ET.fromstring(content)  # noqa: S314 - a file of the user's own folder
    except ET.ParseError as error:
        yield Mistake(f"is no XML: {error}", file=name)
        return
    if root.tag != f"{{{NAMESPACE}}}unattend":
        yield Mistake(f"is no answer file: its root is {root.tag}", file=name)
        return
    known = {row.component: row for row in rows.read(AnswerSetting)}
    passes = Counter(item.get("pass", "") for item in root)
    for twice in (item for item, count in passes.items() if count > 1):
        yield Mistake("is there twice", path=twice, file=name)
    for settings in root:
        step = settings.get("pass", "")
        for component in settings:
            title = component.get("name", "")
            path = f"{step}.{title}"
            row = known.get(title)
            if row is None:
                yield Mistake("is no component that the facts know", path=path, file=name)
                continue
            if step not in row.passes:
                hint = f"it belongs to {', '.join(row.passes)}"
                yield Mistake("is not for this pass", path=path, file=name, hint=hint)
            for setting in component:
                if _plain(setting) not in row.settings:
                    yield Mistake(
                        "is no setting of its component",
                        path=f"{path}.{_plain(setting)}",
                        file=name,
                    )
    yield from _passwords(name, root)


def _passwords(name: str, root: ET.Element) -> Iterator[Mistake]:
    for element in root.iter():
        if _plain(element) in _PASSWORDS:
            value = element.find(f"{{{NAMESPACE}}}Value")
            if value is not None and not (value.text or "").startswith("${"):
                hint = "let packer make it: ${administrator_password}"
                yield Mistake("is a password in a file", path=_plain(element), file=name, hint=hint)


def _plain(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _configuration(name: str, content: bytes, *, specialize: bool) -> Iterator[Mistake]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(content.decode())
    except (configparser.Error, UnicodeDecodeError) as error:
        yield Mistake(f"cannot be read: {error}", file=name)
        return
    settings = parser.defaults()
    known = {row.name for row in rows.read(BootSetting)} | {"metadata_services", "plugins"}
    for key in settings:
        if key not in known:
            yield Mistake("is a setting that the facts do not know", path=key, file=name)
    if not settings.get("metadata_services"):
        yield Mistake("names nobody to ask for boot data", path="metadata_services", file=name)
    wanted = "false" if specialize else "true"
    if settings.get("allow_reboot") != wanted:
        why = "setup is cut short" if specialize else "boot data can ask for no restart"
        yield Mistake(f"is not {wanted}: {why}", path="allow_reboot", file=name)
    yield from _order(name, settings.get("plugins", ""), specialize=specialize)


def _order(name: str, listed: str, *, specialize: bool) -> Iterator[Mistake]:
    plugins = [item.strip() for item in listed.split(",") if item.strip()]
    known = {row.name for row in rows.read(BootPlugin)}
    for plugin, count in Counter(plugins).items():
        if count > 1:
            yield Mistake("runs twice", path=plugin, file=name)
        if plugin not in known:
            yield Mistake("is a plugin that the facts do not know", path=plugin, file=name)
    if specialize:
        return
    places = {plugin.rpartition(".")[2]: number for number, plugin in enumerate(plugins)}
    boot_data = places.get("UserDataPlugin")
    if boot_data is None:
        yield Mistake("has no UserDataPlugin: nothing would join", path="plugins", file=name)
        return
    for earlier in _BEFORE_BOOT_DATA:
        if places.get(earlier, -1) > boot_data:
            hint = "put it before UserDataPlugin"
            yield Mistake("comes after the join", path=earlier, file=name, hint=hint)
