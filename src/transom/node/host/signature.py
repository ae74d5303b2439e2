"""Whether a file's Authenticode signature is the one that was asked for.

Pure: what signed a file is found by `node/host`.
"""

from collections.abc import Mapping

from transom.node.host.values import Signature


def objection(found: Signature | None, asked: Mapping[str, str]) -> str:
    """Why a signature is not the one asked for; empty where it is.

    `asked` may have `subject`, `issuer` and `thumbprint`. A name matches where all of its parts
    are in the signer's: `CN=Corp` is met by `CN=Corp, O=Corp Ltd`.
    """
    if found is None:
        return "it is not signed"
    if found.problem:
        return f"Windows does not trust its signature by {found.subject}: {found.problem}"
    for key, name in (("subject", found.subject), ("issuer", found.issuer)):
        if key in asked and not _parts(asked[key]) <= _parts(name):
            return f"its signature's {key} is {name}, not {asked[key]}"
    thumbprint = asked.get("thumbprint", "").upper()
    if thumbprint and thumbprint != found.thumbprint.upper():
        return f"its signer's thumbprint is {found.thumbprint}, not {thumbprint}"
    return ""


def _parts(name: str) -> set[tuple[str, str]]:
    """The attributes of a distinguished name, whatever their order; values may be quoted."""
    parts: list[str] = [""]
    quoted = False
    for character in name:
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    pairs = (part.partition("=") for part in parts if part.strip())
    return {(key.strip().upper(), value.strip()) for key, _, value in pairs}
