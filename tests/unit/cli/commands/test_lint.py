"""`transom lint` reads what it is told, says what it found in every form, and exits by it."""

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from transom.cli.main import main

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  os: {name: windows}
  nodeSelector: {kubernetes.io/os: windows}
  hostPID: true
  containers: []
"""
CLEAN = POD.replace("  hostPID: true\n", "")
EXAMPLES = Path(__file__).parents[4] / "examples"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")  # helm, kustomize or kubectl of this machine have no say here
    (tmp_path / "web.yaml").write_text(POD)
    return tmp_path


def lint(capsys, *arguments):
    code = main(["lint", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def document(capsys, *arguments):
    code, out, _err = lint(capsys, "-o", "json", *arguments)
    return code, json.loads(out)


def rules_of(found):
    return [finding["rule"] for finding in found["findings"]]


@pytest.mark.usefixtures("folder")
def test_text_shows_the_line_with_a_caret_below_it(capsys):
    code, out, _err = lint(capsys, "web.yaml")
    assert code == 1
    assert out.startswith(
        "web.yaml:8:3: error: hostPID on a Windows pod (true): rejected by the API server [WIN001]\n"
        "  8 |   hostPID: true\n"
        "    |   ^\n"
        "  where: Pod web, spec.hostPID\n"
        "  why:   for Windows: os.name is windows\n"
    )
    assert out.endswith("1 error in 1 file, 1 fixable with `transom fix`\n")


@pytest.mark.usefixtures("folder")
def test_the_document_of_findings_has_every_field(capsys):
    code, found = document(capsys, "web.yaml")
    assert code == 1
    assert (found["apiVersion"], found["kind"]) == ("output.transom.dev/v1alpha1", "Findings")
    assert found["summary"]["error"] == 1
    (finding,) = found["findings"]
    assert list(finding) == [
        "rule", "severity", "file", "line", "column", "kind", "namespace", "name", "path",
        "message", "fix", "source", "evidence",
    ]  # fmt: skip


def test_files_folders_patterns_and_each_only_once(folder, capsys):
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "a.yml").write_text(POD)
    (folder / "deep" / "b.json").write_text(
        '{"apiVersion": "v1", "kind": "Pod", "spec": {"os": {"name": "x"}}}'
    )
    (folder / "deep" / "notes.txt").write_text("not a manifest")
    _code, found = document(capsys, "deep", "web.yaml", "*.yaml")
    assert [finding["file"] for finding in found["findings"]] == [
        "deep/b.json", "deep/er/a.yml", "web.yaml",
    ]  # fmt: skip
    assert found["summary"]["files"] == 3


def test_what_cannot_be_read_is_named_and_the_rest_is_linted(folder, capsys):
    (folder / "broken.yaml").write_text("a: [\n")
    code, out, err = lint(capsys, "broken.yaml", "missing.yaml", "web.yaml")
    assert code == 2
    assert "WIN001" in out
    assert "missing.yaml: there is no such file or folder" in err
    assert "broken.yaml:" in err


@pytest.mark.parametrize(
    ("fail_on", "code"), [("error", 0), ("warning", 1), ("info", 1), ("never", 0)]
)
def test_the_exit_code_follows_fail_on(folder, capsys, fail_on, code):
    (folder / "web.yaml").write_text(
        f"{CLEAN}  volumes: [{{name: a, emptyDir: {{medium: Memory}}}}]\n"
    )
    assert lint(capsys, "web.yaml", "--fail-on", fail_on)[0] == code


def test_several_outputs_at_once(folder, capsys):
    arguments = ("-o", "text", "-o", "sarif=a.sarif", "-o", "junit=a.xml", "-o", "github=a.txt")
    _code, out, _err = lint(capsys, "web.yaml", *arguments)
    assert "[WIN001]" in out
    log = json.loads((folder / "a.sarif").read_text())
    (run,) = log["runs"]
    (result,) = run["results"]
    assert log["version"] == "2.1.0"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "WIN001"
    place = result["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "web.yaml"},
        "region": {"startLine": 8, "startColumn": 3},
    }
    suite = ET.fromstring((folder / "a.xml").read_text())[0]  # noqa: S314 - written just above
    assert (suite.get("name"), suite.get("failures")) == ("web.yaml", "1")
    annotation = (folder / "a.txt").read_text()
    assert annotation.startswith("::error file=web.yaml,line=8,col=3,title=WIN001::hostPID on")


@pytest.mark.usefixtures("folder")
def test_versions_come_from_options_and_a_rule_outside_its_window_is_silent(folder, capsys):
    (folder / "web.yaml").write_text(
        CLEAN.replace("  containers", "  hostUsers: true\n  containers")
    )
    assert rules_of(document(capsys, "web.yaml")[1]) == ["WIN003"]
    assert rules_of(document(capsys, "web.yaml", "--kubernetes", "1.22")[1]) == []


def test_versions_come_from_a_fleet(folder, capsys):
    (folder / "web.yaml").write_text(
        CLEAN.replace("[]", "[{name: a, image: 'mcr.microsoft.com/windows/nanoserver:ltsc2025'}]")
    )
    fleet = str(EXAMPLES / "fleet.yaml")
    assert "WIN200" not in rules_of(document(capsys, "web.yaml")[1])
    assert "WIN200" in rules_of(document(capsys, "web.yaml", "-f", fleet)[1])


def test_settings_are_found_upwards(folder, capsys):
    (folder / "deep").mkdir()
    (folder / "deep" / "web.yaml").write_text(POD.replace("kind: Pod", "kind: Pod"))
    (folder / ".transom.toml").write_text('[lint]\ndisable = ["WIN001"]\n')
    assert rules_of(document(capsys, "deep/web.yaml")[1]) == []


def test_settings_with_mistakes_are_refused_with_all_of_them(folder, capsys):
    (folder / ".transom.toml").write_text('[lint]\nfail-on = "often"\ncolour = true\n')
    code, _out, err = lint(capsys, "web.yaml")
    assert code == 2
    assert "`fail-on` must be one of error, warning, info, never" in err
    assert "there is no setting `colour`" in err


def test_a_baseline_leaves_only_what_is_new_and_reports_what_is_gone(folder, capsys):
    lint(capsys, "web.yaml", "--write-baseline", "b.json")
    code, found = document(capsys, "web.yaml", "--baseline", "b.json")
    assert (code, rules_of(found), found["summary"]["ignored"]) == (0, [], 1)
    (folder / "web.yaml").write_text(CLEAN)
    assert rules_of(document(capsys, "web.yaml", "--baseline", "b.json")[1]) == ["LINT001"]


def test_a_service_in_another_file_is_linked(folder, capsys):
    (folder / "web.yaml").write_text(CLEAN.replace("name: web", "name: web\n  labels: {app: web}"))
    (folder / "service.yaml").write_text(
        "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {type: NodePort, selector: {app: web}}\n"
    )
    assert rules_of(document(capsys, ".")[1]) == ["WIN167"]


def test_findings_of_other_linters_are_overruled_where_they_are_wrong(folder, capsys):
    def result(check, line):
        place = {"artifactLocation": {"uri": "web.yaml"}, "region": {"startLine": line}}
        return {"ruleId": check, "message": {}, "locations": [{"physicalLocation": place}]}

    results = [result("CKV_K8S_22", 3), result("CKV_K8S_21", 3)]
    run = {"tool": {"driver": {"name": "Checkov"}}, "results": results}
    (folder / "checkov.sarif").write_text(json.dumps({"version": "2.1.0", "runs": [run]}))
    lint(capsys, "web.yaml", "--import-sarif", "checkov.sarif", "-o", "sarif=both.sarif")
    _ours, theirs = json.loads((folder / "both.sarif").read_text())["runs"]
    suppressed = [bool(item.get("suppressions")) for item in theirs["results"]]
    assert suppressed == [True, False]
    assert "WIN024" in theirs["results"][0]["suppressions"][0]["justification"]


def test_processes_change_nothing_but_the_time(folder, capsys):
    for number in range(70):
        (folder / f"{number:02}.yaml").write_text(POD)
    assert document(capsys, ".", "-j", "2") == document(capsys, ".")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments", [("-o", "pdf"), ("--kubernetes", "new"), ("--windows", "95")], ids=" ".join
)
def test_wrong_options_say_what_is_right(capsys, arguments):
    code, _out, err = lint(capsys, "web.yaml", *arguments)
    assert code == 2
    assert "next:" in err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "junit", "-o", "sarif"), "junit and sarif cannot share standard output"),
        (("-o", "sarif="), "no file is named in 'sarif='"),
        (("--disable", "WIN001", "--disable", "WIN999"), "there is no rule WIN999"),
        (("--select", "NOPE", "--ignore", "WAT"), "there is no rule NOPE, WAT"),
        (("-n", "shop"), "a namespace is of live objects only"),
    ],
)
def test_what_would_be_passed_over_in_silence_is_refused(capsys, arguments, said):
    code, _out, err = lint(capsys, "web.yaml", *arguments)
    assert code == 2
    assert said in err
    assert "next:" in err


def test_lines_of_two_forms_can_share_standard_output(folder, capsys):
    del folder
    _code, out, _err = lint(capsys, "web.yaml", "-o", "text", "-o", "github")
    assert "[WIN001]" in out
    assert "::error file=web.yaml" in out


def test_a_pipe_in_a_folder_is_not_waited_for(folder, capsys):
    os.mkfifo(folder / "pipe.yaml")
    _code, found = document(capsys, ".", "*.yaml")
    assert found["summary"]["files"] == 1


def test_a_folder_without_manifests_is_noted(folder, capsys):
    (folder / "docs").mkdir()
    code, _out, err = lint(capsys, "docs")
    assert code == 0
    assert err == "note: no .yaml, .yml, .json below docs\n"


@pytest.mark.usefixtures("folder")
def test_a_version_beyond_the_facts_is_noted(capsys):
    _code, _out, err = lint(capsys, "web.yaml", "--kubernetes", "1.99")
    assert err.startswith("note: the rules were checked up to 1.")
    assert lint(capsys, "web.yaml", "--kubernetes", "1.24.0-gke.7")[0] == 1


def test_every_wrong_value_in_the_settings_is_told(folder, capsys):
    (folder / ".transom.toml").write_text(
        '[lint]\nkubernetes = "new"\nwindows = ["95"]\ndisable = ["WIN999"]\n'
        '[lint.pod-templates]\nRollout = "..x"\n'
        '[[lint.ignore]]\nrules = ["WIN001"]\npaths = "legacy"\nreason = "old"\n[lints]\n'
    )
    code, _out, err = lint(capsys, "web.yaml")
    assert code == 2
    for said in (
        "'new' is no Kubernetes version such as 1.30",
        "'95' is no known Windows release",
        "there is no rule WIN999",
        "'..x' is no path",
        "an ignore has a list `rules`, a list `paths` and a text `reason`",
        "there is no table `lints`",
    ):
        assert said in err


@pytest.mark.parametrize("option", [(), ("--config", ".transom.toml")], ids=["found", "named"])
def test_settings_that_are_no_text_are_refused(folder, capsys, option):
    (folder / ".transom.toml").write_bytes(b"\xff\xfe[lint]")
    code, _out, err = lint(capsys, "web.yaml", *option)
    assert code == 2
    assert "is not UTF-8" in err


def test_paths_in_the_settings_are_beside_them_wherever_the_command_runs(
    folder, capsys, monkeypatch
):
    below = folder / "le[ga]cy"
    below.mkdir()
    (below / "web.yaml").write_text(POD)
    (folder / ".transom.toml").write_text(
        '[[lint.ignore]]\nrules = ["WIN001"]\npaths = ["le[[]ga]cy/*"]\nreason = "old"\n'
    )
    assert rules_of(document(capsys, str(below))[1]) == []
    assert rules_of(document(capsys, "./le[ga]cy")[1]) == []
    monkeypatch.chdir(below)
    assert rules_of(document(capsys, "./web.yaml")[1]) == []
    assert rules_of(document(capsys, "../web.yaml")[1]) == ["WIN001"]


GENERATORS = Path(__file__).parents[3] / "data/generators"


def test_what_helm_rendered_is_linted_as_one_stream(capsys):
    # Written by `helm template spring shop` of Helm 3.19.0, in that folder.
    code, found = document(capsys, str(GENERATORS / "shop.helm-3.19.0.yaml"))
    assert code == 1
    told = {(item["rule"], item["kind"], item["line"]) for item in found["findings"]}
    assert ("WIN080", "Deployment", 27) in told
    assert ("WIN105", "Deployment", 31) in told
    assert ("WIN162", "Service", 8) in told


def test_a_template_that_nobody_rendered_is_told_as_one(capsys):
    code, _out, err = lint(capsys, str(GENERATORS / "shop/templates/deployment.yaml"))
    assert code == 2
    assert "helm template CHART | transom lint -" in err


def test_what_is_put_away_on_disk_comes_back_the_same(folder, capsys, monkeypatch):
    for number in range(40):
        (folder / f"web{number}.yaml").write_text(
            f"apiVersion: v1\nkind: Service\nmetadata: {{name: web{number}}}\n"
            f"spec: {{type: NodePort, selector: {{app: web{number % 25}}}, ports: [{{port: 80}}]}}\n"
        )
        (folder / f"pod{number % 20}.yaml").write_text(
            POD.replace("name: web", f"name: web{number}\n  labels: {{app: web{number % 20}}}")
        )
    kept = document(capsys, ".")
    assert {"WIN001", "WIN167"} <= set(rules_of(kept[1]))
    monkeypatch.setattr("transom.workload.linting.run._CHUNK", 3)
    monkeypatch.setattr("transom.workload.linting.spool._KEPT", 2)
    monkeypatch.setattr("transom.workload.linting.gather._BONDS_AT_ONCE", 4)
    assert document(capsys, ".") == kept


def test_one_file_that_is_nested_too_deep_does_not_end_the_run(folder, capsys):
    for levels in (480, 900):
        (folder / f"deep{levels}.yaml").write_text(
            f"apiVersion: v1\nkind: List\nitems: {'{a: ' * levels}1{'}' * levels}\n"
        )
    (folder / "lists.json").write_text(
        f'{{"apiVersion": "v1", "kind": "List", "a": {"[" * 5000}{"]" * 5000}}}'
    )
    code, found = document(capsys, ".")
    assert code == 2
    assert rules_of(found) == ["WIN001"]
    assert len(found["unreadable"]) == 3
    assert all("nested" in item["message"] for item in found["unreadable"])


def test_a_broken_document_does_not_hide_its_neighbours(folder, capsys):
    (folder / "web.yaml").write_text(f"apiVersion: v1\nkind: Pod\nspec: [\n---\n{POD}---\n\tx: y\n")
    code, found = document(capsys, "web.yaml")
    assert code == 2
    assert rules_of(found) == ["WIN001"]
    assert len(found["unreadable"]) == 2


def test_yaml_that_is_no_manifest_is_counted_and_no_error(folder, capsys):
    (folder / ".gitlab-ci.yml").write_text("job:\n  script: !reference [.setup, script]\n")
    (folder / "stack.yaml").write_text("Resources:\n  A: !Sub '${B}'\n  C: !GetAtt D.E\n")
    (folder / "latin.yaml").write_bytes(b"name: caf\xe9\n")
    code, out, err = lint(capsys, ".", "--fail-on", "never")
    assert (code, err) == (0, "")
    assert out.endswith("in 4 files, 1 fixable with `transom fix`, 3 not read\n")


def test_templates_of_a_chart_are_one_line(folder, capsys):
    templates = folder / "charts" / "shop" / "templates" / "web"
    templates.mkdir(parents=True)
    (folder / "charts" / "shop" / "Chart.yaml").write_text("apiVersion: v2\nname: shop\n")
    for number in range(5):
        (templates / f"{number}.yaml").write_text(
            "apiVersion: v1\nkind: Pod\n{{- if .x }}\na: {{ .b }}\n{{ end }}\n"
        )
    code, out, err = lint(capsys, ".", "--fail-on", "never")
    assert code == 0
    assert out.endswith(", 5 not read\n")
    assert err == (
        "note: charts/shop: 5 templates not read; lint what is rendered: "
        "`helm template charts/shop | transom lint -`\n"
    )
    assert lint(capsys, ".", "--exclude", "charts/*", "--fail-on", "never")[2] == ""


def test_settings_exclude_files(folder, capsys):
    (folder / "old").mkdir()
    (folder / "old" / "a.yaml").write_text(POD)
    (folder / ".transom.toml").write_text('[lint]\nexclude = ["old"]\n')
    assert [item["file"] for item in document(capsys, ".")[1]["findings"]] == ["web.yaml"]


def test_a_class_and_a_level_in_other_files_count(folder, capsys):
    (folder / "web.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nspec: {hostPID: true, "
        "runtimeClassName: blue, containers: [{name: a, image: example.com/a:1}]}\n"
    )
    (folder / "z").mkdir()
    (folder / "z" / "class.yaml").write_text(
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: blue}\nhandler: x\n"
        "scheduling: {nodeSelector: {kubernetes.io/os: windows}}\n"
    )
    (folder / "z" / "namespace.yaml").write_text(
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: "
        "{pod-security.kubernetes.io/enforce: restricted}}\n"
    )
    assert {"WIN001", "WIN064"} <= set(rules_of(document(capsys, ".")[1]))
    assert rules_of(document(capsys, "web.yaml")[1]) == []
    assert rules_of(document(capsys, ".", "-j", "2")[1]) == rules_of(document(capsys, ".")[1])


def test_upper_case_suffixes_are_read_and_hidden_folders_told(folder, capsys):
    (folder / "WEB.YAML").write_text(POD)
    for hidden in (".github", ".git", ".deploy"):
        (folder / hidden).mkdir()
        (folder / hidden / "a.yaml").write_text(POD)
    _code, out, err = lint(capsys, ".")
    assert out.endswith("2 errors in 2 files, 2 fixable with `transom fix`\n")
    assert err == "note: .deploy and 1 more: name a folder with a dot to lint it\n"
    assert lint(capsys, ".deploy")[1].endswith("1 error in 1 file, 1 fixable with `transom fix`\n")


def test_what_a_kustomization_names_as_a_patch_is_not_told_what_it_lacks(folder, capsys):
    (folder / "overlay").mkdir()
    workload = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: "
        "{hostPID: true, containers: [{name: web, image: 'mcr.microsoft.com/windows/nanoserver:ltsc2022'}]}}}\n"
    )
    (folder / "overlay" / "windows.yaml").write_text(workload)
    assert {"WIN070", "WIN210"} <= set(rules_of(document(capsys, "overlay")[1]))
    (folder / "overlay" / "kustomization.yaml").write_text("patches: [{path: windows.yaml}]\n")
    assert rules_of(document(capsys, "overlay")[1]) == ["WIN001"]


def test_colour_goes_to_a_terminal_and_never_into_a_file(folder, capsys, monkeypatch):
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    lint(capsys, "web.yaml", "-o", "text=findings.txt")
    assert "\033" not in (folder / "findings.txt").read_text()
    assert "\033[31m" in lint(capsys, "web.yaml")[1]


def test_a_broken_manifest_fails_the_run_unless_told_otherwise(folder, capsys):
    (folder / "web.yaml").write_text(CLEAN)
    (folder / "broken.yaml").write_text("apiVersion: v1\nkind: Pod\nspec: [\n")
    assert lint(capsys, ".")[0] == 2
    code, _out, err = lint(capsys, ".", "--unreadable", "report")
    assert code == 0
    assert "broken.yaml:" in err
    (folder / ".transom.toml").write_text('[lint]\nunreadable = "report"\n')
    assert lint(capsys, ".")[0] == 0
    assert lint(capsys, ".", "--unreadable", "fail")[0] == 2
    (folder / "web.yaml").write_text(POD)
    assert lint(capsys, ".")[0] == 1


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--select", "WIN00"), ["WIN001"]),
        (("--select", "namespaces"), ["WIN001"]),
        (("--select", "volumes"), ["WIN120"]),
        (("--ignore", "volumes"), ["WIN001"]),
        (("--select", "WIN", "--ignore", "WIN1", "--ignore", "namespaces"), []),
    ],
    ids=" ".join,
)
def test_rules_are_chosen_by_id_beginning_and_family(folder, capsys, options, found):
    (folder / "web.yaml").write_text(
        f"{POD}  volumes: [{{name: a, emptyDir: {{medium: Memory}}}}]\n"
    )
    assert rules_of(document(capsys, "web.yaml", *options)[1]) == found


def test_an_ignore_of_a_rule_that_is_not_selected_is_not_stale(folder, capsys):
    (folder / "web.yaml").write_text(
        POD.replace("hostPID: true", "hostPID: true  # transom: ignore WIN001 old")
    )
    assert rules_of(document(capsys, "web.yaml", "--select", "volumes")[1]) == []


LIMIT_RANGE = """\
apiVersion: v1
kind: LimitRange
metadata: {name: usual, namespace: shop}
spec: {limits: [{type: Container, default: {cpu: 500m}, max: {memory: 2Gi}}]}
"""
UNLIMITED = """\
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  os: {name: windows}
  nodeSelector: {kubernetes.io/os: windows}
  containers: [{name: web, image: example.com/web:1}]
"""


def test_limits_that_a_limit_range_in_another_file_gives_are_not_missing(folder, capsys):
    (folder / "web.yaml").write_text(UNLIMITED)
    assert rules_of(document(capsys, ".")[1]) == ["WIN101"]
    (folder / "limits.yaml").write_text(LIMIT_RANGE)
    assert rules_of(document(capsys, ".")[1]) == []
    (folder / "limits.yaml").write_text(LIMIT_RANGE.replace("type: Container", "type: Pod"))
    assert rules_of(document(capsys, ".")[1]) == ["WIN101"]
    (folder / "limits.yaml").write_text(LIMIT_RANGE.replace("shop", "other"))
    assert rules_of(document(capsys, ".")[1]) == ["WIN101"]


IGNORES = """\
[[lint.ignore]]
rules = ["WIN001"]
paths = ["old/*"]
reason = "replaced next month"
"""


def test_an_ignore_of_files_that_are_not_linted_is_not_stale(folder, capsys):
    """A hook names the files that changed, which says nothing about others."""
    (folder / ".transom.toml").write_text(IGNORES)
    (folder / "web.yaml").write_text(POD.replace("  hostPID: true\n", ""))
    (folder / "old").mkdir()
    (folder / "old/web.yaml").write_text(POD)
    assert "LINT001" not in rules_of(document(capsys, "web.yaml")[1])
    assert "LINT001" not in rules_of(document(capsys, ".", "--include", "web.yaml")[1])
    assert "LINT001" not in rules_of(document(capsys, ".")[1])


def test_an_ignore_of_files_that_are_gone_is_stale_where_their_folder_is_linted(folder, capsys):
    (folder / ".transom.toml").write_text(IGNORES)
    (folder / "web.yaml").write_text(POD.replace("  hostPID: true\n", ""))
    assert "LINT001" in rules_of(document(capsys, ".")[1])


def test_rules_are_listed_as_text_and_as_a_document(capsys):
    code, out, _err = lint(capsys, "--list-rules", "--select", "namespaces")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split() == ["RULE", "FAMILY", "SEVERITY", "FIX", "KUBERNETES", "TITLE"]
    assert lines[1].startswith("WIN001  namespaces")
    _code, listed = document(capsys, "--list-rules", "--ignore", "WIN1")
    assert listed["kind"] == "RuleList"
    assert {rule["id"][:4] for rule in listed["rules"]} == {"WIN0", "WIN2"}
    assert all(rule["family"] for rule in listed["rules"])
    for wrong in ("sarif", "json=rules.json"):
        assert lint(capsys, "--list-rules", "-o", wrong)[0] == 2


def test_only_files_that_are_included_are_linted_below_folders(folder, capsys):
    (folder / "k8s").mkdir()
    (folder / "k8s" / "a.yaml").write_text(POD)
    assert document(capsys, ".", "--include", "k8s/*")[1]["summary"]["files"] == 1
    assert document(capsys, "web.yaml", "--include", "k8s/*")[1]["summary"]["files"] == 1
    (folder / ".transom.toml").write_text('[lint]\ninclude = ["k8s"]\n')
    assert document(capsys, ".")[1]["summary"]["files"] == 1


def test_settings_hold_for_some_paths_only(folder, capsys):
    for name in ("edge", "new"):
        (folder / name).mkdir()
        (folder / name / "a.yaml").write_text(
            POD.replace("hostPID: true", "hostUsers: true").replace(
                "[]", "[{name: a, image: 'mcr.microsoft.com/windows/nanoserver:ltsc2025'}]"
            )
        )
    (folder / ".transom.toml").write_text(
        '[lint]\nselect = ["WIN003", "WIN200"]\n[[lint.override]]\npaths = ["edge/*"]\n'
        'kubernetes = "1.24"\nwindows = ["2019"]\n'
    )
    found = document(capsys, "edge", "new")[1]["findings"]
    assert [(item["file"], item["rule"]) for item in found] == [
        ("edge/a.yaml", "WIN200"),
        ("new/a.yaml", "WIN003"),
    ]
    (folder / ".transom.toml").write_text(
        '[[lint.override]]\npaths = "edge"\n[[lint.override]]\npaths = []\nfail-on = "info"\n'
    )
    code, _out, err = lint(capsys, "edge")
    assert code == 2
    assert "an override has a list `paths`" in err
    assert "there is no setting `fail-on`" in err


def test_the_summary_counts_what_fix_can_end(folder, capsys):
    assert lint(capsys, "web.yaml")[1].endswith("1 error in 1 file, 1 fixable with `transom fix`\n")
    assert document(capsys, "web.yaml")[1]["summary"]["fixable"] == 1
    assert main(["fix", "web.yaml"]) == 0
    capsys.readouterr()
    assert document(capsys, "web.yaml")[1]["summary"]["fixable"] == 0
    assert (folder / "web.yaml").read_text() == CLEAN


def test_what_is_called_fixable_has_a_fix():
    from transom.workload.fixable import FIXABLE
    from transom.workload.remedy import REMEDIES, safety

    assert {rule for rule, remedy in REMEDIES.items() if safety(remedy) != "no"} == FIXABLE
