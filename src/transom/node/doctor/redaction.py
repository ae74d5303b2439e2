"""Takes secrets out of text that leaves a host: tokens, keys, passwords, proxies with credentials.

Used on everything that is printed or collected. A secret is known by the key it stands under, by
its form, or because it was met under such a key in a configuration: `learn` those first, then `clean`.
Never `learn` a log: in its prose the word behind `token:` is any word, which would then be removed
everywhere. Rather too much is removed than too little.
"""

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import Any

MARK = "[removed]"
_SECRETS = (
    r"[\w.\-]*(?:password|passwd|passphrase|token|secret|credential|client-key-data|private[-_]?key"
    r"|api[-_]?key|access[-_]?key|certificate[-_]?key|account[-_]?key|dockerconfigjson|dockercfg)[\w.\-]*"
    r"|[\w\-]*signature|auth|pwd|sig|x-ms-sas"
)
# A text in quotes, which may be part of a longer one and have its own quotes marked as such.
_QUOTED = r"""(?P<escaped>\\+["'])(?:(?!(?P=escaped)).)*(?P=escaped)
    | \"{3}(?:(?!\"{3})[\s\S])*\"{3} | '{3}(?:(?!'{3})[\s\S])*'{3} | "(?:[^"\\]|\\.)*" | '[^']*'"""
_KEYED = re.compile(
    rf"""(?ix) (?P<head> (?<![\w.\-]) (?P<quote>(?:\\*["'])?) (?:{_SECRETS}) (?P=quote) \s* [:=] \s* )
    (?P<value> (?!\[removed\]) (?: {_QUOTED} | (?:[^\s,;&}}\]"'\\]|\\(?!["']))+ ) )"""
)
_NAME = re.compile(rf"(?i){_SECRETS}")
_FLAG = re.compile(
    rf"""(?ix) (?P<head> (?<![\w.\-])--?(?:{_SECRETS}) (?: (?:\\*["'])?\s*,\s* | \s+ ) )
    (?P<value> (?!\[removed\]) (?: {_QUOTED} | (?!-)(?:[^\s"'\\]|\\(?!["']))+ ) )"""
)
_WHOLE_FLAG = re.compile(rf"(?i)--?(?:{_SECRETS})")
_LINE = re.compile(
    rf"""(?imx) ^ (?P<head> [ \t]*(?:-[ ])? ["']?(?:{_SECRETS})["']? [ \t]*[:=][ \t]* )
    (?P<value> [^\s"'|>{{\[\\] .* ) $"""
)
_KEYS = (_LINE, _KEYED, _FLAG)
_BLOCK = re.compile(
    rf"(?im)^(?P<indent>[ \t]*(?:- )?)[\"']?(?:{_SECRETS})[\"']?[ \t]*:[ \t]*(?P<style>[|>][+-]?\d?)?[ \t]*"
    rf"(?P<value>[^\s\"'{{\[].*)?$"
)
_MAPPING = re.compile(r"""[ \t]*(?:-[ ])?(?:"[^"]*"|'[^']*'|[\w.\-/]+)[ \t]*:(?:\s|$)""")
_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
# The end of a key whose beginning the end of a long log does not have.
_PEM_END = re.compile(
    r"\A(?:(?!-----BEGIN).){0,16384}?-----END [A-Z0-9 ]*PRIVATE KEY-----", re.DOTALL
)
_HARMLESS = re.compile(
    r"(?i)true|false|null|none|\d{1,7}|\[removed\]|[a-z]:[\\/].*|\\\\.*|[|>][+-]?"
    r"|/(?:etc|home|k|opt|root|run|secrets|tmp|usr|var)/.*"
)
_FORMS = (
    (re.compile(r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b"), MARK),  # a bootstrap token
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?"), MARK),  # a JSON web token
    (re.compile(r"(?i)\b(bearer|basic|negotiate)\s+(?!realm)[\w.~+/=-]{6,}"), rf"\1 {MARK}"),
    (re.compile(r"://[^\s\"'<>]*@(?!sha256:)"), f"://{MARK}@"),
    (re.compile(rf"(?i)(<(?:{_SECRETS})(?:\s[^<>]*)?>)[^<]+"), rf"\1{MARK}"),
)
_ENCODED_PEM = re.compile(
    r"LS0tLS1CRUdJTi[A-Za-z0-9+/=]+(?:\r?\n[ \t]*[A-Za-z0-9+/=]{4,}(?=[ \t]*(?:\r?\n|\Z)))*"
)
_SHORTEST = 6
_QUOTES = "\\\"'"


@dataclass(slots=True)
class Redactor:
    """Removes secrets; what it has learnt in one text it removes from all."""

    known: set[str] = field(default_factory=set)

    def learn(self, text: str) -> None:
        """Remember the values that stand under secret keys of a configuration."""
        found = [match["value"] for pattern in _KEYS for match in pattern.finditer(text)]
        for value in (*found, *_without_blocks(text)[1]):
            bare = value.strip(_QUOTES)
            if len(bare) >= _SHORTEST and not _HARMLESS.fullmatch(bare):
                self.known.add(bare)

    def clean(self, text: str) -> str:
        """The text without its secrets."""
        text = _PEM_END.sub(MARK, _PEM.sub(MARK, text))
        text = _ENCODED_PEM.sub(_encoded, text)
        text, _ = _without_blocks(text)
        for pattern in _KEYS:
            text = pattern.sub(_keyed, text)
        for pattern, replacement in _FORMS:
            text = pattern.sub(replacement, text)
        for secret in sorted(self.known, key=len, reverse=True):
            text = text.replace(secret, MARK)
        return text

    def clean_tree(self, value: Any) -> Any:
        """A JSON value with every text in it cleaned; keys that name a secret lose their value."""
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, list):
            before = [None, *value]
            return [self._item(*pair) for pair in zip(before, value, strict=False)]
        if isinstance(value, dict):
            return {key: self._member(key, item) for key, item in value.items()}
        return value

    def _item(self, before: Any, value: Any) -> Any:
        """A word of a list; behind a flag that takes a secret it is one."""
        if isinstance(before, str) and isinstance(value, str) and _WHOLE_FLAG.fullmatch(before):
            return value if _HARMLESS.fullmatch(value) else MARK
        return self.clean_tree(value)

    def _member(self, key: str, value: Any) -> Any:
        if isinstance(value, str) and value and _NAME.fullmatch(key):
            return value if _HARMLESS.fullmatch(value) else MARK
        return self.clean_tree(value)


def _keyed(match: re.Match[str]) -> str:
    value = match["value"]
    bare = value.strip(_QUOTES)
    if not bare or _HARMLESS.fullmatch(bare):
        return match[0]
    quote = value[: len(value) - len(value.lstrip(_QUOTES))]
    return f"{match['head']}{quote}{MARK}{quote}"


def _encoded(match: re.Match[str]) -> str:
    text = "".join(match[0].split())
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        return MARK
    return MARK if b"PRIVATE KEY" in decoded else match[0]


def _without_blocks(text: str) -> tuple[str, list[str]]:
    """A text without the lines below secret keys that YAML takes for their values, and those lines.

    A value may be a block (`|`), go on in deeper lines, begin on the next line, or be a list there.
    """
    kept: list[str] = []
    removed: list[str] = []
    key: re.Match[str] | None = None
    for line in text.split("\n"):
        if key is not None and _is_value_of(key, line):
            removed.append(line.strip().removeprefix("- "))
            if not (key["style"] or key["value"]) and not kept[-1].endswith(MARK):
                kept[-1] = f"{kept[-1].rstrip()} {MARK}"
            continue
        if line.strip():
            key = _BLOCK.match(line)
        is_block = key is not None and key["style"] and not key["value"] and line.strip()
        kept.append(line[: key.start("style")] + MARK if key and is_block else line)
    return "\n".join(kept), removed


def _is_value_of(key: re.Match[str], line: str) -> bool:
    indent = len(line) - len(line.lstrip(" \t"))
    depth = len(key["indent"])
    if not line.strip():
        return False
    if key["style"] or key["value"]:
        return indent > depth
    is_item = line.lstrip(" \t").startswith("- ") and indent >= depth
    return (indent > depth or is_item) and not _MAPPING.match(line)
