"""What lint says the API server does is what the API server does, and what fix makes it takes."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.lab.apiserver import ApiServer

from pods import pods
from transom.facts.rules import Rule as Row
from transom.model.fleet import Taint, TaintEffect
from transom.model.version import Version
from transom.spec.loader import load
from transom.workload.catalogue import all_rules
from transom.workload.context import LintContext
from transom.workload.engine import Linter
from transom.workload.fix import Fixer
from transom.workload.place import Placer
from transom.workload.rule import Rule
from transom_lab.controlplane import Component
from transom_lab.lab import Lab, Wish

DATA = Path(__file__).parents[1] / "data"
EXAMPLES = Path(__file__).parents[2] / "examples"
TAINTS = (Taint("os", TaintEffect.NO_SCHEDULE, "windows"),)
CTX = LintContext(kubernetes=Version(1, 37), builds=(20348,), taints=TAINTS, today="2026-11-16")
GENERATED = 5_000
# Who else may refuse what the API server takes.
OTHERS = {"kubelet", "runtime", "kube-proxy", "pod-security"}
# Needs another flag of the API server, or a subresource that has tests of its own below.
NOT_BY_CREATION = {"WIN053", "WIN089", "WIN093"}


@pytest.fixture(scope="module")
def api(
    lone_lab: Callable[[str], Lab], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiServer]:
    """An API server alone: no scheduler and no nodes, so that nothing happens to what is made."""
    lab = lone_lab("truth")
    lab.down()
    try:
        lab.up(Wish(hosts=0, components=(Component.ETCD, Component.APISERVER)))
        server = ApiServer(lab.kubeconfig, scratch=tmp_path_factory.mktemp("client"))
        # Without controllers nobody makes the account that pods run under.
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
        server.post("/api/v1/namespaces/default/serviceaccounts", account)
        yield server
        server.close()
    finally:
        lab.down()


def claims(rule: Rule) -> Row | None:
    """The row that says the API server of the lab's version refuses something."""
    row = rule.row_at(CTX)
    is_claim = row is not None and (row.behaviour, row.enforced_by) == ("rejected", "apiserver")
    return row if is_claim and rule.id not in NOT_BY_CREATION else None


def examples(rule: Rule, kind: str) -> list[dict[str, Any]]:
    paths = sorted((DATA / "rules" / rule.name).glob(f"{kind}-*.yaml"))
    return [
        document.value for path in paths for document in load(path.read_bytes(), name=path.name)
    ]


@pytest.mark.parametrize(
    "rule", [rule for rule in all_rules() if claims(rule)], ids=lambda rule: rule.id
)
def test_what_a_rule_says_is_rejected_is_rejected_and_its_remedy_is_not(api, rule):
    row = claims(rule)
    assert row is not None
    fields = {path.rpartition(".")[2] for path in row.paths}
    fields |= {path.split(".")[-2] for path in row.paths if "." in path}
    for found in examples(rule, "bad"):
        verdict = api.dry_run(found)
        assert not verdict.accepted, found
        # A version that is gone has no path of its own any more, so that no field is judged.
        gone = verdict.message.strip() == "404 page not found"
        assert gone or any(field in verdict.message for field in fields), verdict.message
    for found in examples(rule, "good"):
        verdict = api.dry_run(found)
        assert verdict.accepted, verdict.message


def who(row: Row, pod: dict[str, Any]) -> str:
    """Who refuses, as the finding says it; without os.name it is never the API server."""
    if "os" not in pod["spec"] and row.when_os_name_unset and "os-name-windows" in row.scope:
        return "kubelet"
    return row.enforced_by


def test_generated_pods_are_judged_as_the_api_server_judges_them(api):
    """No error where it accepts, unless somebody else refuses; no silence where it refuses."""
    rows = {rule.id: row for rule in all_rules() if (row := rule.row_at(CTX)) is not None}
    linter = Linter(CTX)
    made = list(pods(GENERATED))
    wrong: list[str] = []
    silent: list[str] = []
    verdicts = api.judge(made)
    for pod, verdict in zip(made, verdicts, strict=True):
        findings = linter.lint(load(json.dumps(pod), name=pod["metadata"]["name"]))
        errors = [finding for finding in findings if finding.severity.value == "error"]
        refusers = {finding.rule: who(rows[finding.rule], pod) for finding in errors}
        if verdict.accepted:
            wrong += (
                f"{rule} in {json.dumps(pod)}"
                for rule, refuser in refusers.items()
                if refuser not in OTHERS
            )
        elif "apiserver" not in refusers.values():
            silent.append(f"{verdict.message} for {json.dumps(pod)}")
    assert wrong == []
    assert silent == []
    # The comparison is worth something only if both happen often.
    accepted = sum(verdict.accepted for verdict in verdicts)
    assert GENERATED // 4 < accepted < GENERATED * 3 // 4


@pytest.mark.parametrize("name", sorted(path.stem for path in (DATA / "samples").glob("*.yaml")))
def test_samples_are_accepted_once_they_are_fixed_and_placed(api, name):
    data = (DATA / "samples" / f"{name}.yaml").read_bytes()
    fixed = Fixer(CTX, unsafe=True).fix(data, name=name)
    assert fixed.left == []
    placed = Placer(ctx=CTX).place(fixed.data, name=name)
    assert placed.left == []
    for document in load(placed.data, name=name):
        verdict = api.dry_run(document.value)
        assert verdict.accepted, verdict.message


@pytest.mark.parametrize("name", ["named-pipe.yaml", "run-as-user.yaml"])
def test_examples_of_the_documentation_are_accepted(api, name):
    for document in load((EXAMPLES / name).read_bytes(), name=name):
        verdict = api.dry_run(document.value)
        assert verdict.accepted, verdict.message


def windows_pod(name: str, **spec: Any) -> dict[str, Any]:
    limits = {"limits": {"cpu": "1", "memory": "1Gi"}}
    container = {"name": "web", "image": "example.com/web:1", "resources": limits}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container], **spec},
    }


def test_a_windows_pod_is_not_resized_in_place(api):
    """WIN089, whose offence is a request and not a manifest."""
    more = {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}
    wanted = {"spec": {"containers": [{"name": "web", "resources": more}]}}
    for name, spec, accepted in (
        ("resized-windows", {"os": {"name": "windows"}}, False),
        ("resized-linux", {"os": {"name": "linux"}}, True),
    ):
        assert api.create(windows_pod(name, **spec)).accepted
        verdict = api.patch(f"/api/v1/namespaces/default/pods/{name}/resize", wanted)
        assert verdict.accepted is accepted, verdict.message
        assert accepted or "windows" in verdict.message.lower()


def test_the_status_of_a_windows_pod_has_no_linux_user(api):
    """WIN093, whose offence is written by kubelets and not by people."""
    user = {"linux": {"uid": 0, "gid": 0}}
    status = {"name": "web", "user": user, "image": "", "imageID": "", "ready": False}
    wanted = {"status": {"containerStatuses": [{**status, "restartCount": 0, "state": {}}]}}
    for name, spec, accepted in (
        ("status-windows", {"os": {"name": "windows"}}, False),
        ("status-linux", {"os": {"name": "linux"}}, True),
    ):
        assert api.create(windows_pod(name, **spec)).accepted
        verdict = api.patch(f"/api/v1/namespaces/default/pods/{name}/status", wanted)
        assert verdict.accepted is accepted, verdict.message
