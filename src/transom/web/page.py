"""A whole page in one file: style, script and data within it."""

import json
from html import escape
from importlib.resources import files
from typing import Any

# Nothing but what is in the file itself runs or is loaded, whatever a test's name says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def asset(name: str) -> str:
    """A style sheet or script of this folder."""
    return files("transom.web").joinpath(name).read_text(encoding="utf-8")


def render(*, title: str, body: str, script: str, data: Any) -> str:
    """The page. `body` and `script` are ours; `data` is foreign and reaches the script as JSON only."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{asset("style.css")}</style>
</head>
<body>
{body}
<script type="application/json" id="data">{_embedded(data)}</script>
<script>
{script}</script>
</body>
</html>
"""


def _embedded(data: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c")
