"""The page of a network, for people: what it needs, what it is told, what Transom brings.

Pure text.
"""

import re
from collections.abc import Iterator, Sequence

from transom.facts import rows
from transom.facts.addons import Provision
from transom.facts.network import ModeRow, PluginRow
from transom.facts.rows import At
from transom.model.recipe import File, Recipe
from transom.model.records import dataclass

_MARK = "<!-- generated from the facts and the golden fleets by tools/generate.py; edit nothing -->"


@dataclass(frozen=True, slots=True)
class Example:
    """A fleet's network as written, and the files of its recipe that configure it."""

    title: str
    network: str
    files: tuple[File, ...]


def example(fleet: str, recipe: Recipe) -> Example:
    """The example that a fleet of one host is."""
    target, network = recipe.target, recipe.network
    found = re.search(r"^  network:\n(?:    .*\n)+", fleet, flags=re.MULTILINE)
    mode = f"{network.mode}, " if network.mode else ""
    return Example(
        title=f"{mode}Kubernetes {target.kubernetes}, {target.runtime}, {target.privileged}",
        network=found[0] if found else "",
        files=tuple(
            file for file in recipe.files if re.search(r"net\.d|net-conf\.json", file.path)
        ),
    )


def page(plugin: str, examples: Sequence[Example]) -> str:
    """The page of one network."""
    row = next(row for row in rows.read(PluginRow) if row.name == plugin)
    return "\n".join([*_head(row), *_provisions(plugin), *_examples(examples)])


def _head(row: PluginRow) -> Iterator[str]:
    title = row.title if row.name != "external" else "external: a network somebody else installs"
    yield f"# {title}\n\n{_MARK}\n"
    yield f"| what | |\n|---|---|\n| key | `network.{row.name}` |"
    yield f"| modes | {', '.join(row.modes)} |"
    yield f"| Kubernetes | {row.kubernetes or 'every version covered'} |"
    yield f"| runtimes | {', '.join(row.runtimes)} |"
    for mode in rows.rows(ModeRow, At()):
        if mode.plugin == row.name:
            numbers = f", VNI {mode.vni}, UDP port {mode.port}" if mode.vni else ""
            name = mode.network_name.format(vni=mode.vni)
            yield f"| HNS network, {mode.mode} | `{name}`, type {mode.network_type}{numbers} |"
    own = "its own installer" if row.managed else "Transom, in the recipe"
    yield f"| CNI configuration by | {own} |"
    yield f"| source | {row.source} |\n"
    for name in row.modes:
        yield f"![the way of packets in mode {name}](../pictures/{name}.svg)\n"


def _provisions(plugin: str) -> Iterator[str]:
    yield "## What you must provide\n"
    for row in rows.read(Provision):
        if row.plugin == plugin:
            only = ", ".join(
                filter(None, (row.mode, row.installer and f"installer {row.installer}"))
            )
            yield f"- {only}: {row.text}" if only else f"- {row.text}"
    yield ""


def _examples(examples: Sequence[Example]) -> Iterator[str]:
    for item in examples:
        yield f"## Example: {item.title}\n"
        yield f"```yaml\n{item.network}```\n"
        for file in item.files:
            yield f"`{file.path}`:\n"
            yield f"```json\n{file.content}```\n"
