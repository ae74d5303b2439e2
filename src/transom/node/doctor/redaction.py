"""Takes secrets out of text that leaves a host: tokens, keys, passwords, proxies with credentials.

Used on everything that is observed or collected. A secret is known by the key it stands under, by
its form, or because it was met under such a key elsewhere: `learn` all texts first, then `clean`.
Rather too much is removed than too little.
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
_BLOCK = re.compile(
    rf"(?im)^(?P<indent>[ \t]*(?:- )?)[\"']?(?:{_SECRETS})[\"']?[ \t]*:[ \t]*(?P<style>[|>][+-]?\d?)?[ \t]*"
    rf"(?P<value>[^\s\"'{{\[].*)?$"
)
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
        """Remember the values that stand under secret keys."""
        for pattern in (_LINE, _KEYED, _FLAG):
            for match in pattern.finditer(text):
                value = match["value"].strip(_QUOTES)
                if len(value) >= _SHORTEST and not _HARMLESS.fullmatch(value):
                    self.known.add(value)

    def clean(self, text: str) -> str:
        """The text without its secrets."""
        text = _PEM_END.sub(MARK, _PEM.sub(MARK, text))
        text = _ENCODED_PEM.sub(_encoded, text)
        text = _blocks(text)
        for pattern in (_LINE, _KEYED, _FLAG):
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


def _blocks(text: str) -> str:
    """YAML's values of several lines: the deeper lines below the key."""
    kept: list[str] = []
    depth: int | None = None
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" \t"))
        if depth is not None and line.strip() and indent > depth:
            continue
        depth = None
        match = _BLOCK.match(line)
        if match is not None and (match["style"] or match["value"]):
            depth = len(match["indent"])
        styled = match is not None and match["style"] and not match["value"]
        kept.append(line[: match.start("style")] + MARK if match and styled else line)
    return "\n".join(kept)
