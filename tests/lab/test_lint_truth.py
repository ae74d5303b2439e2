"""What lint says the API server does is what the API server does, and what fix makes it takes.

Asked of the API server of every minor that the lab builds.
"""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.lab.apiserver import ApiServer

from pods import pods
from transom.facts.rules import Rule as Row
from transom.model.taint import Taint, TaintEffect
from transom.model.version import Version, VersionRange
from transom.workload.catalogue import all_rules
from transom.workload.context import LintContext
from transom.workload.engine import Linter
from transom.workload.fix import Fixer
from transom.workload.place import Placer
from transom.workload.platform import decide
from transom.workload.pods import objects_in, pods_in
from transom.workload.rule import Rule
from transom.yamlio.loader import load
from transom_lab.controlplane import ARGUMENTS, Component
from transom_lab.lab import Lab, Wish

DATA = Path(__file__).parents[1] / "data"
EXAMPLES = Path(__file__).parents[2] / "examples"
TAINTS = (Taint("os", TaintEffect.NO_SCHEDULE, "windows"),)
# The newest and the oldest API server that the lab builds; the newest first, as the others are more alike.
VERSIONS = ("1.37.1", "1.36.4")
GENERATED = 5_000
# Who else may refuse what the API server takes.
OTHERS = {"kubelet", "runtime", "kube-proxy", "pod-security", "scheduler"}
# A request to a subresource offends these; they have tests of their own below.
NOT_BY_CREATION = {"WIN089", "WIN093"}
READY_S = 60.0


def context_of(version: str) -> LintContext:
    """What the rules are told about a cluster of that version."""
    minor = Version.parse(version)
    return LintContext(
        kubernetes=Version(minor.major, minor.minor),
        builds=(20348,),
        taints=TAINTS,
        today="2026-11-16",
    )


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """What the API server runs."""
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def ctx(version: str) -> LintContext:
    """What the rules are told about it."""
    return context_of(version)


@pytest.fixture(scope="module")
def bare_lab(lone_lab: Callable[[str], Lab], version: str) -> Iterator[Lab]:
    """An API server alone: no scheduler and no nodes, so that nothing happens to what is made."""
    lab = lone_lab("truth")
    lab.down()
    try:
        parts = (Component.ETCD, Component.APISERVER)
        lab.up(Wish(hosts=0, kubernetes=version, components=parts))
        yield lab
    finally:
        lab.down()


@pytest.fixture(scope="module")
def api(bare_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """The server as kubeadm starts it."""
    server = ApiServer(bare_lab.kubeconfig, scratch=tmp_path_factory.mktemp("client"))
    make_account(server, "default")
    yield server
    server.close()


@pytest.fixture(scope="module")
def strict_api(
    api: ApiServer, bare_lab: Lab, ctx: LintContext, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiServer]:
    """The same server with gates that are off by default, and without privileged pods."""
    gates = ",".join(f"{gate}=true" for gate in sorted(strict(ctx).gates))
    api.close()
    restart(bare_lab, f"--feature-gates={gates}", "--allow-privileged=false")
    server = ApiServer(bare_lab.kubeconfig, scratch=tmp_path_factory.mktemp("strict"))
    yield server
    server.close()
    restart(bare_lab)


def restart(lab: Lab, *flags: str) -> None:
    """Start the API server anew; of a flag that is repeated the last counts."""
    plane = lab.control_plane
    program = str(lab.program("kube-apiserver"))
    plane.room.stop(Component.APISERVER)
    argv = [program, *ARGUMENTS[Component.APISERVER](plane.directory), *flags]
    plane.room.spawn(Component.APISERVER, argv, log=plane.directory / "apiserver.log")
    ready = [str(lab.program("kubectl")), "--kubeconfig", str(lab.kubeconfig)]
    deadline = time.monotonic() + READY_S
    while plane.room.call(
        [*ready, "--server", "https://127.0.0.1:6443", "get", "--raw", "/readyz"],
        timeout_s=READY_S,
        check=False,
    ).returncode:
        assert time.monotonic() < deadline, "the API server did not start again"
        time.sleep(0.2)


def make_account(server: ApiServer, namespace: str) -> None:
    """Make the account that pods run under: without controllers nobody else does."""
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    server.post(f"/api/v1/namespaces/{namespace}/serviceaccounts", account)


def is_claim(row: Row) -> bool:
    """Whether a row says that the API server refuses something."""
    return (row.behaviour, row.enforced_by) == ("rejected", "apiserver")


def claims(rule: Rule, ctx: LintContext) -> Row | None:
    """The row that says the API server of the lab's version refuses the creation of something."""
    row = rule.row_at(ctx)
    return row if row is not None and is_claim(row) and rule.id not in NOT_BY_CREATION else None


def rows_of_the_version(ctx: LintContext) -> list[Row]:
    """The rows of claims whose range has the version, whatever gates they want."""
    rows = (row for rule in all_rules() for row in rule.rows if is_claim(row))
    return [row for row in rows if ctx.kubernetes in VersionRange.parse(row.kubernetes)]


def strict(ctx: LintContext) -> LintContext:
    """The same cluster with gates that are off by default, and without privileged pods."""
    rows = rows_of_the_version(ctx)
    gates = {row.gate: True for row in rows if row.gate and not row.effective_since}
    return ctx._replace(gates=gates, privileged_forbidden=True)


# The rule whose claim is about a flag and not a gate.
OF_A_FLAG = "WIN053"


def by_default(ctx: LintContext) -> list[Rule]:
    return [rule for rule in all_rules() if claims(rule, ctx) and rule.id != OF_A_FLAG]


def by_choice(ctx: LintContext) -> list[Rule]:
    usual = by_default(ctx)
    return [rule for rule in all_rules() if claims(rule, strict(ctx)) and rule not in usual]


Judging = Callable[..., None]


def of_each_version(choose: Callable[[LintContext], list[Rule]]) -> Callable[[Judging], Judging]:
    """Each rule that claims something, with the versions in which it does."""
    chosen = {version: choose(context_of(version)) for version in VERSIONS}
    found = {rule.id: rule for rules in chosen.values() for rule in rules}
    rules = [found[name] for name in sorted(found)]

    def mark(test: Judging) -> Judging:
        there = pytest.mark.where(lambda version, rule: rule in chosen[version])
        marked: Judging = there(pytest.mark.parametrize("rule", rules, ids=rule_id)(test))
        return marked

    return mark


def rule_id(rule: Rule) -> str:
    return rule.id


def examples(rule: Rule, kind: str) -> list[dict[str, Any]]:
    paths = sorted((DATA / "rules" / rule.name).glob(f"{kind}-*.yaml"))
    return [
        document.value for path in paths for document in load(path.read_bytes(), name=path.name)
    ]


@pytest.mark.parametrize("ctx", [*map(context_of, VERSIONS)], ids=VERSIONS)
def test_no_claim_about_this_version_is_left_out(ctx):
    tested = {rule.id for rule in (*by_default(ctx), *by_choice(ctx))} | NOT_BY_CREATION
    assert {row.id for row in rows_of_the_version(ctx)} == tested


@of_each_version(by_default)
def test_what_a_rule_says_is_rejected_is_rejected_and_its_remedy_is_not(api, ctx, rule):
    judge_examples(api, rule, ctx)


def judge_examples(api: ApiServer, rule: Rule, ctx: LintContext) -> None:
    row = claims(rule, ctx)
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


def is_of_others(pod: dict[str, Any], message: str, ctx: LintContext) -> bool:
    """Whether a version refuses a value of every pod, and this one is not for Windows."""
    (view,) = objects_in(pod)
    (found,) = pods_in(view)
    decide(found, ctx)
    return not found.is_windows and "seLinuxChangePolicy: Unsupported value" in message


def test_generated_pods_are_judged_as_the_api_server_judges_them(api, ctx):
    """No error where it accepts, unless somebody else refuses; no silence where it refuses."""
    rows = {rule.id: row for rule in all_rules() if (row := rule.row_at(ctx)) is not None}
    linter = Linter(ctx)
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
        elif "apiserver" not in refusers.values() and not is_of_others(pod, verdict.message, ctx):
            silent.append(f"{verdict.message} for {json.dumps(pod)}")
    assert wrong == []
    assert silent == []
    # The comparison is worth something only if both happen often.
    accepted = sum(verdict.accepted for verdict in verdicts)
    assert GENERATED // 4 < accepted < GENERATED * 3 // 4


@pytest.mark.parametrize("name", sorted(path.stem for path in (DATA / "samples").glob("*.yaml")))
def test_samples_are_accepted_once_they_are_fixed_and_placed(api, ctx, name):
    data = (DATA / "samples" / f"{name}.yaml").read_bytes()
    fixed = Fixer(ctx, unsafe=True).fix(data, name=name)
    assert fixed.left == []
    placed = Placer(ctx=ctx).place(fixed.data, name=name)
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


def test_levels_of_pod_security_refuse_what_lint_says(api, ctx):
    """WIN063 and WIN064, whose judge is asked only in namespaces that enforce a level."""
    for level in ("baseline", "restricted"):
        labels = {"pod-security.kubernetes.io/enforce": level}
        namespace = {"name": level, "labels": labels}
        made = api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": namespace})
        assert made.accepted, made.message
        make_account(api, level)
    options = {"hostProcess": True, "runAsUserName": "NT AUTHORITY\\SYSTEM"}
    host_process = {"hostNetwork": True, "securityContext": {"windowsOptions": options}}
    unprivileged = {"securityContext": {"runAsNonRoot": True}}
    windows = {"os": {"name": "windows"}}
    for level, rule, spec in (
        ("baseline", "WIN063", {**windows, **host_process}),
        ("restricted", "WIN063", {**windows, **host_process}),
        ("restricted", "WIN064", {"nodeSelector": {"kubernetes.io/os": "windows"}, **unprivileged}),
        ("baseline", "", windows),
        ("restricted", "", {**windows, **unprivileged}),
    ):
        pod = windows_pod("judged", **spec)
        pod["metadata"]["namespace"] = level
        verdict = api.dry_run(pod)
        assert verdict.accepted is not bool(rule), verdict.message
        assert not rule or f'violates PodSecurity "{level}' in verdict.message
        linter = Linter(ctx._replace(pod_security={level: level}))
        found = {finding.rule for finding in linter.lint(load(json.dumps(pod), name="pod"))}
        assert found & {"WIN063", "WIN064"} == ({rule} if rule else set())


@of_each_version(by_choice)
def test_claims_about_gates_and_flags_are_true_once_those_are_set(strict_api, ctx, rule):
    judge_examples(strict_api, rule, strict(ctx))
