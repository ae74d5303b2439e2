"""Styles of text on a terminal."""

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


def styled(text: str, style: str) -> str:
    """Give the text in a style, as terminals understand it."""
    return f"\033[{_STYLES[style]}m{text}\033[0m"
