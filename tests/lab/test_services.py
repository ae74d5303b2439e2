"""kube-proxy.exe and flanneld.exe as native services, kept running by the node program on a real cluster.

The golden recipe with `privileged: services`: prepare and join register them after the join. No packet
moves in the lab; what is programmed is read from the HNS stand-in.
"""

import hashlib
import json
import re
import time
from dataclasses import replace

import pytest
from tests.lab.other_side import LINUX_NODE, service
from tests.support import lab_node as usual

from transom.model.codec import decode
from transom.model.recipe import Recipe
from transom.model.request import Verb
from transom_lab.binaries import Binaries
from transom_lab.hns.summary import summary
from transom_lab.places import cache_directory
from transom_lab.programs import Goos, program
from transom_lab.progress import Progress

SERVICES = usual.GOLDEN.with_name("k137-2022-containerd-services.json")
PROGRAMS = {"kube-proxy": "kube-proxy", "flannel": "flanneld"}
NETWORK = "flannel.4096"

# What the cluster side gives nodes whose programs use the node's own credential.
RIGHTS = usual.GOLDEN.parents[1] / "addons" / "k137-2022-containerd-services.yaml"


class Site(usual.Site):
    """The usual host, with the programs of the recipe for services."""

    def _recipe(self):
        base = super()._recipe()
        golden = decode(Recipe, json.loads(SERVICES.read_text()))
        artifacts = list(base.artifacts)
        wanted = {
            "kube-proxy": (r"C:\k\kube-proxy.exe", "kube-proxy"),
            "flannel": (r"C:\k\flanneld.exe", "flanneld"),
            "host-local": (r"C:\opt\cni\bin\host-local.exe", "host-local"),
        }
        for name, (path, built) in wanted.items():
            source = program(built, Goos.WINDOWS)
            binaries = Binaries(cache=cache_directory(), progress=Progress())
            file = binaries.fetch([source])[source]
            self.host.put(file, rf"C:\bundle\{built}.exe")
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            bundled = rf"C:\bundle\{built}.exe"
            artifacts.append(
                replace(base.artifacts[0], id=name, path=path, file=bundled, sha256=digest)
            )
        started = [item for item in golden.services if item.runs]
        own = (r"C:\Python\python.exe",)
        return replace(
            golden,
            artifacts=tuple(artifacts),
            services=(
                *base.services,
                *(replace(item, command=own + item.command[1:]) for item in started),
            ),
            programs=tuple(
                replace(
                    item,
                    command=tuple(_named(word, self.name) for word in item.command),
                    environment={k: _named(v, self.name) for k, v in item.environment.items()},
                )
                for item in golden.programs
            ),
            join=base.join,
            identity=base.identity,
        )

    def apply(self, text, verb="apply"):
        self.lab.kubectl(verb, "-f", "-", stdin=text)

    def shown(self):
        return "\n".join(summary(self.host.hns.state()))

    def sees(self, pattern, *, timeout_s=60):
        deadline = time.monotonic() + timeout_s
        while re.search(pattern, self.shown()) is None:
            assert time.monotonic() < deadline, f"no {pattern} in\n{self.shown()}\n{self.logs()}"
            time.sleep(0.3)

    def logs(self):
        folder = self.host.drive_c / "var" / "log"
        files = [folder / name / f"{name}.log" for name in PROGRAMS.values()]
        return "\n".join(f.read_text(errors="replace")[-3000:] for f in files if f.exists())

    def says(self, name, words, *, timeout_s=60):
        path = self.host.drive_c / "var" / "log" / name / f"{name}.log"
        deadline = time.monotonic() + timeout_s
        while words not in path.read_text(errors="replace"):
            assert time.monotonic() < deadline, f"no {words} in\n{self.logs()}"
            time.sleep(0.3)

    def states(self):
        found = self.call("status").result["programs"]
        return {item["name"]: item for item in found}

    def kept(self):
        state = self.host.drive_c / "k" / "transom" / "state"
        return json.loads((state / "source-vip.json").read_text())["address"]

    def kill(self, image):
        self.host.run(["taskkill", "/F", "/IM", image], check=False)


def _named(word, name):
    return word.replace("win-01", name)


@pytest.fixture(scope="module")
def site(bare_lab):
    with bare_lab("services") as lab:
        made = Site(lab)
        made.apply(_named(RIGHTS.read_text("utf-8"), made.name))
        made.apply(LINUX_NODE)
        made.apply(service("shop", "10.96.50.10", "10.244.200.5"))
        answer = made.run(Verb.PREPARE)
        if answer.code == 4:
            made.host.reboot()
            answer = made.run(Verb.PREPARE)
        assert answer.code == 0, answer.lines
        yield made


def test_services_come_with_the_join_and_program_the_network(site):
    joined = site.run(Verb.JOIN)
    assert joined.code == 0, joined.lines
    assert "program-services" in usual.changed(joined)
    pods = json.loads(site.kubectl("get", "node", site.name, "-o", "json"))["spec"]["podCIDR"]
    site.sees(rf"network {NETWORK} Overlay {re.escape(pods)}")
    site.sees(rf"vip=10\.96\.50\.10 .*80->8080.*{re.escape(_vip(site))}")
    site.sees(r"endpoint .*10\.244\.200\.5 ")
    assert {item["state"] for item in site.states().values()} == {"running"}
    assert usual.changed(site.run(Verb.JOIN)) == []


def _vip(site):
    deadline = time.monotonic() + 60
    path = site.host.drive_c / "k" / "transom" / "state" / "source-vip.json"
    while not path.exists():
        assert time.monotonic() < deadline, site.logs()
        time.sleep(0.3)
    return site.kept()


def test_balancers_follow_a_service(site):
    site.apply(service("new", "10.96.50.11", "10.244.200.6"))
    site.sees(r"vip=10\.96\.50\.11 .*80->8080")
    site.apply(service("new", "10.96.50.11", "10.244.200.6"), "delete")
    deadline = time.monotonic() + 60
    while "10.96.50.11" in site.shown():
        assert time.monotonic() < deadline, site.shown()
        time.sleep(0.3)


def test_a_killed_proxy_comes_back_with_the_same_source_address(site, eventually):
    before = site.kept()
    site.kill("kube-proxy.exe")
    site.says("kube-proxy", "kube-proxy.exe ended with")
    site.sees(rf"vip=10\.96\.50\.10 .*{re.escape(before)}", timeout_s=90)
    assert site.kept() == before
    eventually(lambda: site.states()["kube-proxy"]["state"] == "running", "it runs", timeout_s=60)


def test_what_went_while_the_proxy_was_stopped_leaves_no_endpoint(site, eventually):
    site.apply(service("gone", "10.96.50.12", "10.244.200.7"))
    site.sees(r"endpoint .*10\.244\.200\.7 ")
    site.host.run(["sc", "stop", "kube-proxy"])
    site.host.await_service("kube-proxy", "STOPPED", timeout_s=60)
    site.apply(service("gone", "10.96.50.12", "10.244.200.7"), "delete")
    assert "10.244.200.7" in site.shown()
    site.host.start_service("kube-proxy")
    eventually(lambda: "10.244.200.7" not in site.shown(), "its endpoint is gone", timeout_s=90)
    eventually(lambda: site.states()["kube-proxy"]["state"] == "running", "it runs", timeout_s=60)
    site.sees(r"vip=10\.96\.50\.10 ", timeout_s=90)


def test_a_network_service_that_stops_is_said_and_its_return_heals(site):
    before = site.kept()
    site.host.room.stop("hns")
    deadline = time.monotonic() + 60
    while site.states()["kube-proxy"]["state"] != "waiting":
        assert time.monotonic() < deadline, site.states()
        time.sleep(1)
    assert "host network service" in site.states()["kube-proxy"]["reason"]
    site.host.start_hns()
    site.says("kube-proxy", "answers again")
    site.sees(rf"vip=10\.96\.50\.10 .*{re.escape(before)}", timeout_s=120)
    assert site.kept() == before


def test_after_a_reboot_everything_is_back_with_the_same_source_address(site):
    before = site.kept()
    site.host.reboot()
    site.sees(rf"network {NETWORK} Overlay", timeout_s=120)
    site.sees(rf"vip=10\.96\.50\.10 .*{re.escape(before)}", timeout_s=120)
    assert site.kept() == before


def test_reset_takes_the_services_and_what_they_made(site):
    reset = site.run(Verb.RESET)
    assert reset.code == 0, reset.lines
    site.forget_node()
    assert site.host.service_state("kube-proxy") == ""
    assert site.host.service_state("flanneld") == ""
    assert NETWORK not in site.shown()
    assert "10.244.200.5" not in site.shown()
