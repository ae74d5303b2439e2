"""The node program's verbs: a request in, JSON lines out, an exit code that says what to do."""

import io
import json
import sys
import zipfile
from zipimport import zipimporter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.model.codec import encode
from transom.model.order import Order, write_order
from transom.model.request import Verb
from transom.node.layout import Layout
from transom.node.packaging.zip_main import Compiled
from transom.node.verbs.attach import follow
from transom.node.verbs.program import main, reads_its_file
from transom.testing.simulated_host import SimulatedHost

LAYOUT = Layout()


class Caller:
    """Runs verbs on one host; gives the exit code and what was said."""

    def __init__(self, host):
        self.host = host

    def __call__(self, *argv, request=None):
        text = request if isinstance(request, str) else json.dumps(encode(request))
        out = io.StringIO()
        code = main(argv, machine=self.host, stdin=io.StringIO(text), stdout=out)
        return code, [json.loads(line) for line in out.getvalue().splitlines()]


def test_an_order_on_stdin_is_the_same_as_words(call, request_for):
    asked = request_for(Verb.PLAN)
    _, by_words = call("plan", request=asked)
    packed = write_order(Order(verb="plan", input=asked)).decode()
    assert call(request=packed) == (0, by_words)
    plain = json.dumps(encode(Order(verb="plan", input=asked)))
    assert call(request=plain) == (0, by_words)
    _, begun = call(request=write_order(Order(verb="attach", options=("--run", "none"))).decode())
    assert begun == call("attach", "--run", "none", request="")[1]


@pytest.mark.parametrize(
    "text", ["", "nonsense", "{}", "[]", "bm9uc2Vuc2U=", '{"kind": "Order"}', '{"verb": "plan"']
)
def test_what_is_no_order_is_the_callers_mistake(call, text):
    code, said = call(request=text)
    assert code == 2
    assert said[0]["kind"] == "Failure"
    assert said[0]["subject"] == "the order"


@pytest.fixture
def call(make_host):
    return Caller(make_host())


def test_a_run_in_the_foreground_prints_its_events_and_its_result(call, request_for):
    code, said = call("join", "--foreground", "--run", "r1", request=request_for(Verb.JOIN))
    assert code == 0
    assert [line["state"] for line in said[:-1]][-1] == "done"
    assert said[-1]["kind"] == "Result"
    assert said[-1]["run"] == "r1"
    assert "join" in said[-1]["changed"]


def test_a_survey_tells_every_step_of_a_host_that_differs_and_none_of_one_that_does_not(
    call, request_for
):
    asked = request_for(Verb.PLAN)
    bare = call("survey", request=asked)[1][0]["plan"]["steps"]
    assert bare == call("plan", request=asked)[1][0]["steps"]
    assert any(not step["drift"] for step in bare)
    assert call("join", "--foreground", "--run", "r1", request=request_for(Verb.JOIN))[0] == 0
    assert call("survey", request=asked)[1][0]["plan"]["steps"] == []


def test_a_run_apart_from_the_session_is_handed_the_request_and_followed(call, request_for):
    host = call.host
    argv = ["prepare", "--run", "r1"]
    start = host.background.start

    def start_and_work(words, payload):
        assert request_for(Verb.PREPARE).owner.fleet.encode() in payload
        assert not any("shop" in word for word in words)
        start(words, payload)
        main([*words[2:]], machine=host, stdin=io.StringIO(), stdout=io.StringIO())

    host.background.start = start_and_work
    code, said = call(*argv, request=request_for(Verb.PREPARE))
    assert code == 0
    assert said[-1]["message"] == "prepare done"


def test_what_is_read_from_the_zip_is_told_from_what_is_in_memory(tmp_path):
    file = tmp_path / "node.pyz"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("transom.py", "")
    assert reads_its_file(zipimporter(str(file)))
    assert not reads_its_file(Compiled("beside", {}))


def test_the_exit_code_of_a_run_apart_is_that_of_its_error(call, request_for):
    host = call.host
    host.system.admin = False
    start = host.background.start

    def start_and_work(words, payload):
        start(words, payload)
        main([*words[2:]], machine=host, stdin=io.StringIO(), stdout=io.StringIO())

    host.background.start = start_and_work
    code, said = call("prepare", request=request_for(Verb.PREPARE))
    assert code == 3
    assert [line["error"] for line in said if line["step"] == "preflight"][-1] == "not-elevated"


def test_attach_gives_what_was_missed_from_an_offset(call, request_for):
    call("prepare", "--foreground", "--run", "r1", request=request_for(Verb.PREPARE))
    data = call.host.disk.read(LAYOUT.events("r1"))
    offset = data.index(b"\n") + 1
    code, said = call("attach", "--run", "r1", "--from", str(offset))
    assert code == 0
    assert said[0]["seq"] == 2


@pytest.mark.parametrize("beyond", [0, 1000])
def test_attach_at_the_end_of_a_finished_run_ends_at_once_as_it_did(call, request_for, beyond):
    call.host.system.admin = False
    failed, _ = call("prepare", "--foreground", "--run", "r1", request=request_for(Verb.PREPARE))
    began = call.host.clock.monotonic()
    size = len(call.host.disk.read(LAYOUT.events("r1")))
    assert call("attach", "--run", "r1", "--from", str(size + beyond)) == (failed, [])
    assert failed
    assert call.host.clock.monotonic() == began


@given(cut=st.integers(min_value=0))
def test_attach_from_any_byte_passes_on_every_event_that_was_not_wholly_seen(cut):
    host = SimulatedHost()
    lines = [
        {"seq": 1, "step": "", "state": "started", "error": ""},
        {"seq": 2, "step": "files", "state": "failed", "error": ""},
        {"seq": 3, "step": "", "state": "done", "error": ""},
    ]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    host.files.make_directory(LAYOUT.home + r"\state\events")
    host.disk.append(LAYOUT.events("r1"), data)
    offset = cut % (len(data) + 1)
    said: list[dict[str, object]] = []
    assert follow(host, LAYOUT, "r1", offset, said.append) == 0
    assert said == lines[data[:offset].count(b"\n") :]


def test_attach_to_a_silent_run_ends(call):
    with call.host.disk.lock(LAYOUT.lock, "a run that hangs"):
        code, said = call("attach", "--run", "never")
    assert code == 5
    assert "nothing was written" in said[0]["message"]


def test_attach_to_a_run_that_nobody_works_at_ends_soon_and_says_what_to_do(call):
    began = call.host.clock.monotonic()
    call.host.files.make_directory(LAYOUT.home + r"\state\events")
    call.host.disk.append(LAYOUT.events("torn"), b"{")
    code, said = call("attach", "--run", "torn")
    assert code == 4
    assert "was cut off on the host" in said[0]["message"]
    assert "same command again" in said[0]["hint"]
    assert call.host.clock.monotonic() - began < 30


def test_attach_tells_a_run_that_never_began_from_one_that_was_cut_off(call):
    code, said = call("attach", "--run", "never")
    assert (code, said[0]["error"]) == (4, "NotBegun")


def test_attach_waits_for_a_run_that_is_about_to_begin(call):
    call.host.background.start(("node.pyz", "join"), b"")
    code, said = call("attach", "--run", "slow")
    assert (code, said[0]["error"]) == (5, "PermanentError")


def test_a_run_that_fails_outside_its_steps_says_so_in_its_last_event(
    call, request_for, monkeypatch
):
    def broken(*_):
        raise ValueError("a defect")

    monkeypatch.setattr("transom.node.engine.runner.health_before", broken)
    code, said = call("prepare", "--foreground", "--run", "r1", request=request_for(Verb.PREPARE))
    assert code == 70
    events = [json.loads(line) for line in call.host.disk.read(LAYOUT.events("r1")).splitlines()]
    assert (events[-1]["step"], events[-1]["state"], events[-1]["error"]) == (
        *("", "failed", "InternalError"),
    )
    assert "a defect" in said[-1]["message"]


def test_a_run_name_is_used_once(call, request_for):
    call("prepare", "--foreground", "--run", "r1", request=request_for(Verb.PREPARE))
    code, said = call("prepare", "--foreground", "--run", "r1", request=request_for(Verb.PREPARE))
    assert code == 2
    assert said[0]["message"] == "there was a run r1 already"


def test_a_reboot_that_has_to_come_first_is_told_by_the_exit_code(call, request_for):
    call.host.features.need_reboot.add("Containers")
    code, said = call("prepare", "--foreground", request=request_for(Verb.PREPARE))
    assert code == 4
    assert said[-1]["ending"] == "reboot"


def test_a_refusal_names_every_reason(call, request_for):
    call.host.system.admin = False
    call.host.system.name = "other"
    code, said = call("prepare", "--foreground", request=request_for(Verb.PREPARE))
    assert code == 3
    assert [item["id"] for item in said[-1]["refused"]] == ["not-elevated", "computer-name-differs"]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("no JSON", 2, "the request has 1 mistake"),
        ("{}", 2, "the request has 1 mistake"),
        ("[" * 100_000, 2, "the request has 1 mistake"),
    ],
)
def test_an_unreadable_request_changes_nothing(call, text, code, message):
    first = call.host.snapshot()
    got, said = call("prepare", "--foreground", request=text)
    assert (got, said[0]["message"]) == (code, message)
    assert said[0]["mistakes"][0]["message"]
    assert call.host.snapshot() == first


def test_the_verb_must_be_the_requests(call, request_for):
    code, said = call("join", "--foreground", request=request_for(Verb.PREPARE))
    assert code == 2
    assert said[0]["message"] == "the request says prepare, the command join"


def test_another_kind_of_document_is_refused(call, request_for):
    document = encode(request_for(Verb.PREPARE)) | {"kind": "Recipe"}
    code, said = call("prepare", "--foreground", request=json.dumps(document))
    assert code == 2
    (mistake,) = said[0]["mistakes"]
    assert mistake["message"] == "Request is a node.transom.dev/v1alpha1 Recipe, not a Request"


def test_plan_shows_drift_and_disruption_and_no_secret(call, request_for, secrets):
    code, said = call("plan", request=request_for(Verb.PLAN, join=secrets))
    steps = {step["step"]: step for step in said[0]["steps"]}
    assert code == 0
    assert steps["features"]["disruption"] == "reboot"
    assert said[0]["refusals"] == []
    assert "preflight" not in steps
    assert secrets.token not in json.dumps(said)


def test_status_tells_the_owner_and_whether_the_host_joined(call, request_for, owner):
    assert call("status")[1][0]["owner"] is None
    call("join", "--foreground", request=request_for(Verb.JOIN))
    with call.host.disk.lock(LAYOUT.lock, "a run"):
        assert call("cancel") == (0, [])
    status = call("status")[1][0]
    assert status["owner"] == encode(owner)
    assert status["joined"]
    assert status["cancelling"]
    assert status["intents"] == status["settled"] > 0


@pytest.mark.parametrize("is_bare", [True, False])
def test_where_no_run_is_under_way_there_is_nothing_to_cancel(call, request_for, is_bare):
    """And the next run is not told to stop."""
    if not is_bare:
        call("prepare", "--foreground", request=request_for(Verb.PREPARE))
    code, said = call("cancel")
    assert (code, said[0]["message"]) == (2, "no run is under way on this host")
    assert not call("status")[1][0]["cancelling"]


@pytest.mark.parametrize("garbage", [b"\0\0\0\n", b"nonsense\n", b'{"a": 1}\n', b"[5]\n"])
@pytest.mark.parametrize("offset", ["0", "4"])
def test_what_a_power_cut_left_in_an_event_file_is_passed_over(call, request_for, garbage, offset):
    call("prepare", "--foreground", "--run", "r1", request=request_for(Verb.PREPARE))
    path = LAYOUT.events("r1")
    call.host.files.write(path, garbage + call.host.files.read(path))
    code, said = call("attach", "--run", "r1", "--from", offset)
    assert (code, {line["kind"] for line in said}) == (0, {"Event"})


def test_a_kubeconfig_that_cannot_be_used_is_the_callers_mistake(call, request_for):
    call.host.files.write(r"C:\bad.conf", b"\xff\xfe\x00bad")
    for path, words in ((r"C:\none.conf", "there is no"), (r"C:\bad.conf", "cannot use")):
        code, said = call("join", "--kubeconfig", path, request=request_for(Verb.JOIN))
        assert (code, words in said[0]["message"]) == (2, True)


def test_a_watch_without_a_join_is_the_callers_mistake(call, request_for):
    code, said = call("watch", request=request_for(Verb.JOIN, join=None))
    assert (code, said[0]["error"]) == (2, "UsageError")


def test_a_defect_is_told_as_one_and_not_by_the_code_of_a_finding(call, capsys):
    call.host.files.make_directory(LAYOUT.programs)
    call.host.files.write(LAYOUT.programs + r"\x.json", b"{torn")
    code, said = call("status")
    assert (code, said[0]["error"]) == (70, "InternalError")
    assert "Traceback" in capsys.readouterr().err


def test_undo_takes_back_what_a_kept_failure_left(call, request_for):
    first = call.host.snapshot()
    assert call("undo", "--foreground", "--run", "u0", request=request_for(Verb.UNDO))[0] == 0
    call.host.source.content.clear()
    kept = request_for(Verb.PREPARE, keep_on_failure=True, remove_features=True)
    assert call("prepare", "--foreground", request=kept)[0] == 5
    assert call.host.snapshot() != first
    undo = request_for(Verb.UNDO, remove_features=True)
    assert call("undo", "--foreground", request=undo)[0] == 0
    assert call.host.snapshot() == first


def test_inventory_tells_what_the_host_is(call, request_for):
    call("join", "--foreground", request=request_for(Verb.JOIN))
    found = call("inventory")[1][0]
    assert found["name"] == "win-01"
    assert found["windows"] == {"build": 20348, "revision": 2700}
    assert [service["name"] for service in found["services"]] == [
        "containerd",
        "kubelet",
        "kube-proxy",
    ]
    assert found["services"][1]["running"]
    assert found["runtimes"] == ["containerd"]


def test_the_program_says_so_where_there_is_no_windows(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    out = io.StringIO()
    assert main(["inventory"], stdin=io.StringIO(), stdout=out) == 2
    assert "runs on Windows" in json.loads(out.getvalue())["message"]
