"""Secrets written into a document: found wherever they stand, and never repeated.

Called for every document before anything about its values is said. It errs on the side of finding:
a document has no place for a secret, so a word that looks like one is better written elsewhere.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from transom.model.problem import Mistake
from transom.model.records import dataclass
from transom.spec.fault import Fault, Path

_ELSEWHERE = (
    "Remove it, and say where it is instead: `credentials` and `bootstrapToken` of a Client take "
    "`file`, `env`, `command` or `secretRef`. If the file was shared, replace the secret."
)
_WITHOUT = "Write the URL without it. If the file was shared, replace the secret."
MASK = "(secret)"
# A mask in place of every `1` or `on` would only garble the message.
_SHORTEST_MASKED = 4

_SECRET_KEY = re.compile(
    r"(password|passwd|passphrase|pwd|token|secret|apikey|accesskey|secretkey|privatekey|sharedkey)$"
)
_SECRET_WORD = r"(?:password|passwd|passphrase|token|client[-_]?secret|api[-_]?key|access[-_]?key)"  # noqa: S105 - the words that announce a secret
_ASSIGNED = re.compile(rf"(?i)(?:^|[^a-z0-9]){_SECRET_WORD}=[^\s<$]")
_OPTION = re.compile(rf"(?i)(?:--?|/){_SECRET_WORD}")
_BOOTSTRAP_TOKEN = re.compile(
    r"(?<![A-Za-z0-9./_-])[a-z0-9]{6}\.(?=[a-z]*[0-9])[a-z0-9]{16}(?![A-Za-z0-9./_-])"
)
_WHOLE_TOKEN = re.compile(r"[a-z0-9]{6}\.[a-z0-9]{16}")
# Where names and paths stand, six letters, a dot and sixteen letters may well be one.
_NAMES = frozenset(
    {"address", "bundle", "dnsSuffix", "endpoint", "file", "jump", "kubeconfig", "name", "noProxy"}
)
_URL_USER = re.compile(r"://[^/?#\s@]*@")
_URL_QUERY = re.compile(
    r"(?i)[?&;](?:sig|signature|x-amz-signature|x-goog-signature|[a-z_-]{0,32}?"
    rf"{_SECRET_WORD})=[^&\s]"
)
# A user and a password before a host; an image's tag before its digest is none.
_USER_PASSWORD = re.compile(r"(?:^|[\s/])[^\s/@:]+:[^\s/@]+@(?!sha\d+:)[A-Za-z0-9\[]")
_LOOKS = (
    (_USER_PASSWORD, "a user's password"),
    (re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----"), "a private key"),
    (re.compile(r"PuTTY-User-Key-File-\d"), "a private key"),
    (re.compile(r"(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}"), "a token"),
    (re.compile(r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}"), "an authorization"),
    (_BOOTSTRAP_TOKEN, "a bootstrap token"),
    (_ASSIGNED, "a password or token"),
)


@dataclass(frozen=True, slots=True)
class Secrets:
    """What was found: a fault for each, and their values to keep out of every message."""

    faults: tuple[Fault, ...]
    values: tuple[str, ...]

    def covers(self, path: Path) -> bool:
        """Whether a secret stands at the path itself."""
        return any(fault.path == path for fault in self.faults)

    def mask(self, mistake: Mistake) -> Mistake:
        """The mistake with every secret's value replaced."""
        return Mistake(
            message=self._masked(mistake.message),
            path=self._masked(mistake.path),
            line=mistake.line,
            column=mistake.column,
            hint=self._masked(mistake.hint),
            file=mistake.file,
        )

    def _masked(self, text: str) -> str:
        for value in self.values:
            text = text.replace(value, MASK)
        return text


def find_secrets(value: Any) -> Secrets:
    """Every secret in a document's value, wherever it stands."""
    found = list(_search(value, ()))
    values = {text for text, _ in found if len(text) >= _SHORTEST_MASKED}
    return Secrets(
        faults=tuple(fault for _, fault in found),
        values=tuple(sorted(values, key=len, reverse=True)),
    )


def _search(value: Any, path: Path) -> Iterator[tuple[str, Fault]]:
    if isinstance(value, dict):
        for key, below in value.items():
            if (what := _looks_like(key, "")) is not None:
                yield key, _fault((*path, key), what, at_key=True)
            yield from _search(below, (*path, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            if index and _is_option_value(value[index - 1], below):
                yield str(below), _fault((*path, index), "a password or token")
            else:
                yield from _search(below, (*path, index))
    elif (what := _secret_at(value, path)) is not None:
        yield str(value), _fault(path, what)


def _fault(path: Path, what: str, *, at_key: bool = False) -> Fault:
    hint = _WITHOUT if what.startswith("a URL") else _ELSEWHERE
    message = f"this looks like {what}, and a secret has no place here"
    return Fault(path, message, hint, at_key=at_key)


def _is_option_value(option: Any, value: Any) -> bool:
    """Whether a value is what an option before it announces: a text, or a number as YAML reads one."""
    if not isinstance(option, str) or _OPTION.fullmatch(option) is None:
        return False
    if isinstance(value, str):
        return not value.startswith("-")
    return isinstance(value, int | float) and not isinstance(value, bool)


def _secret_at(value: Any, path: Path) -> str | None:
    key = _last_key(path)
    if value is None or isinstance(value, bool) or value == "":
        return None
    what = _looks_like(value, key) if isinstance(value, str) else None
    if what is None and _SECRET_KEY.search(re.sub(r"[-_. ]", "", key.rpartition("/")[2]).lower()):
        return "a secret's value"
    return what


@lru_cache(maxsize=1024)
def _looks_like(text: str, key: str) -> str | None:
    if "://" in text and (_URL_USER.search(text) or _URL_QUERY.search(text)):
        return "a URL with credentials in it"
    for pattern, what in _LOOKS:
        if pattern.search(text):
            return what
    if key not in _NAMES and _WHOLE_TOKEN.fullmatch(text):
        return "a bootstrap token"
    return None


def _last_key(path: Sequence[str | int]) -> str:
    return next((part for part in reversed(path) if isinstance(part, str)), "")
