"""`transom lint --cluster` reads versions and objects of a live cluster; here its twin in memory."""

import json

import pytest

from transom.cli.main import main
from transom.cli.options import workload_options
from transom.testing.cluster import MemoryCluster

LIMITS = {"limits": {"cpu": "1", "memory": "1Gi"}}
TAINT = {"key": "os", "value": "windows", "effect": "NoSchedule"}


def node(name, system, kernel="", runtime="containerd://2.2.1", taints=()):
    info = {"operatingSystem": system, "kernelVersion": kernel, "containerRuntimeVersion": runtime}
    metadata = {"name": name, "labels": {"kubernetes.io/os": system}}
    spec = {"taints": list(taints)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": spec,
        "status": {"nodeInfo": info},
    }


def pod_template(**spec):
    container = {
        "name": "web",
        "image": "mcr.microsoft.com/windows/nanoserver:ltsc2022",
        "resources": LIMITS,
    }
    selector = {"kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": "10.0.20348"}
    return {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"nodeSelector": selector, "containers": [container], **spec},
    }


def held(kind, name, api_version="v1", namespace="shop", owner=None, **more):
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    if owner:
        metadata["ownerReferences"] = [{"kind": owner, "name": "web", "controller": True}]
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def deployment(name="web", namespace="shop", **spec):
    whole = {"selector": {"matchLabels": {"app": "web"}}, "template": pod_template(**spec)}
    return held("Deployment", name, "apps/v1", namespace, spec=whole)


WINDOWS_NODE = node("win-01", "windows", "10.0.20348.2340", taints=[TAINT])


@pytest.fixture
def cluster(monkeypatch, tmp_path):
    """Make the command line find a cluster that is only these objects."""
    monkeypatch.chdir(tmp_path)

    def hold(*objects, version="1.37.1", forbidden=()):
        lister = MemoryCluster(objects, version=version, forbidden=forbidden)

        def with_cluster(_args, ask):
            import asyncio

            return asyncio.run(ask(lister))

        monkeypatch.setattr(workload_options, "with_cluster", with_cluster)

    return hold


def lint(capsys, *arguments):
    code = main(["lint", "--cluster", "-o", "json", *arguments])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def rules_of(found):
    return {finding["rule"] for finding in found["findings"]}


def test_live_objects_are_linted_and_named_by_where_they_are(cluster, capsys):
    cluster(deployment(os={"name": "windows"}, hostPID=True))
    code, found, _err = lint(capsys)
    (finding,) = [finding for finding in found["findings"] if finding["rule"] == "WIN001"]
    assert code == 1
    assert finding["file"] == "cluster/shop/Deployment/web"
    assert (finding["line"], finding["path"]) == (0, "spec.template.spec.hostPID")
    assert found["summary"]["files"] == 1


def test_text_names_a_live_object_without_a_line(cluster, capsys):
    cluster(deployment(os={"name": "windows"}, hostPID=True))
    main(["lint", "--cluster"])
    assert "cluster/shop/Deployment/web: error: hostPID on" in capsys.readouterr().out


def test_what_a_controller_made_is_left_to_its_controller(cluster, capsys):
    made = held("Pod", "web-1", owner="ReplicaSet", spec=pod_template(hostPID=True)["spec"])
    replica_set = held("ReplicaSet", "web", "apps/v1", owner="Deployment", spec={})
    stranger = held("Pod", "job-1", owner="Workflow", spec=pod_template(hostPID=True)["spec"])
    cluster(deployment(), replica_set, made, stranger)
    _code, found, _err = lint(capsys)
    assert {finding["name"] for finding in found["findings"]} <= {"web", "job-1"}
    assert "job-1" in {finding["name"] for finding in found["findings"]}


def test_a_namespace_narrows_what_is_linted(cluster, capsys):
    cluster(deployment(hostPID=True), deployment("other", "mail", hostPID=True), WINDOWS_NODE)
    _code, found, _err = lint(capsys, "-n", "mail")
    assert {finding["namespace"] for finding in found["findings"]} == {"mail"}


def test_a_service_meets_the_pods_of_a_live_workload(cluster, capsys):
    service = held("Service", "web", spec={"type": "NodePort", "selector": {"app": "web"}})
    cluster(deployment(), service)
    assert "WIN167" in rules_of(lint(capsys)[1])


def test_versions_builds_and_taints_come_from_the_cluster(cluster, capsys):
    old_image = pod_template()["spec"]["containers"][0] | {
        "image": "mcr.microsoft.com/windows/nanoserver:ltsc2019"
    }
    unpinned = {"nodeSelector": {"kubernetes.io/os": "windows"}}
    cluster(deployment(containers=[old_image], **unpinned), WINDOWS_NODE)
    found = rules_of(lint(capsys)[1])
    assert {"WIN200", "WIN072"} <= found
    assert "WIN200" not in rules_of(lint(capsys, "--windows", "2019")[1])


def test_the_version_of_a_provider_is_its_minor(cluster, capsys):
    cluster(deployment(os={"name": "windows"}, hostUsers=True), version="1.22.0-provider.100")
    assert "WIN003" not in rules_of(lint(capsys)[1])


def test_classes_and_levels_of_the_cluster_are_known(cluster, capsys):
    selector = {"nodeSelector": {"kubernetes.io/os": "windows"}}
    runtime_class = held(
        "RuntimeClass", "w", "node.k8s.io/v1", "", handler="h", scheduling=selector
    )
    plain = {"name": "web", "image": "example.com/web:1"}
    cluster(
        deployment(runtimeClassName="w", nodeSelector={}, containers=[plain], hostPID=True),
        runtime_class,
    )
    (finding,) = [finding for finding in lint(capsys)[1]["findings"] if finding["rule"] == "WIN001"]
    assert finding["evidence"][0] == "RuntimeClass w"


def test_the_network_mode_is_that_of_flannel(cluster, capsys):
    backend = json.dumps({"Backend": {"Type": "vxlan"}})
    flannel = held(
        "ConfigMap", "kube-flannel-cfg", namespace="kube-flannel", data={"net-conf.json": backend}
    )
    service = held(
        "Service",
        "web",
        spec={
            "selector": {"app": "web"},
            "ipFamilyPolicy": "RequireDualStack",
            "ipFamilies": ["IPv4", "IPv6"],
        },
    )
    cluster(deployment(), service)
    assert "WIN165" not in rules_of(lint(capsys)[1])
    cluster(deployment(), service, flannel)
    assert "WIN165" in rules_of(lint(capsys)[1])


def test_what_may_not_be_seen_is_named_and_the_rest_is_linted(cluster, capsys):
    cluster(deployment(hostPID=True), forbidden=("Service",))
    code, found, _err = lint(capsys)
    assert code == 2
    assert found["unreadable"][0]["file"] == "cluster/services"
    assert found["findings"]


def test_who_may_not_see_nodes_can_lint_a_namespace(cluster, capsys):
    cluster(deployment(os={"name": "windows"}, hostPID=True), forbidden=("Node",))
    code, found, err = lint(capsys, "-n", "shop")
    assert code == 1
    assert found["unreadable"] == []
    assert "note: cluster/nodes: cannot list nodes: forbidden" in err


def test_files_are_linted_for_the_cluster(cluster, capsys, tmp_path):
    workload = deployment(hostUsers=True, os={"name": "windows"})
    (tmp_path / "web.json").write_text(json.dumps(workload))
    cluster(deployment(hostPID=True), version="1.22.4")
    _code, found, _err = lint(capsys, "web.json")
    assert found["summary"]["files"] == 1
    assert "WIN003" not in rules_of(found)


def test_an_ignore_of_a_live_object_is_followed(cluster, capsys):
    ignoring = deployment(os={"name": "windows"}, hostPID=True)
    ignoring["metadata"]["annotations"] = {"ignore.transom.dev/WIN001": "moved in spring"}
    cluster(ignoring)
    _code, found, _err = lint(capsys)
    assert "WIN001" not in rules_of(found)
    assert found["summary"]["ignored"] == 1


def test_nothing_named_is_told_what_to_name(capsys):
    assert main(["lint"]) == 2
    assert "--cluster" in capsys.readouterr().err


def test_findings_can_be_kept_in_the_cluster(cluster, capsys, tmp_path):
    cluster(deployment(os={"name": "windows"}, hostPID=True))
    assert main(["lint", "--cluster", "-o", "policyreport"]) == 1
    (report,) = json.loads(capsys.readouterr().out)["items"]
    assert (report["kind"], report["metadata"]["namespace"]) == ("PolicyReport", "shop")
    (result,) = [item for item in report["results"] if item["result"] == "fail"]
    assert result["rule"] == "WIN001"
    assert result["resources"] == [{"kind": "Deployment", "namespace": "shop", "name": "web"}]
    assert main(["lint", str(tmp_path), "-o", "policyreport"]) == 2
    assert "a PolicyReport is about live objects" in capsys.readouterr().err


def standing(name="transom-lint", namespace="quiet", manager="transom"):
    report = held("PolicyReport", name, "wgpolicyk8s.io/v1alpha2", namespace, results=[{"a": "b"}])
    report["metadata"]["labels"] = {"app.kubernetes.io/managed-by": manager}
    return report


def test_a_report_of_a_namespace_in_which_nothing_is_found_any_more_comes_empty(cluster, capsys):
    cluster(
        deployment(os={"name": "windows"}, hostPID=True),
        standing(),
        standing("transom-lint-2", "shop"),
        standing("other", "shop", manager="kyverno"),
    )
    assert main(["lint", "--cluster", "-o", "policyreport"]) == 1
    items = json.loads(capsys.readouterr().out)["items"]
    results = {
        (item["metadata"]["namespace"], item["metadata"]["name"]): len(item["results"])
        for item in items
    }
    assert results.pop(("shop", "transom-lint")) > 0
    assert results == {("quiet", "transom-lint"): 0, ("shop", "transom-lint-2"): 0}


def test_reports_of_before_that_may_not_be_read_are_told_and_the_rest_goes_on(cluster, capsys):
    cluster(
        deployment(os={"name": "windows"}, hostPID=True),
        standing(),
        forbidden=["PolicyReport"],
    )
    assert main(["lint", "--cluster", "-o", "policyreport"]) == 1
    out, err = capsys.readouterr()
    assert len(json.loads(out)["items"]) == 1
    assert "policyreports" in err


def test_limit_ranges_and_builds_of_classes_are_read_from_the_cluster(cluster, capsys):
    unlimited = pod_template(os={"name": "windows"}, runtimeClassName="newer")
    del unlimited["spec"]["containers"][0]["resources"]
    del unlimited["spec"]["nodeSelector"]["node.kubernetes.io/windows-build"]
    unlimited["spec"]["containers"][0]["image"] = "mcr.microsoft.com/windows/nanoserver:ltsc2025"
    web = held(
        "Deployment",
        "web",
        "apps/v1",
        spec={"selector": {"matchLabels": {"app": "web"}}, "template": unlimited},
    )
    limits = [{"type": "Container", "default": {"cpu": "1", "memory": "1Gi"}}]
    selector = {"node.kubernetes.io/windows-build": "10.0.20348"}
    runtime_class = held(
        "RuntimeClass",
        "newer",
        "node.k8s.io/v1",
        namespace="",
        handler="h",
        scheduling={"nodeSelector": selector},
    )
    cluster(WINDOWS_NODE, web)
    assert "WIN101" in rules_of(lint(capsys)[1])
    cluster(
        WINDOWS_NODE,
        node("win-02", "windows", "10.0.26100.1", taints=[TAINT]),
        web,
        runtime_class,
        held("LimitRange", "usual", spec={"limits": limits}),
    )
    found = rules_of(lint(capsys)[1])
    assert "WIN101" not in found
    assert "WIN200" in found
