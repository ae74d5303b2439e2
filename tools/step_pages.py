"""The pages about the steps of the node program, made of the steps themselves.py."""

import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from transom.model.recipe import Recipe
from transom.node.engine.disruption import Disruption
from transom.node.engine.step import Seen, Step
from transom.node.steps import PREPARE

_MARK = "<!-- generated from src/transom/node/steps by tools/generate.py; edit nothing -->\n"
_RECIPE_KEYS = {field.name for field in fields(Recipe)}

_SEEN = {
    Seen.SIMULATED: "on simulated hosts only, under the laws: with an error and a power cut at each single call",
    Seen.STAND_IN: "in the lab, where the part of Windows it talks to is a stand-in",
    Seen.WINE: "in the lab, on Wine's own implementation of what it talks to",
    Seen.UPSTREAM_BINARY: "in the lab, with the unmodified upstream program it is about",
    Seen.WINDOWS: "on Windows Server",
}
_DISRUPTION = {
    Disruption.NONE: "none",
    Disruption.KUBELET_RESTART: "restarts the kubelet; pods keep running",
    Disruption.PODS_STOP: "stops pods: the node is drained first",
    Disruption.NETWORK_BLIP: "may cut the network for a moment: the node is drained first, and the step undoes itself "
    "where neither gateway nor API server answers for a minute after it",
    Disruption.REBOOT: "may ask for a restart of Windows, which the run ends with (exit 4)",
}


def index(steps: Sequence[Step[Any]]) -> str:
    """All steps in their order."""
    prepare = {step.id for step in PREPARE}
    rows = "".join(
        f"| {number} | [{step.id}]({step.id}.md) | {step.title} | "
        f"{'`prepare`' if step.id in prepare else '`join`'} | {step.disruption.value} | {step.seen.value} |\n"
        for number, step in enumerate(steps, 1)
    )
    meanings = "".join(f"- `{seen.value}`: {text}\n" for seen, text in _SEEN.items())
    return (
        "# Steps\n\nWhat [the node program](../node.md) does to a host, in this order; undoing goes the other way. Every step "
        "only changes what\ndiffers from the recipe, writes down what was there before it changes it, and is taken back from that "
        "alone.\n\n"
        f"{_MARK}\n| | step | does | from | disruption | seen |\n|---|---|---|---|---|---|\n{rows}"
        f"\n`prepare` ends before the steps that are said to be from `join`. How a step was **seen** to work:\n\n{meanings}"
    )


def page(step: Step[Any], *, at_work: Sequence[str], goldens: int) -> str:
    """One step; `at_work` are those of the golden recipes that it has something to do for."""
    module = sys.modules[type(step).__module__]
    keys = sorted(set(_recipe_keys(inspect.getsource(module))))
    lines = [
        f"# {step.id}\n\n{step.title}.\n\n{_MARK}",
        f"\n{inspect.cleandoc(module.__doc__ or '')}\n\n{inspect.cleandoc(type(step).__doc__ or '')}\n\n",
        "| | |\n|---|---|\n",
        f"| looks | {_said(step.check)} |\n",
        f"| does | {_said(step.apply)} |\n",
        f"| undo | {_said(step.undo)} |\n",
        f"| disruption | {_DISRUPTION[step.disruption]} |\n",
        f"| after | {', '.join(f'[{name}]({name}.md)' for name in step.needs) or '-'} |\n",
        f"| in the recipe | {', '.join(f'`{key}`' for key in keys) or '-'} |\n",
        f"| applies to | {_applies(step)} |\n",
        f"| seen | `{step.seen.value}`: {_SEEN[step.seen]} |\n",
    ]
    return "".join(
        (*lines, "\nOn a machine as Windows' setup leaves it, ", _work(step, at_work, goldens))
    )


def _work(step: Step[Any], at_work: Sequence[str], goldens: int) -> str:
    recipes = "[golden recipe](../../tests/data/plans)"
    if not at_work:
        why = ": what it looks at comes with the join" if "join" in step.needs else ""
        return f"it has nothing to do for any {recipes}{why}.\n"
    if len(at_work) == goldens:
        return f"it has something to do for every {recipes}.\n"
    return f"it has something to do for these {recipes}s: {', '.join(at_work)}.\n"


def _said(function: object) -> str:
    return inspect.cleandoc(inspect.getdoc(function) or "").replace("\n", " ")


def _recipe_keys(source: str) -> Iterator[str]:
    for key in re.findall(r"\brecipe\.([a-z_]+)", source):
        if key in _RECIPE_KEYS:
            first, *others = key.split("_")
            yield first + "".join(word.title() for word in others)


def _applies(step: Step[Any]) -> str:
    builds = ", ".join(map(str, step.applies.builds))
    versions = str(step.applies.kubernetes)
    parts = [
        f"Kubernetes {versions}" if versions not in ("", "*") else "",
        f"builds {builds}" if builds else "",
    ]
    return ", ".join(filter(None, parts)) or "every version"
