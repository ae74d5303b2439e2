"""The engine of checks: what it creates goes away whatever happens, and what it could not prove is never green."""

import asyncio
import itertools
from dataclasses import replace

import pytest
from tests.support.windows_cluster import Clock, WindowsCluster, node

from transom.errors import UsageError
from transom.kube.api import Api
from transom.kube.errors import Forbidden, Unavailable
from transom.model.lock import IMAGE, Lock, LockEntry, SumFrom
from transom.site.verification import (
    Order,
    chosen_nodes,
    images_of,
    keep,
    plan_of,
    result_of,
    tasks_of,
    verify,
)
from transom.verify.check import CheckOutcome
from transom.verify.checks import CHECKS, chosen
from transom.verify.reading.sources import Given, runs_at
from transom.verify.results import Outcome
from transom.verify.running.case import Case, Isolation, Setting, Wish
from transom.verify.running.look import look
from transom.verify.store import open_store
from transom.verify.summary import as_junit, runs_of, variant_of


def run(cluster, *names, **given):
    order = Order(checks=chosen(names=names), nodes=("win1",), **given)
    return asyncio.run(verify(Api(cluster), order, clock=Clock()))


def left_in(cluster):
    return [
        item["metadata"]["name"]
        for item in cluster.held("v1", "Namespace")
        if "transom" in item["metadata"]["name"]
    ]


def test_each_check_has_a_namespace_of_its_own_with_a_label_and_an_end():
    cluster = WindowsCluster()
    run(cluster, "exec", "logs")
    spaces = [name.name for name in cluster.created if name.kind == "Namespace"]
    assert len(spaces) == len(set(spaces)) == 2
    assert spaces[0].startswith("transom-verify-exec-")
    assert sorted(cluster.deleted) == sorted(spaces)


def test_checks_run_beside_each_other_up_to_the_bound():
    class Slow(WindowsCluster):
        async def create(self, manifest):
            for _ in range(20):
                await asyncio.sleep(0)
            return await super().create(manifest)

    cluster = Slow()
    names = [check.name for check in CHECKS if not check.is_disruptive]
    run(cluster, *names, parallel=3)
    assert cluster.most_at_once == 3
    assert left_in(cluster) == []


def test_disruptive_checks_wait_until_asked_for_and_run_alone():
    cluster = WindowsCluster()
    found = run(cluster, "reboot", "density", "exec")
    assert [item.outcome.value for item in found.results] == ["passed", "not-run", "not-run"]
    assert "--disruptive" in found.results[1].message
    cluster = WindowsCluster()
    found = run(cluster, "reboot", "density", is_disruptive=True)
    assert {item.outcome for item in found.results} == {CheckOutcome.PASSED}
    assert cluster.most_at_once == 1


def test_an_interrupted_run_takes_away_what_it_made():
    cluster = WindowsCluster("no-log")

    class Endless(Clock):
        async def sleep(self, _seconds):
            await asyncio.sleep(0)

    async def interrupted():
        order = Order(checks=chosen(names=("logs", "exec", "secret")), nodes=("win1",))
        task = asyncio.create_task(verify(Api(cluster), order, clock=Endless()))
        while not any(name.kind == "Pod" for name in cluster.created):  # noqa: ASYNC110 - no event tells it
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupted())
    assert cluster.created
    assert left_in(cluster) == []


def test_a_namespace_that_does_not_go_is_said_with_its_name():
    found = run(WindowsCluster("stuck-namespace"), "exec")
    assert found.results[0].outcome is CheckOutcome.PASSED
    assert "transom-verify-exec-" in found.results[0].left


def test_what_a_killed_run_left_is_swept_up_when_its_time_is_over():
    cluster = WindowsCluster()
    cluster.clock = 1000
    for name, expires in (("transom-verify-old", "999"), ("transom-verify-new", "1001")):
        labels, annotations = {"transom.dev/verify": "x"}, {"transom.dev/expires": expires}
        metadata = {"name": name, "labels": labels, "annotations": annotations}
        cluster.put({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    found = run(cluster, "node-ready")
    assert found.swept == ("transom-verify-old",)
    assert left_in(cluster) == ["transom-verify-new"]


@pytest.mark.parametrize(
    ("error", "code"), [(Unavailable("no answer"), 4), (Forbidden("may not"), 5)]
)
def test_trouble_with_the_api_says_nothing_of_the_node(error, code):
    class Broken(WindowsCluster):
        async def ask_kubelet(self, _node, _path):
            raise error

    found = run(Broken(), "node-stats")
    assert found.results[0].outcome is CheckOutcome.ERROR
    assert found.exit_code() == code


def test_the_api_is_waited_for_while_a_check_has_patience():
    class Restarting(WindowsCluster):
        asked = itertools.count()

        async def ask_kubelet(self, node, path):
            if path != "configz" and next(self.asked) < 5:
                raise Unavailable("no answer")
            return await super().ask_kubelet(node, path)

    assert run(Restarting(), "node-stats").exit_code() == 0


@pytest.mark.parametrize("check", ["exec", "logs"])
def test_a_kubelet_that_does_not_answer_is_a_fault_of_the_node(check):
    class Deaf(WindowsCluster):
        async def execute(self, pod, command, **given):
            del pod, command, given
            raise Unavailable("dial tcp 10.0.0.5:10250: i/o timeout")

        async def logs(self, pod, **given):
            del pod, given
            raise Unavailable("dial tcp 10.0.0.5:10250: i/o timeout")

    found = run(Deaf(), check)
    assert found.results[0].outcome is CheckOutcome.FAILED
    assert "i/o timeout" in found.results[0].message


def test_a_pod_that_admission_refuses_is_a_check_not_run():
    class Strict(WindowsCluster):
        async def create(self, manifest):
            if manifest["kind"] == "Pod":
                raise Forbidden("violates PodSecurity")
            return await super().create(manifest)

    cluster = Strict()
    found = run(cluster, "exec")
    assert found.results[0].outcome is CheckOutcome.NOT_RUN
    assert "violates PodSecurity" in found.results[0].message
    assert found.exit_code() == 5
    assert left_in(cluster) == []


@pytest.mark.parametrize(
    ("names", "faults", "strict", "code"),
    [
        (("exec",), (), False, 0),
        (("exec", "logs"), ("no-log",), False, 1),
        (("exec", "reboot"), (), False, 0),
        (("exec", "reboot"), (), True, 1),
        (("reboot",), (), False, 5),
    ],
)
def test_the_exit_says_what_is_proven(names, faults, strict, code):
    assert run(WindowsCluster(*faults), *names).exit_code(strict=strict) == code


def test_evidence_has_node_image_and_isolation():
    found = run(WindowsCluster(), "exec", wish=Wish(isolation=Isolation.HYPERV))
    said = found.results[0].evidence["pod shell"]
    assert "on win1" in said
    assert "sha256:" in said
    assert "RuntimeClass hyperv" in said


def test_a_dry_run_names_what_would_be_created_and_creates_nothing():
    cluster = WindowsCluster()
    order = Order(checks=CHECKS, nodes=("win1",))
    tasks = asyncio.run(tasks_of(Api(cluster), order))
    plan = plan_of(tasks, is_disruptive=False)
    assert cluster.writes == 0
    by_name = {item.check: item for item in plan.checks}
    assert by_name["secret"].creates[:2] == ("Namespace", "Secret words")
    assert "agnhost" in by_name["secret"].creates[2]
    assert "--disruptive" in by_name["reboot"].not_run
    assert by_name["node-ready"].creates == ()


def test_one_node_of_each_kind_is_checked_unless_more_are_asked_for():
    newer = node("win3")
    newer["status"]["nodeInfo"]["kernelVersion"] = "10.0.26100.1"
    cluster = WindowsCluster(nodes=[node("win2"), node("win1"), newer, node("lin1", "linux")])
    setting = asyncio.run(look(Api(cluster), Wish()))

    def names(**given):
        return [item.name for item in chosen_nodes(setting, Order(checks=(), **given))]

    assert names() == ["win1", "win3"]
    assert names(all_nodes=True) == ["win1", "win2", "win3"]
    assert names(nodes=("win2",)) == ["win2"]
    with pytest.raises(UsageError, match="lin1 is no Windows node"):
        names(nodes=("lin1",))


def test_unknown_checks_are_a_mistake():
    with pytest.raises(UsageError, match="there is no check nonsense"):
        chosen(names=("nonsense",))


def case(wish=None, build=20348, runtime="containerd://2.2.1"):
    fact = asyncio.run(look(Api(WindowsCluster()), wish or Wish())).nodes
    own = next(item for item in fact if item.name == "win1")
    own = replace(own, build=build, runtime=runtime)
    setting = Setting(version="1.37.1", nodes=(own,), wish=wish or Wish())
    return Case(setting=setting, node=own)


def test_images_come_from_the_facts_the_lock_or_the_person():
    image = case().image("agnhost")
    assert image.startswith("registry.k8s.io/e2e-test-images/agnhost:")
    entry = LockEntry(
        id=IMAGE, version=image, url="", sha256="b" * 64, size=1, sum_from=SumFrom.FIRST_USE
    )
    locked = images_of(Lock((entry,)), [])
    assert case(Wish(images=locked)).image("agnhost") == f"{image}@sha256:{'b' * 64}"
    there = Wish(images=locked, image_repository="registry.example/tests/")
    assert case(there).image("agnhost") == f"registry.example/tests/agnhost@sha256:{'b' * 64}"
    named = images_of(Lock(), ["agnhost=own.example/a@sha256:1"])
    assert case(Wish(images=named)).image("agnhost") == "own.example/a@sha256:1"
    with pytest.raises(UsageError):
        images_of(Lock(), ["other=x"])


def test_a_node_that_runs_no_build_of_an_image_is_not_judged_by_it():
    cluster = WindowsCluster(nodes=[node("win1")])
    old = node("win1")
    old["status"]["nodeInfo"]["kernelVersion"] = "10.0.19042.1"
    cluster.put(old)
    found = run(cluster, "exec")
    assert found.results[0].outcome is CheckOutcome.NOT_RUN
    assert "the node runs none of them (build 19042" in found.results[0].message
    assert cluster.created == []


def test_results_go_to_the_store_with_what_the_node_is(tmp_path):
    found = run(WindowsCluster("no-log"), "exec", "logs", "reboot")
    path = tmp_path / "results.db"
    keep(found, path)
    with open_store(path) as store:
        (kept,) = store.runs()
        names = store.names()
        outcomes = dict(zip(names, store.outcomes([kept])[0], strict=True))
    assert kept.variant.known() == {
        "kubernetes": "1.37.1",
        "windows": "20348",
        "kb": "revision 2582",
        "runtime": "containerd 2.2.1",
        "provider": "azure",
        "isolation": "process",
    }
    assert outcomes == {
        "[workload] exec": Outcome.PASSED,
        "[workload] logs": Outcome.FAILED,
        "[workload] reboot": Outcome.SKIPPED,
    }


def test_of_nodes_that_are_alike_the_worst_counts():
    cluster = WindowsCluster()
    bad = node("win2", conditions=[{"type": "Ready", "status": "False", "message": "gone"}])
    cluster.put(bad)
    order = Order(checks=chosen(names=("node-ready",)), all_nodes=True)
    found = asyncio.run(verify(Api(cluster), order, clock=Clock()))
    (kept,) = runs_of(found)
    (only,) = kept.results.cases()
    assert only.outcome is Outcome.FAILED
    assert only.message == "win2: the node is not Ready: gone"


def test_junit_is_read_back_as_it_was(tmp_path):
    found = run(WindowsCluster("no-log"), "exec", "logs", "reboot")
    (tmp_path / "junit.xml").write_text(as_junit(found), encoding="utf-8")
    (again,) = runs_at(tmp_path / "junit.xml", Given())
    assert again.variant == variant_of(found.setting, found.nodes[0])
    assert {item.name: item.outcome.name for item in again.results.cases()} == {
        "[workload] exec": "PASSED",
        "[workload] logs": "FAILED",
        "[workload] reboot": "SKIPPED",
    }


@pytest.mark.parametrize(
    ("faults", "names", "status", "reason"),
    [
        ((), ("exec",), "True", "ChecksPassed"),
        (("no-log",), ("exec", "logs"), "False", "ChecksFailed"),
        ((), ("reboot",), "Unknown", "NothingProven"),
    ],
)
def test_a_condition_on_the_node_says_what_was_found(faults, names, status, reason):
    cluster = WindowsCluster(*faults)
    run(cluster, *names, node_conditions=True)
    conditions = {
        item["type"]: item
        for item in next(
            found for found in cluster.held("v1", "Node") if found["metadata"]["name"] == "win1"
        )["status"]["conditions"]
    }
    assert conditions["Ready"]["status"] == "True"
    assert conditions["TransomVerified"]["status"] == status
    assert conditions["TransomVerified"]["reason"] == reason
    before = conditions["TransomVerified"]["lastTransitionTime"]
    cluster.clock = 2_000_000_000
    run(cluster, *names, node_conditions=True)
    again = next(f for f in cluster.held("v1", "Node") if f["metadata"]["name"] == "win1")
    mine = next(c for c in again["status"]["conditions"] if c["type"] == "TransomVerified")
    assert mine["lastTransitionTime"] == before
    assert mine["lastHeartbeatTime"].startswith("2033-")


def test_the_document_counts_by_node():
    (only,) = result_of(run(WindowsCluster("no-log"), "exec", "logs", "reboot")).nodes
    assert (only.passed, only.failed, only.not_run, only.errors) == (1, 1, 1, 0)
