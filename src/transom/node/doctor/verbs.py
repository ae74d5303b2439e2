"""The verbs `doctor` and `collect` of the node program; `arguments` has what they take.

Neither takes the lock or changes what a recipe describes: both look at a host in whatever state it
is.
"""

import argparse
import hashlib
import json
import ntpath
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TextIO

from transom.errors import InvalidDocument
from transom.model.api_versions import written
from transom.model.codec import decode, encode
from transom.model.problem import Mistake
from transom.model.records import dataclass
from transom.model.sddl import CLOSED_FILE
from transom.model.sight import Given
from transom.node.doctor.collection import collect
from transom.node.doctor.examination import examine
from transom.node.doctor.image import examine_image
from transom.node.doctor.observe import observe
from transom.node.doctor.report import document_of, exit_code, text_of
from transom.node.host.protocols import Machine
from transom.node.layout import Layout


def run(
    options: argparse.Namespace, machine: Machine, stdin: TextIO, say: Callable[[Any], None]
) -> int:
    """Look, and say what was found; 1 where doctor found an error.

    `say` takes text for people as it is, and documents.
    """
    layout = Layout(options.home)
    if options.verb == "doctor" and options.image:
        return _image(options, machine, layout, say)
    seen = observe(machine, layout, read_given(stdin.read()) if options.given else Given())
    if options.verb == "collect":
        folder = options.into or layout.collected
        say(encode(_write(machine, folder, collect(machine, layout, seen), seen.host)))
        return 0
    found = examine(seen)
    if options.output == "json":
        say(document_of(found.findings, found.unread))
    else:
        say(text_of(seen.host.lower(), found.findings, found.unread))
    return exit_code(found.findings)


def _image(
    options: argparse.Namespace, machine: Machine, layout: Layout, say: Callable[[Any], None]
) -> int:
    """Say whether an image can be made of the host; what is only removed later is a warning."""
    findings = examine_image(machine, layout)
    if options.output == "json":
        say(document_of(findings, {}))
    else:
        say(text_of(machine.system.computer_name().lower(), findings, {}))
    return exit_code(findings)


def read_given(text: str) -> Given:
    """Read what the caller knows; nothing at all is allowed."""
    if not text.strip():
        return Given()
    try:
        return decode(Given, json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InvalidDocument([Mistake(str(error))], subject="what was given") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """Where on the host an archive was written."""

    api_version: str = written("Collected")
    kind: str = "Collected"
    path: str
    bytes: int
    sha256: str


def _write(machine: Machine, folder: str, archive: bytes, host: str) -> Collected:
    time = datetime.fromtimestamp(machine.clock.now(), UTC).strftime("%Y%m%dT%H%M%SZ")
    path = ntpath.join(folder, f"transom-{host.lower()}-{time}.zip")
    machine.files.make_directory(folder)
    machine.files.write(path, archive, acl=CLOSED_FILE)
    return Collected(path=path, bytes=len(archive), sha256=hashlib.sha256(archive).hexdigest())
