"""The verb `boot`: a machine's own boot data asks for the join, without anybody watching.

Runs at each boot until it succeeds. The token is in the join configuration that boot data wrote, or that is fetched from where a cloud
keeps it: closed to others first, read, and removed after success. The sentinel that Cluster API
waits for is written after the node has joined and never before. The exit code is cloudbase-init's:
1003 asks for a restart and to be run again.
"""

import ipaddress
import json
import ntpath
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from transom.errors import PermanentError, TransomError, UsageError
from transom.model.answers import BootReport
from transom.model.codec import decode, encode
from transom.model.places import JOIN_CONFIGURATION, SENTINEL
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.model.request import Request, Verb
from transom.model.sddl import ADMINISTRATORS_ONLY
from transom.model.secret import SecretPlace
from transom.node.engine.journal import Journal
from transom.node.engine.runner import Ending, Outcome, Runner
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.kubernetes import join_configuration
from transom.node.kubernetes.join_configuration import TOKEN
from transom.node.layout import Layout

REBOOT_AND_AGAIN = 1003

Afterwards = Callable[[Request, Outcome], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Boot:
    """Where boot data put its request and the join configuration, and where success is told.

    With `prepare` the host is made ready and somebody else joins it. `secret` is a file that says
    where the join configuration is fetched from, where boot data does not bring it.
    """

    request: str
    join: str = JOIN_CONFIGURATION
    sentinel: str = SENTINEL
    prepare: bool = False
    secret: str = ""

    @property
    def report(self) -> str:
        """Where a failure is told: beside the request."""
        return ntpath.join(ntpath.dirname(self.request), "report.json")


def boot(
    machine: Machine,
    layout: Layout,
    plan: Boot,
    *,
    run: str,
    say: Callable[[Any], None],
    afterwards: Afterwards,
) -> int:
    """Prepare or join; answer cloudbase-init's exit code, and leave a report of a failure."""
    machine.files.remove(plan.report)
    try:
        ending = _run(machine, layout, plan, run=run, say=say, afterwards=afterwards)
    except TransomError as error:
        hidden = TOKEN.sub("[token]", error.message)
        report = BootReport(
            error=type(error).__name__,
            message=hidden,
            subject=error.subject,
            hint=error.hint,
            run=run,
        )
        _put(machine, plan.report, (json.dumps(encode(report), indent=1) + "\n").encode())
        machine.flush()
        say(report)
        return error.exit_code
    if ending is Ending.REBOOT:
        return REBOOT_AND_AGAIN
    if not plan.prepare:
        machine.files.remove(plan.join, secret=True)
        _put(machine, plan.sentinel, b"success\r\n")
    machine.flush()
    return 0


def _run(
    machine: Machine,
    layout: Layout,
    plan: Boot,
    *,
    run: str,
    say: Callable[[Any], None],
    afterwards: Afterwards,
) -> Ending:
    request = _request(machine, plan)
    if not plan.prepare:
        if machine.files.kind(plan.join) is PathKind.ABSENT and _has_joined(machine, layout):
            return Ending.DONE
        machine.files.remove(plan.sentinel)
        if plan.secret:
            _fetch(machine, plan)
        configuration = join_configuration.read(machine.files, plan.join)
        request = replace(request, join=join_configuration.secrets(configuration, plan.join))
        name = (configuration.get("nodeRegistration") or {}).get("name")
    else:
        name = None
    recipe = adapted(
        request.recipe,
        name=str(name or machine.system.computer_name()).lower(),
        address=_address(machine, request.recipe.identity.address),
    )
    runner = Runner(machine, layout, run, listener=say, afterwards=afterwards)
    ending = runner.execute(replace(request, recipe=recipe)).ending
    if ending is Ending.CANCELLED:
        raise PermanentError("the run was cancelled", hint="Start the machine again.")
    return ending


def _request(machine: Machine, plan: Boot) -> Request:
    verb = Verb.PREPARE if plan.prepare else Verb.JOIN
    try:
        request = decode(Request, json.loads(machine.files.read(plan.request)))
    except ValueError as error:
        raise UsageError(f"{plan.request} is no request: {error}", subject=plan.request) from error
    if request.join is not None:
        raise UsageError("a request on the disk has no secrets", subject=plan.request)
    return replace(request, verb=verb)


def _fetch(machine: Machine, plan: Boot) -> None:
    """Have the join configuration from its store, on the disk for good before it is deleted there."""
    try:
        place = decode(SecretPlace, json.loads(machine.files.read(plan.secret)))
    except ValueError as error:
        raise UsageError(f"{plan.secret} is no place of a secret: {error}") from error
    from transom.node.vault.store import open_store

    store = open_store(place, machine.web, machine.clock)
    if machine.files.kind(plan.join) is PathKind.ABSENT:
        content = store.fetch()
        machine.files.make_directory(ntpath.dirname(plan.join))
        machine.files.write(plan.join, content, acl=ADMINISTRATORS_ONLY, secret=True)
        machine.flush()
    if not place.keep:
        store.delete()


def adapted(recipe: Recipe, *, name: str, address: str) -> Recipe:
    """A pool's recipe for one machine of it: this name and this address in place of the recipe's."""
    document = encode(recipe)
    before = recipe.identity.address
    if before and address and before != address:
        word = re.compile(rf"(?<![\w.]){re.escape(before)}(?![\w.])")
        document = _replaced(document, word, address)
    document["identity"]["name"] = document["join"]["nodeName"] = name
    return decode(Recipe, document)


def _replaced(value: Any, word: re.Pattern[str], by: str) -> Any:
    if isinstance(value, str):
        return word.sub(by, value)
    if isinstance(value, list):
        return [_replaced(item, word, by) for item in value]
    if isinstance(value, dict):
        return {key: _replaced(item, word, by) for key, item in value.items()}
    return value


def _address(machine: Machine, wanted: str) -> str:
    """The recipe's address where the machine has it, else the first of its own that others reach."""
    mine = [
        address
        for adapter in machine.network.adapters()
        for address in adapter.addresses
        if not _is_private_to_the_host(address)
    ]
    return wanted if wanted in mine or not mine else mine[0]


def _is_private_to_the_host(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return True
    return address.is_loopback or address.is_link_local or address.is_unspecified


def _has_joined(machine: Machine, layout: Layout) -> bool:
    contents = Journal.look(machine.disk, layout.journal)
    return contents is not None and contents.made("kubeadm-join")


def _put(machine: Machine, path: str, content: bytes) -> None:
    machine.files.make_directory(ntpath.dirname(path))
    machine.files.write(path, content)
