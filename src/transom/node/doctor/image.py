"""Whether a host is fit to be an image: as its recipe says, and without a trace of itself.

What `doctor --image` looks for. An error spoils every machine made of the image; a warning is what an
image build takes away at its very end.
"""

import fnmatch
import ntpath
from collections.abc import Iterator

from transom.model.finding import Finding, Severity
from transom.model.image import OWNER, ImageProvenance
from transom.model.journal import Owner
from transom.model.places import JOIN_CONFIGURATION, SENTINEL
from transom.model.recipe import Recipe
from transom.model.request import Request, Verb
from transom.node.engine.runner import Runner
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.node.steps.join import Layout as JoinLayout
from transom.node.verbs.image import is_told, read_provenance, traces

PAGE = "docs/images.md"
_SSH = r"C:\ProgramData\ssh"
_HOST_KEYS = "ssh_host_*_key*"
_BUILDER_KEYS = "administrators_authorized_keys"


def examine_image(machine: Machine, layout: Layout) -> list[Finding]:
    """Everything that speaks against making an image of the host as it is."""
    provenance = read_provenance(machine.files, layout)
    found = [*_unfinished(machine, layout, provenance)]
    if provenance is not None:
        found += _drift(machine, layout, provenance.recipe)
        found += _joined(machine.files, provenance.recipe)
    return [
        *found,
        *_traces(machine.files, layout),
        *_boot_data(machine.files),
        *_ssh(machine.files),
    ]


def _unfinished(
    machine: Machine, layout: Layout, provenance: ImageProvenance | None
) -> Iterator[Finding]:
    if provenance is None:
        yield _finding(
            "image-provenance",
            layout.provenance,
            "there is no image.json, or one that this version cannot read",
            "Run `node.pyz prepare --image` until it ends with 0.",
        )
    elif not is_told(machine.files, layout, provenance.recipe):
        yield _finding(
            "image-provenance",
            layout.provenance,
            "image.json tells of another node program or was changed",
            "Run `node.pyz prepare --image` again.",
        )
    if machine.system.reboot_pending():
        yield _finding(
            "image-reboot",
            "Windows",
            "Windows waits for a reboot",
            "Restart the host, then run `node.pyz prepare --image` again.",
        )


def _drift(machine: Machine, layout: Layout, recipe: Recipe) -> Iterator[Finding]:
    request = Request(
        verb=Verb.PLAN, recipe=recipe, owner=Owner(cluster="", fleet="", who=OWNER), image=True
    )
    planned = Runner(machine, layout, "doctor").plan(request)
    for refusal in planned.refusals:
        yield _finding(
            "image-drift",
            refusal.subject,
            f"{refusal.subject} is {refusal.found}; {refusal.reason}",
            refusal.fix,
        )
    for step, drift in planned.steps:
        for item in drift:
            yield _finding(
                "image-drift",
                item.subject,
                f"{step.title}: {item.subject} is {item.found}, not {item.wanted}",
                "Run `node.pyz prepare --image` again.",
            )


def _joined(files: ReadFiles, recipe: Recipe) -> Iterator[Finding]:
    """What a join leaves: a machine with another's credential would speak in its name."""
    layout = JoinLayout.of(recipe.join)
    places = [layout.bootstrap, layout.configuration, *layout.lasting]
    for folder in (ntpath.dirname(layout.ca_certificate), ntpath.dirname(layout.client)):
        if files.kind(folder) is PathKind.DIRECTORY:
            places += [ntpath.join(folder, name) for name in files.entries(folder)]
    for path in dict.fromkeys(places):
        if files.kind(path) is not PathKind.ABSENT:
            yield _finding(
                "image-joined",
                path,
                f"{path} is a node's",
                "Reset the node (`kubeadm reset`), or take a host that never joined.",
            )


def _traces(files: ReadFiles, layout: Layout) -> Iterator[Finding]:
    for path in traces(layout):
        if files.kind(path) is not PathKind.ABSENT:
            yield _finding(
                "image-journal",
                path,
                f"{path} tells of this host",
                "Run `node.pyz prepare --image` until it ends with 0; reset the host if it refuses.",
            )


def _boot_data(files: ReadFiles) -> Iterator[Finding]:
    for path in (JOIN_CONFIGURATION, SENTINEL):
        if files.kind(path) is not PathKind.ABSENT:
            yield _finding(
                "image-boot-data",
                path,
                f"{path} is of a machine's boot data",
                "Delete it.",
            )


def _ssh(files: ReadFiles) -> Iterator[Finding]:
    names = files.entries(_SSH) if files.kind(_SSH) is PathKind.DIRECTORY else ()
    for name in names:
        path = ntpath.join(_SSH, name)
        if fnmatch.fnmatch(name, _HOST_KEYS):
            yield _finding(
                "image-ssh-host-key",
                path,
                "every machine of the image would have this SSH host key",
                "Delete it as the last thing before the shutdown; sshd makes a new one.",
                Severity.WARNING,
            )
        elif name == _BUILDER_KEYS:
            yield _finding(
                "image-ssh-access",
                path,
                "whoever built the image could log in to every machine of it",
                "Delete it as the last thing before the shutdown; boot data brings users' keys.",
                Severity.WARNING,
            )


def _finding(
    rule: str, subject: str, message: str, fix: str, severity: Severity = Severity.ERROR
) -> Finding:
    return Finding(
        rule=rule,
        severity=severity,
        file=subject if ":" in subject else "",
        line=0,
        column=0,
        kind="Host",
        namespace="",
        name="",
        path=subject,
        message=message,
        fix=fix,
        source=f"{PAGE}#{rule}",
    )
