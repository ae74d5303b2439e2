"""A run as its caller asks for it: handed to the transient service and followed, or done in this session.

What the work itself needs is imported only where it is done here: for whoever hands over, that would
be most of the time.
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TextIO

from transom.errors import UsageError
from transom.model.codec import encode
from transom.model.request import JoinSecrets, Request, Verb, run_name
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.node.verbs.arguments import is_by_hand
from transom.node.verbs.attach import follow
from transom.node.verbs.request import read_request


def run(
    options: argparse.Namespace, machine: Machine, stdin: TextIO, say: Callable[[Any], None]
) -> int:
    """Read the request, and have it done."""
    request = _request(options, machine, stdin)
    name = options.run or run_name(started(machine), request.verb.value)
    layout = Layout(options.home)
    if machine.files.kind(layout.events(name)) is not PathKind.ABSENT:
        raise UsageError(f"there was a run {name} already", hint="Give this one another name.")
    if options.foreground or request.image:
        from transom.node.verbs.execute import work

        return work(machine, layout, name, request, say)
    place = ("--home", options.home, "--run", name)
    argv = (sys.executable, sys.argv[0], request.verb.value, *place, "--service")
    machine.background.start(argv, json.dumps(encode(request)).encode())
    return follow(machine, layout, name, 0, say)


def started(machine: Machine) -> datetime:
    """When a run begins that begins now."""
    return datetime.fromtimestamp(machine.clock.now(), UTC)


def _request(options: argparse.Namespace, machine: Machine, stdin: TextIO) -> Request:
    verb = Verb(options.verb)
    if is_by_hand(options):
        from transom.node.verbs.entry import request_from_files

        request = request_from_files(options, machine.files, verb, stdin)
    else:
        request = read_request(stdin.read(), verb)
    if verb is Verb.JOIN and options.kubeconfig:
        request = _by_hand(request, _kubeconfig(machine.files, options.kubeconfig))
    if verb is Verb.PREPARE and options.image:
        request = replace(request, image=True)
    return request


def _kubeconfig(files: ReadFiles, path: str) -> str:
    if files.kind(path) is not PathKind.FILE:
        raise UsageError(f"there is no {path}", subject=path, hint="Give the kubeconfig's path.")
    # What is no text is no kubeconfig either, and said so by whoever reads it.
    return files.read(path).decode("utf-8", "replace")


def _by_hand(request: Request, kubeconfig: str) -> Request:
    from transom.node.kubernetes.kubeconfig import read_access

    endpoint = read_access(kubeconfig).endpoint
    secrets = JoinSecrets(endpoint=endpoint, token="", ca_hashes=(), kubeconfig=kubeconfig)
    return replace(request, join=secrets)
