"""What is wrong with boot data, as findings: the traps its story met, and what the platform refuses.

Pure.
"""

import base64
from collections.abc import Iterator
from typing import NamedTuple

from transom.bootstrap.cloud_config import dotted
from transom.bootstrap.machine import Machine
from transom.bootstrap.reader import tell
from transom.bootstrap.story import Remark, Story
from transom.facts.cloudbaseinit import Trap
from transom.facts.platforms import Platform
from transom.facts.rows import At, one
from transom.model.finding import Finding, Severity
from transom.yamlio.python_yaml import Place


class Origin(NamedTuple):
    """Where boot data comes from: a file, or an object of a cluster."""

    file: str
    kind: str = ""
    namespace: str = ""
    name: str = ""


class Linted(NamedTuple):
    """A document's story and what is wrong with it, in the order of its lines."""

    story: Story
    findings: tuple[Finding, ...]


def lint(data: bytes, machine: Machine, origin: Origin) -> Linted:
    """Follow boot data and report every trap it meets."""
    story = tell(data, machine)
    remarks = dict.fromkeys((*story.remarks, *_too_large(data, machine.platform)))
    findings = sorted(
        (finding_of(remark, origin) for remark in remarks),
        key=lambda found: (found.line, found.column, found.rule),
    )
    return Linted(story, tuple(findings))


def size_on(data: bytes, platform: Platform) -> int:
    """How large the platform takes the data to be."""
    return len(base64.b64encode(data)) if platform.counted == "base64" else len(data)


def _too_large(data: bytes, platform: Platform | None) -> Iterator[Remark]:
    if platform is not None and 0 < platform.limit < (size := size_on(data, platform)):
        counted = " as base64" if platform.counted == "base64" else ""
        found = f"{size} bytes{counted}, and {platform.title} takes {platform.limit}"
        yield Remark("BOOT008", found, place=Place(1, 1))


def finding_of(remark: Remark, origin: Origin) -> Finding:
    """A remark in the words of its fact."""
    row = one(Trap, remark.trap, At())
    found = f" ({remark.found})" if remark.found else ""
    return Finding(
        rule=row.id,
        severity=Severity(row.severity),
        file=origin.file,
        line=remark.place.line,
        column=remark.place.column,
        kind=origin.kind,
        namespace=origin.namespace,
        name=origin.name,
        path=dotted(remark.path),
        message=f"{row.title}{found}: {row.text}",
        fix=row.fix,
        source=row.source,
    )
