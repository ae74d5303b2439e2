"""Documents become findings: the right pods, places, words and severities."""

from transom.model.finding import Severity
from transom.model.taint import Taint, TaintEffect
from transom.model.version import Version
from transom.spec.loader import load
from transom.workload.context import LintContext
from transom.workload.engine import Linter

CTX = LintContext(kubernetes=Version(1, 37), today="2026-11-16")

PRIVILEGED = """\
      nodeSelector: {kubernetes.io/os: windows}
      containers:
      - name: web
        image: registry.example.com/web:1
        securityContext:
          privileged: false
"""
DEPLOYMENT = f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      os: {{name: windows}}
{PRIVILEGED}"""


def lint(text, ctx=CTX, **settings):
    linter = Linter(ctx, **settings)
    return linter.lint(load(text, name="web.yaml")) + linter.links.settle()


def of_rule(findings, rule):
    return [finding for finding in findings if finding.rule == rule]


def test_a_finding_says_what_where_why_and_what_to_do():
    (finding,) = of_rule(lint(DEPLOYMENT), "WIN025")
    assert (finding.kind, finding.namespace, finding.name) == ("Deployment", "shop", "web")
    assert finding.path == "spec.template.spec.containers[0].securityContext.privileged"
    assert (finding.line, finding.column) == (15, 11)
    assert finding.severity is Severity.ERROR
    expected = "container privileged on a Windows pod (false): rejected by the API server"
    assert finding.message == expected
    assert finding.fix.endswith(".")
    assert finding.evidence[0] == "os.name is windows"


def test_without_os_name_the_api_server_refuses_nothing():
    text = DEPLOYMENT.replace("      os: {name: windows}\n", "")
    (finding,) = of_rule(lint(text), "WIN025")
    assert finding.severity is Severity.WARNING
    assert finding.message.endswith("not supported on Windows")


def test_linux_pods_are_left_in_peace():
    text = DEPLOYMENT.replace("windows", "linux")
    assert lint(text) == []


def test_every_pod_bearing_kind_is_seen():
    for kind in ("DaemonSet", "ReplicaSet", "StatefulSet", "Job", "ReplicationController"):
        assert of_rule(lint(DEPLOYMENT.replace("Deployment", kind)), "WIN025"), kind


def test_cron_jobs_are_seen():
    indented = PRIVILEGED.replace("\n", "\n    ").rstrip(" ")
    text = (
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec:\n  jobTemplate:\n"
        f"    spec:\n      template:\n        spec:\n    {indented}"
    )
    (finding,) = of_rule(lint(text), "WIN025")
    assert finding.path.startswith("spec.jobTemplate.spec.template.spec.containers[0]")


def test_lists_are_opened_at_any_depth():
    item = "\n".join(f"    {line}" for line in DEPLOYMENT.splitlines())
    text = f"apiVersion: v1\nkind: List\nitems:\n  -\n{item}\n"
    (finding,) = of_rule(lint(text), "WIN025")
    assert finding.path.startswith("items[0].spec.template")


def test_further_kinds_are_seen_where_settings_say():
    text = DEPLOYMENT.replace("Deployment", "Rollout")
    assert lint(text) == []
    assert of_rule(lint(text, templates={"Rollout": [("spec", "template")]}), "WIN025")


def test_rules_can_be_switched_off():
    assert of_rule(lint(DEPLOYMENT, without=frozenset({"WIN025"})), "WIN025") == []


def test_a_service_is_judged_only_if_it_leads_to_a_windows_pod():
    service = (
        "\n---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n"
        "spec: {type: NodePort, selector: {app: %s}}\n"
    )
    (finding,) = of_rule(lint(DEPLOYMENT + service % "web"), "WIN167")
    assert finding.evidence == ("leads to Deployment web",)
    assert of_rule(lint(DEPLOYMENT + service % "db"), "WIN167") == []
    other = (service % "web").replace("shop", "other")
    assert of_rule(lint(DEPLOYMENT + other), "WIN167") == []


def test_gates_bring_rules_forward_and_lift_them():
    text = (
        DEPLOYMENT.replace("privileged: false", "{}") + "        lifecycle: {stopSignal: SIGUSR1}\n"
    )
    assert of_rule(lint(text), "WIN030") == []
    gated = CTX._replace(gates={"ContainerStopSignals": True})
    assert of_rule(lint(text, gated), "WIN030")
    text = DEPLOYMENT + "        env: [{name: 'A:B', value: x}]\n"
    old = CTX._replace(kubernetes=Version(1, 30))
    assert of_rule(lint(text, old), "WIN092")
    lifted = old._replace(gates={"RelaxedEnvironmentVariableValidation": True})
    assert of_rule(lint(text, lifted), "WIN092") == []


def test_what_is_no_kubernetes_object_is_passed_over():
    assert lint("- 1\n---\na: b\n---\nkind: 3\n---\nkind: Pod\nspec: []\n") == []


def test_a_runtime_class_in_the_same_file_says_what_a_pod_is_for():
    runtime_class = (
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: second}\nhandler: h\n"
        "scheduling: {nodeSelector: {kubernetes.io/os: windows}}\n---\n"
    )
    pod = (
        "kind: Pod\nmetadata: {name: a}\nspec: {hostPID: true, runtimeClassName: second, "
        "containers: [{name: a, image: 'example.com/a:1'}]}\n"
    )
    assert of_rule(lint(pod), "WIN001") == []
    (finding,) = of_rule(lint(runtime_class + pod), "WIN001")
    assert finding.evidence == ("RuntimeClass second",)


def test_the_level_of_a_namespace_in_the_same_file_counts():
    namespace = (
        "kind: Namespace\nmetadata: {name: shop, labels: "
        "{pod-security.kubernetes.io/enforce: restricted}}\n---\n"
    )
    text = DEPLOYMENT.replace("      os: {name: windows}\n", "")
    assert of_rule(lint(text), "WIN064") == []
    assert of_rule(lint(namespace + text), "WIN064")


def test_a_linux_pod_is_kept_off_by_a_taint_it_does_not_tolerate():
    pod = "kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: 'nginx:1'}]}\n"
    mixed = CTX._replace(mixed=True)
    assert of_rule(lint(pod, mixed), "WIN077")
    taint = Taint("os", TaintEffect.NO_SCHEDULE, "windows")
    assert of_rule(lint(pod, mixed._replace(taints=(taint,))), "WIN077") == []
    tolerating = pod.replace("{containers", "{tolerations: [{operator: Exists}], containers")
    assert of_rule(lint(tolerating, mixed._replace(taints=(taint,))), "WIN077")


def test_pods_and_the_controller_that_made_them_are_not_added_up():
    service = (
        "\n---\nkind: Service\nmetadata: {name: web, namespace: shop}\n"
        "spec: {selector: {app: web}}\n"
    )
    made = (
        "---\nkind: Pod\nmetadata: {name: web-%s, namespace: shop, labels: {app: web}, "
        "ownerReferences: [{kind: ReplicaSet, name: web, controller: true}]}\n"
        "spec: {os: {name: windows}, containers: []}\n"
    )
    deployment = DEPLOYMENT.replace("spec:\n  selector", "spec:\n  replicas: 40\n  selector", 1)
    whole = deployment + service + "".join(made % number for number in range(40))
    assert of_rule(lint(whole), "WIN164") == []
    assert of_rule(lint(whole.replace("replicas: 40", "replicas: 65")), "WIN164")
    assert of_rule(lint(whole + "".join(made % number for number in range(40, 65))), "WIN164")
