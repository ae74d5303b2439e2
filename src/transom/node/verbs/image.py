"""A host that becomes an image: prepared as any other, and left without a trace of itself.

The journal is kept while `prepare --image` works, so that a crash is recovered as ever; at its end
`image.json` takes its place. A run on a machine made of an image says here how it differs.
"""

import hashlib
import json
import ntpath
from collections.abc import Sequence
from dataclasses import replace

from transom.errors import Refused
from transom.model.codec import decode, encode
from transom.model.image import (
    OWNER,
    ImageProvenance,
    content_digest,
    provenance_of,
    without_identity,
)
from transom.model.problem import Refusal
from transom.model.recipe import Recipe
from transom.model.request import Request
from transom.node.engine.journal import Contents
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.node.steps import PREPARE

_MAY_CHANGE = ("routes", "files", "environment", "services")
"""Steps that find something to do on a good image: what names the machine comes only now."""


def image_request(request: Request) -> Request:
    """The request without what belongs to one machine or one cluster."""
    return replace(
        request,
        recipe=without_identity(request.recipe),
        owner=replace(request.owner, cluster="", who=OWNER),
        join=None,
    )


def refuse_used(contents: Contents | None, layout: Layout) -> None:
    """Refuse a host with a journal that no image left: what it was before would be forgotten."""
    if contents is not None and contents.owner.who != OWNER:
        owner = contents.owner
        raise Refused(
            [
                Refusal(
                    id="not-an-image",
                    subject=layout.journal,
                    found=f"the journal of fleet {owner.fleet!r} ({owner.who})",
                    reason="an image is made of a machine that was never prepared or joined",
                    fix="Reset the host, or take a fresh one.",
                    source="",
                )
            ],
            subject="the host",
        )


def wanted_provenance(files: ReadFiles, layout: Layout, recipe: Recipe) -> bytes:
    """The content of `image.json` for this recipe and this program."""
    program = hashlib.sha256(_content(files, layout.program)).hexdigest()
    return (json.dumps(encode(provenance_of(recipe, program=program)), indent=1) + "\n").encode()


def is_told(files: ReadFiles, layout: Layout, recipe: Recipe) -> bool:
    """Whether `image.json` is that of this recipe and this program."""
    return _content(files, layout.provenance) == wanted_provenance(files, layout, recipe)


def is_sealed(files: ReadFiles, layout: Layout, recipe: Recipe) -> bool:
    """Whether an image of this recipe was finished here and nothing of its making is left."""
    left = [path for path in traces(layout) if files.kind(path) is not PathKind.ABSENT]
    return not left and is_told(files, layout, recipe)


def seal(machine: Machine, layout: Layout, recipe: Recipe) -> None:
    """Write what the image is, then take away the journal and what it needed."""
    files = machine.files
    if not is_told(files, layout, recipe):
        files.write(layout.provenance, wanted_provenance(files, layout, recipe))
    machine.flush()
    files.remove(layout.journal)
    machine.flush()
    for path in traces(layout):
        files.remove_tree(path)
    machine.flush()


def traces(layout: Layout) -> tuple[str, ...]:
    """What a run leaves that machines of one image must not share, beside its events."""
    state = (layout.journal, layout.saved, layout.recipe, layout.collected, layout.programs)
    return (*state, layout.old)


def forget_events(machine: Machine, layout: Layout) -> None:
    """Take the events away: they tell of the machine that was the model."""
    machine.files.remove_tree(ntpath.dirname(layout.events("any")))


def read_provenance(files: ReadFiles, layout: Layout) -> ImageProvenance | None:
    """What the image says it is; None where the machine is of none, or this version cannot read it."""
    content = _content(files, layout.provenance)
    try:
        return decode(ImageProvenance, json.loads(content)) if content else None
    except ValueError:
        return None


def differences(files: ReadFiles, layout: Layout, request: Request) -> list[str]:
    """How a machine's image differs from what is asked for; empty where it was made of none."""
    found = None if request.image else read_provenance(files, layout)
    if found is None or found.content == content_digest(request.recipe):
        return []
    target = request.recipe.target
    versions = [
        f"{name} {there}, not {wanted}"
        for name, there, wanted in (
            ("Kubernetes", found.kubernetes, target.kubernetes),
            ("Windows build", str(found.windows_build), str(target.windows_build)),
            (target.runtime, found.runtime_version, target.runtime_version),
        )
        if there != wanted
    ]
    what = f"it has {'; '.join(versions)}" if versions else "its versions are the same"
    return [f"the image was made of another recipe: {what}; what differs is brought now"]


def self_check(
    files: ReadFiles, layout: Layout, request: Request, changed: Sequence[str]
) -> list[str]:
    """What the first run on a machine of an image had to mend although the recipe is the image's."""
    found = None if request.image else read_provenance(files, layout)
    if found is None or found.content != content_digest(request.recipe):
        return []
    prepared = {step.id for step in PREPARE} - set(_MAY_CHANGE)
    mended = [step for step in changed if step in prepared]
    if not mended:
        return []
    return [f"the image is not what its {layout.provenance} says: mended {', '.join(mended)}"]


def _content(files: ReadFiles, path: str) -> bytes:
    return files.read(path) if files.kind(path) is PathKind.FILE else b""
