"""The runner: order, resumption, retries, undoing, events and the lock."""

import json
import random
from dataclasses import replace

import pytest

from transom.errors import (
    InternalError,
    PermanentError,
    Refused,
    TemporaryError,
    UnsupportedError,
    UsageError,
)
from transom.model.request import Verb
from transom.model.version import VersionRange
from transom.node.engine.journal import Journal
from transom.node.engine.runner import Ending, Runner
from transom.node.engine.step import Applies
from transom.node.host.values import Completed, FeatureState
from transom.node.layout import Layout
from transom.node.steps import PREPARE, STEPS
from transom.node.steps.directories import Directories
from transom.node.steps.environment import Environment
from transom.node.steps.join import Layout as JoinLayout
from transom.node.steps.registry import Registry
from transom.testing.faults import Fault, PowerCut
from transom.testing.simulated_disk import LAYER

LAYOUT = Layout()
LATER = (
    *("preflight", "adopt", "computer-name", "upgrade"),
    *("kubelet-settings", "protected-files"),
)


def run(host, request, *, name="r1", steps=STEPS):
    return Runner(host, LAYOUT, name, steps).execute(request)


def events(host, name="r1"):
    return [json.loads(line) for line in host.disk.read(LAYOUT.events(name)).splitlines()]


def test_prepare_join_and_reset_leave_the_host_as_it_was(make_host, request_for):
    host = make_host()
    first = host.snapshot()
    assert run(host, request_for(Verb.PREPARE)).ending is Ending.DONE
    assert run(host, request_for(Verb.JOIN), name="r2").changed == (
        "services",  # behind a proxy: the API server is an exception from it
        "join",
        "kubelet-settings",
        "late-files",
        "protected-files",
        "program-services",
    )
    assert host.services.running("kubelet")
    run(host, request_for(Verb.RESET, remove_features=True), name="r3")
    assert host.snapshot() == first


def test_a_host_that_ran_pods_is_reset_though_its_image_layers_belong_to_trusted_installer(
    make_host, request_for
):
    host = make_host()
    first = host.snapshot()
    request = request_for(Verb.JOIN)
    root = replace(request.recipe.directories[0], path=r"C:\ProgramData\containerd\root", acl="")
    recipe = replace(request.recipe, directories=(*request.recipe.directories, root))
    run(host, replace(request, recipe=recipe))
    layer = root.path + r"\snapshots\1\Files"
    system = layer + r"\Windows\System32"
    host.files.make_directory(system)
    host.files.write(system + r"\ntdll.dll", b"MZ")
    for path in (system + r"\ntdll.dll", system, layer + r"\Windows", layer):
        host.files.set_acl(path, LAYER)
    with pytest.raises(PermanentError, match="Access is denied"):
        host.files.remove(system + r"\ntdll.dll")
    host.flush()
    run(host, request_for(Verb.RESET, remove_features=True), name="r2")
    assert host.snapshot() == first


def test_a_host_whose_kubeadm_somebody_removed_can_be_reset(make_host, request_for):
    host = make_host()
    first = host.snapshot()
    run(host, request_for(Verb.JOIN))
    host.files.remove(r"C:\k\kubeadm.exe")
    del host.programs["kubeadm.exe"]
    run(host, request_for(Verb.RESET, remove_features=True), name="r2")
    assert host.snapshot() == first


def test_reset_leaves_features_on_unless_asked(make_host, request_for):
    host = make_host()
    run(host, request_for(Verb.JOIN))
    run(host, request_for(Verb.RESET), name="r2")
    assert host.features.state("Containers") is FeatureState.ENABLED


def test_reset_of_a_host_without_a_journal_does_nothing(make_host, request_for):
    host = make_host()
    first = host.snapshot()
    assert run(host, request_for(Verb.RESET)).changed == ()
    assert host.snapshot() == first


@pytest.mark.parametrize("verb", [Verb.PREPARE, Verb.JOIN])
def test_a_second_run_changes_nothing(make_host, request_for, verb):
    host = make_host()
    run(host, request_for(verb))
    host.calls.clear()
    assert run(host, request_for(verb), name="r2").changed == ()
    own = LAYOUT.state.lower()
    assert [w for w in host.calls.writes if own not in w and w != "flush everything"] == []


def _lasting(request):
    return JoinLayout.of(request.recipe.join).lasting


@pytest.mark.parametrize("number", range(4))
def test_what_somebody_saved_without_its_last_newline_stays_a_node(make_host, request_for, number):
    host, request = make_host(), request_for(Verb.JOIN)
    run(host, request)
    path = _lasting(request)[number]
    host.files.write(path, host.files.read(path).rstrip(b"\n"), acl=host.files.acl(path))
    before = host.snapshot()
    # Another change in the same run: the journal is not settled when the join is looked at.
    setting = request.recipe.registry[0]
    host.registry.put(setting.key, setting.name, None)
    assert run(host, request, name="r2").changed == ("registry",)
    assert host.services.running("kubelet")
    assert host.snapshot() == before


@pytest.mark.parametrize("number", range(4))
def test_an_empty_file_is_no_part_of_a_node(make_host, request_for, number):
    host, request = make_host(), request_for(Verb.JOIN)
    run(host, request)
    path = _lasting(request)[number]
    host.files.write(path, b"")
    assert "join" in run(host, request, name="r2").changed
    assert host.files.read(path) != b""


def test_the_token_is_in_no_file_argument_event_or_journal(make_host, request_for, secrets):
    host = make_host()
    run(host, request_for(Verb.JOIN))
    kept = [entry.data for entry in host.disk._seen.values()]
    assert not any(secrets.token.encode() in data for data in kept)
    assert not any(secrets.token in word for argv in host.processes.ran for word in argv)
    assert secrets.token not in repr(request_for(Verb.JOIN))


def test_the_token_is_masked_in_the_error_of_a_failed_join(make_host, request_for, secrets):
    host = make_host()
    run(host, request_for(Verb.PREPARE))
    host.programs["kubeadm.exe"] = lambda _host, argv: Completed(
        code=int(argv[1] == "join"), output=f"bad token {secrets.token}"
    )
    with pytest.raises(PermanentError, match=r"bad token \*\*\*"):
        run(host, request_for(Verb.JOIN), name="r2")
    assert secrets.token.encode() not in host.disk.read(LAYOUT.events("r2"))


def test_a_failed_join_is_undone_but_what_was_prepared_before_stays(make_host, request_for):
    host = make_host()
    run(host, request_for(Verb.PREPARE))
    prepared = host.snapshot()
    host.programs["kubeadm.exe"] = lambda _host, argv: Completed(
        code=int(argv[1] == "join"), output="no"
    )
    with pytest.raises(PermanentError):
        run(host, request_for(Verb.JOIN), name="r2")
    assert host.snapshot() == prepared


def test_a_failed_run_is_kept_when_asked(make_host, request_for):
    host = make_host()
    host.source.content.clear()
    with pytest.raises(PermanentError, match="404"):
        run(host, request_for(Verb.PREPARE, keep_on_failure=True))
    assert host.environment.get("CRI_CONFIG") == "x"


def test_a_failed_run_is_undone_in_reverse_order(make_host, request_for):
    host = make_host()
    first = host.snapshot()
    host.source.content.clear()
    with pytest.raises(PermanentError, match="404"):
        run(host, request_for(Verb.PREPARE, remove_features=True))
    assert host.snapshot() == first
    undone = [event["step"] for event in events(host) if event["state"] == "undone"]
    order = [step.id for step in PREPARE]
    assert undone == sorted(undone, key=order.index, reverse=True)
    assert {"features", "directories", "registry"} < set(undone)


def test_a_refused_host_is_told_every_reason_and_not_touched(make_host, request_for):
    host = make_host()
    host.system.admin = False
    host.system.windows = (17763, 1)
    host.system.name = "other"
    host.system.free = 1
    host.network.taken = {10250}
    host.network.unreachable = {"dl.example:443"}
    host.network.server_times = {"10.0.0.1:6443": host.system.time - 301}
    first = host.snapshot()
    with pytest.raises(Refused) as caught:
        run(host, request_for(Verb.JOIN))
    ids = [refusal.id for refusal in caught.value.refusals]
    assert ids == [
        "not-elevated",
        "windows-build",
        "disk-space",
        "computer-name-differs",
        "port-in-use",
        "unreachable",
        "clock",
    ]
    assert host.snapshot() == first


def test_a_fresh_windows_has_the_roots_it_needs_fetched(make_host, request_for):
    host = make_host()
    host.roots.missing = {"dl.example"}
    run(host, request_for(Verb.PREPARE))
    assert host.roots.fetched == ["dl.example"]


def test_a_source_whose_root_windows_cannot_fetch_is_refused_before_anything_is_changed(
    make_host, request_for
):
    host = make_host()
    host.roots.missing, host.roots.updates = {"dl.example"}, False
    first = host.snapshot()
    with pytest.raises(Refused) as caught:
        run(host, request_for(Verb.PREPARE))
    (refusal,) = caught.value.refusals
    assert (refusal.id, refusal.subject) == ("untrusted-source", "dl.example:443")
    assert "unable to get local issuer certificate" in refusal.found
    assert host.snapshot() == first


def test_a_source_that_is_not_trusted_any_more_fails_the_run_at_once(make_host, request_for):
    host = make_host()
    host.roots.missing, host.roots.updates = {"dl.example"}, False
    host.network.distrust = lambda *_where, **_how: ""
    before = host.clock.monotonic()
    with pytest.raises(PermanentError, match=r"the certificate of dl.example is not trusted"):
        run(host, request_for(Verb.PREPARE))
    assert host.clock.monotonic() == before


def test_the_registry_is_flushed_at_the_end_of_a_run_that_changed_it_and_no_other(
    make_host, request_for
):
    host, asked, request = make_host(), [], request_for(Verb.PREPARE)
    flush = host.flush

    def note(*, registry=True):
        asked.append(registry)
        flush(registry=registry)

    host.flush = note
    run(host, request)
    host.files.write(request.recipe.files[0].path, b"somebody else's")
    assert "files" in run(host, request).changed
    assert asked == [True, False]


def test_an_api_server_that_tells_no_clock_is_only_refused_where_it_is_not_reached(
    make_host, request_for
):
    host = make_host()
    host.network.server_times = {}
    run(host, request_for(Verb.PREPARE))
    host.network.unreachable = {"10.0.0.1:6443"}
    with pytest.raises(Refused) as caught:
        run(host, request_for(Verb.JOIN))
    assert [refusal.subject for refusal in caught.value.refusals] == ["10.0.0.1:6443"]
    host.network.unreachable = set()
    assert "join" in run(host, request_for(Verb.JOIN)).changed


def test_a_node_somebody_else_joined_is_refused(make_host, request_for):
    host = make_host()
    host.files.make_directory(r"C:\etc\kubernetes")
    host.files.write(r"C:\etc\kubernetes\kubelet.conf", b"theirs")
    with pytest.raises(UnsupportedError):
        run(host, request_for(Verb.PREPARE))


def test_what_this_version_cannot_do_is_refused_before_anything_is_changed(
    make_host, request_for, recipe
):
    host = make_host()
    host.system.windows = (20348, 1)
    odd = replace(
        recipe,
        artifacts=(replace(recipe.artifacts[0], sha256=None),),
    )
    with pytest.raises(Refused) as caught:
        run(host, request_for(Verb.PREPARE, recipe=odd))
    ids = [refusal.id for refusal in caught.value.refusals]
    assert ids == ["windows-update", "not-locked"]


def test_a_temporary_error_is_retried_until_it_passes(make_host, request_for):
    host = make_host()
    host.source.breaks = [1, 1]
    assert run(host, request_for(Verb.PREPARE)).ending is Ending.DONE
    states = [event["state"] for event in events(host)]
    assert states.count("retrying") == 2
    assert ("https://dl.example/kubeadm.exe", 160) in host.source.asked


_STILL_READY = 'a Node with name "win-01" and status "Ready" already exists in the cluster.'


def still_ready(host, times):
    """Let kubeadm find the host's own Node so often, as long as the cluster does not miss it."""
    kubeadm, answers = host.programs["kubeadm.exe"], [_STILL_READY] * times

    def stubborn(inner, argv):
        if argv[1] == "join" and answers:
            inner.disk.append(r"C:\etc\kubernetes\pki\ca.crt", b"CA\n")
            return Completed(code=1, output=answers.pop())
        return kubeadm(inner, argv)

    host.programs["kubeadm.exe"] = stubborn


def test_a_join_that_was_cut_short_waits_until_the_cluster_misses_its_node(make_host, request_for):
    host = make_host()
    run(host, request_for(Verb.PREPARE))
    host.files.write(r"C:\etc\kubernetes\pki\ca.crt", b"CA\n")
    still_ready(host, 3)
    assert run(host, request_for(Verb.JOIN), name="r2").ending is Ending.DONE
    waited = [event for event in events(host, "r2") if event["state"] == "retrying"]
    assert len(waited) == 3
    assert "still takes win-01 for Ready" in waited[0]["message"]


def test_a_name_that_another_node_has_is_not_waited_for(make_host, request_for):
    host = make_host()
    run(host, request_for(Verb.PREPARE))
    prepared = host.snapshot()
    still_ready(host, 1)
    with pytest.raises(PermanentError, match="already exists in the cluster"):
        run(host, request_for(Verb.JOIN), name="r2")
    assert host.snapshot() == prepared


def test_a_temporary_error_is_final_when_the_deadline_is_near(make_host, request_for):
    host = make_host()
    host.source.breaks = [1] * 50
    with pytest.raises(TemporaryError):
        run(host, request_for(Verb.PREPARE, deadline_s=12))
    assert host.clock.time < 1_790_000_000 + 30


def test_a_feature_that_waits_for_a_boot_ends_the_run_and_the_next_run_goes_on(
    make_host, request_for
):
    host = make_host()
    host.features.need_reboot.add("Containers")
    assert run(host, request_for(Verb.PREPARE)).ending is Ending.REBOOT
    assert run(host, request_for(Verb.PREPARE), name="r2").ending is Ending.REBOOT
    host.flush()
    host.features.reboot()
    assert run(host, request_for(Verb.PREPARE), name="r3").ending is Ending.DONE


def test_another_fleet_and_another_cluster_are_refused(make_host, request_for, owner):
    host = make_host()
    run(host, request_for(Verb.JOIN))
    for change in ({"fleet": "other"}, {"cluster": "sha256:cd"}):
        with pytest.raises(PermanentError, match="belongs to fleet 'shop'"):
            run(host, request_for(Verb.RESET, owner=replace(owner, **change)), name="r2")


def test_a_prepared_host_is_bound_to_the_cluster_it_joins(make_host, request_for, owner):
    host = make_host()
    run(host, request_for(Verb.PREPARE, owner=replace(owner, cluster="")))
    run(host, request_for(Verb.JOIN), name="r2")
    journal = Journal.open(host.disk, LAYOUT.journal)
    assert journal is not None
    assert journal.contents.owner == owner


def test_a_second_run_at_once_is_told_who_holds_the_host(make_host, request_for):
    host = make_host()
    host.files.make_directory(LAYOUT.state)
    with (
        host.disk.lock(LAYOUT.lock, "run r0, prepare by cli, process 7"),
        pytest.raises(TemporaryError, match="run r0, prepare by cli, process 7"),
    ):
        run(host, request_for(Verb.PREPARE))


def test_a_run_stops_at_the_next_step_when_cancelled(make_host, request_for):
    host = make_host()

    class Cancelling(Directories):
        def apply(self, inner, drift):
            super().apply(inner, drift)
            host.files.write(LAYOUT.cancel, b"")

    steps = tuple(Cancelling() if step.id == "directories" else step for step in STEPS)
    outcome = run(host, request_for(Verb.PREPARE), steps=steps)
    assert outcome.ending is Ending.CANCELLED
    assert outcome.changed == ("features", "directories")


def test_a_step_without_effect_fails(make_host, request_for):
    class Lazy(Directories):
        def apply(self, inner, drift):
            pass

    with pytest.raises(PermanentError, match="had no effect"):
        run(make_host(), request_for(Verb.PREPARE), steps=(Lazy(),))


def test_a_defect_in_a_step_is_undone_and_named_as_a_defect(make_host, request_for):
    class Broken(Directories):
        def apply(self, inner, drift):
            super().apply(inner, drift)
            raise ZeroDivisionError

    host = make_host()
    first = host.snapshot()
    with pytest.raises(InternalError, match="ZeroDivisionError"):
        run(host, request_for(Verb.PREPARE), steps=(Broken(),))
    assert host.snapshot() == first


def test_a_journal_with_an_unknown_step_is_not_undone(make_host, request_for):
    host = make_host()
    run(host, request_for(Verb.PREPARE))
    with pytest.raises(UsageError, match="does not know"):
        run(host, request_for(Verb.RESET), name="r2", steps=STEPS[:3])


def test_a_step_that_does_not_apply_is_left_out(make_host, request_for):
    steps = (
        replace(Directories(), applies=Applies(builds=(17763,))),
        replace(Environment(), applies=Applies(kubernetes=VersionRange.parse("<1.20"))),
        Registry(),
    )
    assert run(make_host(), request_for(Verb.PREPARE), steps=steps).changed == ("registry",)


def test_a_plan_names_what_would_change_and_writes_nothing(make_host, request_for):
    host = make_host()
    plan = Runner(host, LAYOUT, "r1").plan(request_for(Verb.JOIN))
    assert [step.id for step, drift in plan.steps if drift] == [
        step.id for step in STEPS if step.id not in LATER
    ]
    assert host.calls.writes == []
    with pytest.raises(UsageError):
        run(host, request_for(Verb.PLAN))


def test_events_count_the_steps(make_host, request_for):
    host = make_host()
    run(host, request_for(Verb.JOIN))
    found = events(host)
    assert [event["seq"] for event in found] == list(range(1, len(found) + 1))
    assert found[-1] | {"time": ""} == {
        "apiVersion": "node.transom.dev/v1alpha1",
        "kind": "Event",
        "time": "",
        "run": "r1",
        "seq": len(found),
        "host": "win-01",
        "step": "",
        "state": "done",
        "level": "info",
        "message": "join done",
        "done": len(STEPS),
        "total": len(STEPS),
        "error": "",
        "hint": "",
    }
    assert found[0]["time"] == "2026-09-21T14:13:20.000+00:00"


@pytest.mark.parametrize("seed", range(40))
def test_a_power_cut_anywhere_in_a_run_is_recovered_by_the_next(make_host, request_for, seed):
    """Prepare, join and reset, each cut at a random call, end where a quiet run ends."""
    host = make_host()
    first = host.snapshot()
    chance = random.Random(seed)
    for verb in (Verb.JOIN, Verb.RESET):
        request = request_for(verb, remove_features=True)
        for attempt in range(3):
            host.calls.inject(Fault.CUT_AFTER, at=chance.randrange(1, 900))
            try:
                run(host, request, name=f"{verb.value}{attempt}")
            except PowerCut:
                host.power_cycle(chance)
            host.calls.clear()
        run(host, request, name=verb.value)
        if verb is Verb.JOIN:
            assert host.services.running("kubelet")
            assert run(host, request, name="again").changed == ()
    assert host.snapshot() == first
