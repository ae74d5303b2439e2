"""The add-ons' HostProcess pods on a Windows host: upstream flanneld.exe and kube-proxy.exe, kept site.

`transom apply` brings the host and the pods; the runtime stand-in really runs a HostProcess container's
command in the host. No packet moves in the lab: what the programs made is read from the HNS stand-in.
"""

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.lab.other_side import LINUX_NODE, service

from transom.cli.main import main
from transom_lab.fleet import LabFleet, prepare_fleet
from transom_lab.hns.summary import summary
from transom_lab.host import WindowsHost
from transom_lab.lab import Lab
from transom_lab.places import cache_directory
from transom_lab.progress import Progress

pytestmark = pytest.mark.timeout(600)

_NAME = "win1"
# The disk of the machine that the lab runs on is no fault of ours.
OF_THE_MACHINE = {"disk-pressure"}
NOT_IN_WINE = {"named pipes"}
_NODE = (r"C:\k\transom\python\python.exe", r"C:\k\transom\node.pyz")
# Doctor takes a Service that is younger for one that kube-proxy has yet to write.
_OLD_ENOUGH_S = 65


@dataclass
class Site:
    """A lab with one host, which a fleet of one brings to Ready."""

    lab: Lab
    made: LabFleet
    eventually: Callable[..., None]

    @property
    def host(self) -> WindowsHost:
        return self.lab.host(_NAME)

    def kubectl(self, *arguments: str, stdin: str = "") -> str:
        return self.lab.kubectl(*arguments, stdin=stdin)

    def apply(self, text: str, verb: str = "apply") -> None:
        self.kubectl(verb, "-f", "-", stdin=text)

    def transom(self, *words: str, fleet: Path | None = None) -> int:
        given = ["-f", str(fleet or self.made.fleet)]
        if words[0] in ("apply", "status"):
            given += ["--lock", str(self.made.lock), "--python", str(self.made.python)]
        return main([*words, *given])

    def shown(self) -> str:
        return "\n".join(summary(self.host.hns.state()))

    def sees(self, pattern: str, *, timeout_s: float = 90) -> None:
        try:
            self.eventually(
                lambda: re.search(pattern, self.shown()) is not None, pattern, timeout_s=timeout_s
            )
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.shown()}\n{self.told()}") from error

    def told(self) -> str:
        """What the pods said last."""
        argv = [str(self.lab.program("kubectl")), "--kubeconfig", str(self.lab.kubeconfig), "logs"]
        label = "app.kubernetes.io/managed-by=transom"
        more = ["-n", "transom-system", "-l", label, "--prefix", "--tail=40"]
        done = subprocess.run(
            [*argv, *more], capture_output=True, text=True, timeout=90, check=False
        )
        return done.stdout + done.stderr

    def pods(self, name: str) -> list[Any]:
        label = f"app.kubernetes.io/name={name}"
        text = self.kubectl("get", "pods", "-n", "transom-system", "-l", label, "-o", "json")
        found: list[Any] = json.loads(text)["items"]
        return found

    def age_s(self, kind: str, name: str) -> float:
        """How long ago an object was made, by the clock that the API server shares with the lab."""
        text = self.kubectl("get", kind, name, "-o", "jsonpath={.metadata.creationTimestamp}")
        return (datetime.now(UTC) - datetime.fromisoformat(text)).total_seconds()

    def restarts(self, name: str) -> int:
        (pod,) = self.pods(name)
        return sum(status["restartCount"] for status in pod["status"]["containerStatuses"])

    def states(self) -> dict[str, Any]:
        """What the node program says of each program it keeps site."""
        said = self.host.run([*_NODE, "status"], timeout_s=60)
        found = json.loads(said.splitlines()[-1])["programs"]
        return {item["name"]: item for item in found}

    def doctor(self, capsys: pytest.CaptureFixture[str], fleet: Path | None = None) -> list[Any]:
        """What doctor finds on the host with the view of the real API server."""
        capsys.readouterr()
        self.transom("doctor", "-o", "json", fleet=fleet)
        document = json.loads(capsys.readouterr().out)
        assert {item["file"] for item in document["unreadable"]} <= NOT_IN_WINE
        return [item for item in document["findings"] if item["rule"] not in OF_THE_MACHINE]

    @property
    def vip(self) -> str:
        kept = self.host.drive_c / "k" / "transom" / "state" / "source-vip.json"
        return str(json.loads(kept.read_text())["address"])


@pytest.fixture(scope="module")
def site(bare_lab, eventually):
    """The host joined, and the add-ons in the cluster, by one command."""
    with bare_lab("addonpods") as lab:
        made = prepare_fleet(lab, cache=cache_directory(), progress=Progress())
        found = Site(lab, made, eventually)
        found.apply(LINUX_NODE)
        found.apply(service("shop", "10.96.50.10", "10.244.200.5"))
        assert found.transom("apply", "--yes") == 0, found.told()
        yield found


def test_the_pods_program_networks_routes_and_balancers(site):
    pods = json.loads(site.kubectl("get", "node", _NAME, "-o", "json"))["spec"]["podCIDR"]
    site.sees(rf"network flannel\.4096 Overlay {re.escape(pods)}")
    site.sees(r"policy RemoteSubnetRoute .*10\.244\.200\.0/24.*10\.77\.0\.100")
    site.sees(r"endpoint .* 10\.244\.200\.5 .*remote provider=10\.77\.0\.100")
    site.sees(rf"vip=10\.96\.50\.10 .*80->8080 sourcevip={re.escape(site.vip)} ")
    assert {item["state"] for item in site.states().values()} == {"running"}
    assert site.transom("apply") == 0  # nothing to confirm, so nothing to do


def test_doctor_finds_nothing_on_a_node_whose_add_ons_run(site, capsys):
    """Not what winkernel makes for its own use either: endpoints of cluster IPs, the node as a source."""
    site.sees(r"vip=10\.96\.0\.1 ")
    assert site.doctor(capsys) == []


def test_doctor_names_the_services_whose_balancers_were_purged(site, capsys):
    """As after a crash of the host network service: kube-proxy believes that they are there."""
    site.eventually(
        lambda: site.age_s("service", "shop") > _OLD_ENOUGH_S, "old enough", timeout_s=90
    )
    for identity in site.host.hns.state()["objects"]["LoadBalancer"]:
        assert site.host.hns.call("HcnDeleteLoadBalancer", id_=identity).hresult == 0
    found = site.doctor(capsys)
    assert [item["rule"] for item in found] == ["hns-balancers-missing"]
    assert any("10.96.50.10" in item for item in found[0]["evidence"])
    restarts = site.restarts("kube-proxy-windows")
    site.host.run(["taskkill", "/F", "/IM", "kube-proxy.exe"])
    site.eventually(lambda: site.restarts("kube-proxy-windows") > restarts, "restarted")
    site.sees(r"vip=10\.96\.50\.10 ")
    site.sees(r"vip=10\.96\.0\.1 ")
    assert site.doctor(capsys) == []


def test_the_pods_use_an_account_of_their_own(site):
    state = site.host.drive_c / "k" / "transom" / "state" / "programs"
    for name in ("flannel", "kube-proxy"):
        config = json.loads((state / f"{name}.kubeconfig").read_text())
        token = config["users"][0]["user"]["tokenFile"]
        assert "serviceaccount" in token
        # As the kubelet of Windows leaves it, and as the node program is shown it.
        assert site.host.drive_c.joinpath(*token.split("\\")[1:]).is_symlink()


def test_balancers_follow_a_service(site):
    site.apply(service("new", "10.96.50.11", "10.244.200.6"))
    site.sees(r"vip=10\.96\.50\.11 .*80->8080")
    site.apply(service("new", "10.96.50.11", "10.244.200.6"), "delete")
    site.eventually(lambda: "10.96.50.11" not in site.shown(), "its balancer is gone")


@pytest.mark.parametrize("image", ["kube-proxy.exe", "flanneld.exe"])
def test_a_killed_program_comes_back_with_the_same_source_address(site, image):
    name = {"kube-proxy.exe": "kube-proxy-windows", "flanneld.exe": "kube-flannel-windows"}[image]
    before, restarts = site.vip, site.restarts(name)
    site.host.run(["taskkill", "/F", "/IM", image])
    site.eventually(lambda: site.restarts(name) > restarts, f"{name} was restarted", timeout_s=60)
    site.sees(rf"vip=10\.96\.50\.10 .*sourcevip={re.escape(before)} ")
    assert site.vip == before


def test_what_went_while_no_proxy_ran_leaves_no_endpoint(site):
    site.apply(service("gone", "10.96.50.12", "10.244.200.7"))
    site.sees(r"endpoint .* 10\.244\.200\.7 ")
    site.kubectl("label", "node", _NAME, "transom.dev/prepared=false", "--overwrite")
    site.eventually(lambda: not site.pods("kube-proxy-windows"), "no pod", timeout_s=90)
    site.apply(service("gone", "10.96.50.12", "10.244.200.7"), "delete")
    assert "10.244.200.7" in site.shown()
    site.kubectl("label", "node", _NAME, "transom.dev/prepared=true", "--overwrite")
    site.eventually(
        lambda: "10.244.200.7" not in site.shown(), "its endpoint is gone", timeout_s=90
    )
    site.sees(rf"vip=10\.96\.50\.10 .*sourcevip={re.escape(site.vip)} ")


def test_a_network_service_that_stops_is_said_and_its_return_heals(site, capsys):
    before = site.vip
    site.host.room.stop("hns")
    site.eventually(
        lambda: site.states()["kube-proxy"]["state"] == "waiting", "it waits", timeout_s=90
    )
    assert site.transom("status") == 1
    said = capsys.readouterr().out
    assert re.search(r"win1: the host network service cannot .*\(.+\)", said), said
    assert "host network service" in site.states()["kube-proxy"]["reason"]
    site.host.start_hns()
    site.sees(rf"vip=10\.96\.50\.10 .*sourcevip={re.escape(before)} ", timeout_s=120)
    site.eventually(
        lambda: {item["state"] for item in site.states().values()} == {"running"},
        "everything runs",
        timeout_s=120,
    )
    assert site.vip == before


def test_after_a_reboot_everything_is_back_with_the_same_source_address(site):
    before = site.vip
    site.host.reboot()
    site.sees(r"network flannel\.4096 Overlay", timeout_s=120)
    site.sees(rf"vip=10\.96\.50\.10 .*sourcevip={re.escape(before)} ", timeout_s=120)
    assert site.vip == before
    assert "10.244.200.7" not in site.shown()


def l2bridge(site: Site) -> Path:
    """The lab's fleet and its Flannel, in the other mode."""
    conf = json.dumps({"Network": "10.244.0.0/16", "Backend": {"Type": "host-gw"}})
    patch = json.dumps({"data": {"net-conf.json": conf}})
    site.kubectl(
        *("patch", "configmap", "kube-flannel-cfg", "-n", "kube-flannel"),
        *("--type", "merge", "-p", patch),
    )
    document = yaml.safe_load(site.made.fleet.read_text("utf-8"))
    document["spec"]["network"]["flannel"] = {"mode": "l2bridge"}
    path = site.made.fleet.with_name("l2bridge.yaml")
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def test_in_mode_l2bridge_the_same_pods_make_a_bridge_and_balancers(site, capsys):
    """The host is reset first: a node changes its mode by joining anew."""
    assert site.transom("reset", "--all", "--yes") == 0
    assert "flannel.4096" not in site.shown()
    fleet = l2bridge(site)
    annotations = ["flannel.alpha.coreos.com/backend-type=host-gw"]
    site.kubectl("annotate", "node", "lin1", "--overwrite", *annotations)
    assert site.transom("apply", "--yes", fleet=fleet) == 0, site.told()
    site.sees(r"network cbr0 L2Bridge")
    site.sees(r"vip=10\.96\.50\.10 .*80->8080")
    assert {item["state"] for item in site.states().values()} == {"running"}
    site.sees(r"vip=10\.96\.0\.1 ")
    assert site.doctor(capsys, fleet) == []
