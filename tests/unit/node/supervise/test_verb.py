"""`node.pyz run`: a pod's log is standard output, a service's a file that does not grow for ever."""

import io
import json

from transom.node.layout import Layout
from transom.node.verbs.program import main


def run(site, *words):
    out = io.StringIO()
    return main(["run", *words], machine=site.host, stdout=out), out.getvalue()


def test_a_pod_sees_the_log_on_standard_output(site):
    site.then(lambda: site.child.end(3, "some words"))
    code, said = run(site, "kube-proxy")
    assert code == 3
    assert "some words\n" in said
    assert "transom run kube-proxy: " in said


def test_a_program_nobody_knows_is_a_failure_document_and_exit_2(site):
    code, said = run(site, "weave")
    assert code == 2
    assert json.loads(said.splitlines()[-1])["hint"] == "Its programs are flannel, kube-proxy."


def test_a_service_logs_to_the_recipes_file_and_keeps_one_before_it(site):
    site.host.background.asked_to_stop = lambda: site.asked
    site.then(lambda: [site.child.output(f"line {n}\n".encode()) for n in range(90)], site.stop)
    code, said = run(site, "kube-proxy", "--service", "kube-proxy")
    assert (code, said) == (0, "")
    files, log = site.host.files, r"C:\var\log\kube-proxy.log"
    kept = files.read(log + ".1") + files.read(log)
    assert b"line 89\n" in kept
    assert max(files.size(log), files.size(log + ".1")) < 400 + 80


def test_before_any_recipe_a_service_logs_beside_its_state(site):
    site.host.files.remove(Layout().recipe)
    site.host.background.asked_to_stop = lambda: site.asked
    site.then(site.stop, after=3)
    assert run(site, "kube-proxy", "--service", "kube-proxy")[0] == 0
    early = site.host.files.read(Layout().program_file("kube-proxy", "log")).decode()
    assert "no run has left a recipe" in early


def test_status_tells_how_programs_are(site):
    site.then(lambda: site.child.end(3))
    run(site, "kube-proxy")
    out = io.StringIO()
    assert main(["status"], machine=site.host, stdout=out) == 0
    (told,) = json.loads(out.getvalue())["programs"]
    assert (told["name"], told["state"]) == ("kube-proxy", "failed")
