"""The little TOML that configuration files of hosts need: literal strings, sections."""

from collections.abc import Mapping, Sequence

Value = str | int | bool | Sequence[str]


def section(path: Sequence[str], values: Mapping[str, Value]) -> str:
    """A table with its header, or nothing where it would be empty."""
    if not values:
        return ""
    header = ".".join(name if name.isidentifier() else literal(name) for name in path)
    lines = [f"{key} = {literal(value)}" for key, value in values.items()]
    return f"[{header}]\n" + "\n".join(lines) + "\n"


def literal(value: Value) -> str:
    """A value; text as a literal string, so that backslashes stay as they are."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        if "'" in value or "\n" in value:
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            return f'"{escaped}"'
        return f"'{value}'"
    return "[" + ", ".join(literal(item) for item in value) + "]"
