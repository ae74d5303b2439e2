"""A host that answers oddly fails alone: nothing that it says ends the work on others."""

import asyncio
import json
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.simulation import NOW, Simulation
from tests.support.fleet_apply import Watcher, apply, outcomes

from transom.cli.output.plan_text import plan_lines
from transom.documents.fleets import plan_document
from transom.errors import PermanentError, TransomError
from transom.fleet.collect import collect_host
from transom.fleet.diagnose import diagnose_host
from transom.fleet.hosts import each
from transom.fleet.on_host.program import NodeProgram
from transom.fleet.planning.plan import Standing, plan_of
from transom.fleet.reset import reset_fleet
from transom.fleet.status import status_of
from transom.fleet.survey import survey_fleet
from transom.fleet.work.outcome import Outcome
from transom.model.answers import Survey
from transom.remote.session import Completed

DEEP = b"[" * 100_000 + b"\n"
GARBAGE = (b"\xff\xfe\0", b"{}\n", b"[]\n", b"null\n", DEEP, b'{"kind": "Survey"}\n', b"")


def garbled(said):
    return lambda _verb, _line: said


def surveyed(simulation):
    return asyncio.run(survey_fleet(simulation.fleet, simulation.lock, simulation.doors()))


@pytest.fixture
def fleet():
    """Two hosts, of which the first answers as a test says."""
    return Simulation(2)


@pytest.mark.parametrize(
    "said",
    [
        *GARBAGE,
        b'{"kind": "Failure"}\n',
        b'{"kind": "Failure", "error": 7, "message": [], "subject": {}, "hint": null}\n',
    ],
)
def test_a_plan_has_the_odd_host_as_failed_and_the_other_as_it_is(fleet, said):
    fleet.machines["win-01"].odd = garbled(said)
    plan = surveyed(fleet).plan
    assert [host.standing for host in plan.hosts] == [Standing.FAILED, Standing.CHANGES]


@pytest.mark.parametrize(
    "said",
    [
        *GARBAGE[:-1],
        b'{"seq": "one"}\n',
        b'{"seq": 1}\n',
        b'{"seq": 1, "time": 2, "run": 3, "step": 4, "state": "flying", "level": [], "message": {}}\n',
    ],
)
def test_an_odd_answer_in_the_middle_of_a_run_leaves_the_other_host_to_join(fleet, said):
    fleet.machines["win-01"].odd = lambda verb, line: said if verb in ("join", "attach") else line
    _, watcher = apply(fleet)
    assert outcomes(watcher) == {"win-01": Outcome.FAILED, "win-02": Outcome.CHANGED}
    assert fleet.machines["win-02"].is_joined


@pytest.mark.parametrize("said", [*GARBAGE, b'{"kind": "NodeStatus", "owner": 7}\n'])
def test_a_reset_of_an_odd_host_leaves_the_other_one_to_be_reset(fleet, said):
    apply(fleet)
    fleet.machines["win-01"].odd = garbled(said)
    watcher = Watcher()
    names = tuple(fleet.machines)
    asyncio.run(reset_fleet(fleet.fleet, names, fleet.doors(), watcher=watcher))
    assert outcomes(watcher) == {"win-01": Outcome.FAILED, "win-02": Outcome.RESET}


@pytest.mark.parametrize(
    "said",
    [
        *GARBAGE,
        b'{"findings": 7, "unreadable": []}\n',
        b'{"findings": [], "unreadable": [7]}\n',
        b'{"findings": [{"rule": 7}], "unreadable": []}\n',
    ],
)
def test_doctor_and_collect_fail_in_words_where_the_host_is_odd(fleet, said):
    apply(fleet)
    machine = fleet.machines["win-01"]
    machine.odd = lambda verb, line: said if verb in ("doctor", "collect") else line
    seen = asyncio.run(
        diagnose_host("win-01", machine.connect, fleet.api, bring=lambda: fleet.brought)
    )
    assert seen.error is not None
    with pytest.raises(TransomError):
        asyncio.run(
            collect_host("win-01", machine.connect, fleet.api, bring=lambda: fleet.brought, now=NOW)
        )


@pytest.mark.parametrize(
    "content", [b"7", b"[]", b'{"made": 7}', b'{"made": []}', b"{", DEEP, b'{"program": [1]}']
)
def test_an_odd_note_of_what_was_brought_is_none(fleet, content):
    apply(fleet)
    fleet.machines["win-01"].host.files.write(r"C:\k\transom\brought.json", content)

    async def there():
        return await NodeProgram(await fleet.machines["win-01"].connect()).is_there()

    assert asyncio.run(there()) is False


def test_the_answer_of_another_versions_program_is_no_error_it_is_replaced(fleet):
    apply(fleet)
    machine = fleet.machines["win-01"]
    machine.host.files.write(r"C:\k\transom\node.pyz", b"an older one")
    note = json.loads(machine.host.files.read(r"C:\k\transom\brought.json"))
    machine.host.files.write(
        r"C:\k\transom\brought.json", json.dumps({**note, "program": "0" * 64}).encode()
    )
    first: list[bytes] = []

    def odd(verb, line):
        if verb == "survey" and not first:
            first.append(verb)
            return b'{"kind": "Survey", "program": "' + b"0" * 64 + b'", "older": true}\n'
        return line

    machine.odd = odd
    assert [host.standing for host in surveyed(fleet).plan.hosts] == [Standing.UNCHANGED] * 2
    assert machine.host.files.read(r"C:\k\transom\node.pyz")[:2] == b"PK"


@dataclass
class Answering:
    """A session whose other end says just this."""

    said: bytes

    async def run(self, command, *, stdin=b"", timeout_s, on_line=None):
        del command, stdin, timeout_s, on_line
        return Completed(0, self.said, b"")


def answering(said):
    """The program of a host whose folder is known to be ours."""
    session: Any = Answering(said)
    program = NodeProgram(session)
    program._has_home = True
    return program


def overheard(machine):
    """The lines that a host answers, as they come."""
    lines: list[bytes] = []

    def hear(_verb, line):
        lines.append(line)
        return line

    machine.odd = hear
    return lines


ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**400,
    1.5,
    "",
    "\x1b[2J\0\ud800",
    "x" * 70_000,
    [],
    [7],
    {},
    {"a": 1},
)


def variations(document, path=()):
    """The document with each of its values in turn replaced by each odd one."""
    value = document
    for step in path:
        value = value[step]
    if path:
        for odd in ODD_VALUES:
            yield changed(document, path, odd)
    if isinstance(value, dict):
        for key in value:
            yield from variations(document, (*path, key))
    elif isinstance(value, list) and value:
        yield from variations(document, (*path, 0))


def changed(document, path, odd):
    copy = json.loads(json.dumps(document))
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = odd
    return copy


def test_whatever_one_value_of_a_survey_is_the_rest_of_the_fleet_is_planned(fleet):
    apply(fleet)
    seen = surveyed(fleet)
    true = overheard(fleet.machines["win-01"])
    asyncio.run(survey_fleet(fleet.fleet, fleet.lock, fleet.doors(), hosts=("win-01",)))
    request, tried = seen.requests["win-01"], 0
    for document in variations(json.loads(true[-1])):
        said = json.dumps(document).encode()
        try:
            found = asyncio.run(answering(said).survey(request))
        except TransomError as error:
            found = error
        if found is not None:
            surveys = {**seen.surveys, "win-01": found}
            plan = plan_of(seen.plan.fleet, surveys, seen.requests, checked=seen.plan.checked)
            assert list(plan_lines(plan))
            plan_document(plan)
            status_of(replace(seen, plan=plan, surveys=surveys), {})
        tried += 1
    assert tried > 500


def test_a_survey_of_this_version_with_an_unknown_disruption_is_refused(fleet):
    true = overheard(fleet.machines["win-01"])
    seen = surveyed(fleet)
    document = json.loads(true[-1])
    document["plan"]["steps"][1]["disruption"] = "earthquake"
    with pytest.raises(PermanentError, match="earthquake"):
        asyncio.run(answering(json.dumps(document).encode()).survey(seen.requests["win-01"]))


def test_a_defect_that_one_host_meets_is_raised_when_the_others_have_ended(fleet):
    ended = []

    async def act(host):
        if host.name == "win-01":
            raise ZeroDivisionError
        await asyncio.sleep(0)
        ended.append(host.name)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(each(fleet.fleet.hosts, act, parallel=2))
    assert ended == ["win-02"]
    assert isinstance(surveyed(fleet).surveys["win-02"], Survey)
