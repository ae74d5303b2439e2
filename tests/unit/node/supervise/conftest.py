"""A joined host whose recipe has kube-proxy and Flannel, and a keeper for either."""

import ipaddress
import json
from dataclasses import replace
from typing import Any

import pytest

from transom.model.codec import encode
from transom.model.recipe import Program, SourceVip
from transom.node.host.values import Completed, HnsState, PathKind
from transom.node.layout import Layout
from transom.node.supervise.supervisor import Supervisor

NETWORK = "flannel.4096"
LEASES = r"C:\var\lib\cni\networks"
HOST_LOCAL = r"C:\opt\cni\bin\host-local.exe"


def program(name, command, **changes):
    values: dict[str, Any] = {
        "version": "1.0.0",
        "environment": {"NODE": "{{nodeAddress}}"},
        "network": NETWORK,
        "makes_network": False,
        "source_vip": None,
        "leaves": (),
        "restart_on": ("NodeIPs changed",),
        "restart_delays_s": (1, 7),
        "wait_s": 20,
        "log": rf"C:\var\log\{name}.log",
        "log_bytes": 400,
        "why": "",
    }
    return Program(name=name, command=(rf"C:\k\{name}.exe", *command), **(values | changes))


PROXY = program(
    "kube-proxy",
    ("--kubeconfig={{kubeconfig}}", "--source-vip={{sourceVIP}}"),
    source_vip=SourceVip(endpoint="", reserve_with=HOST_LOCAL, leases=LEASES, why=""),
    leaves=("balancers", "endpoints"),
)
FLANNEL = program("flannel", ("--iface={{nodeAddress}}",), makes_network=True)


def network(identity="net-1", name=NETWORK):
    return {"ID": identity, "Name": name}


def host_local(host, _argv):
    """The real plugin's leases: a file per address, with the container's id and interface."""
    question, variables = json.loads(host.processes.given[0]), host.processes.given[1]
    folder = f"{question['ipam']['dataDir']}\\{question['name']}"
    subnet = ipaddress.ip_network(question["ipam"]["ranges"][0][0]["subnet"])
    wanted = variables.get("CNI_ARGS", "").removeprefix("IP=")
    for address in [wanted] if wanted else [str(item) for item in list(subnet.hosts())[1:]]:
        if host.disk.kind(f"{folder}\\{address}") is PathKind.ABSENT:
            held = f"{variables['CNI_CONTAINERID']}\r\n{variables['CNI_IFNAME']}"
            host.files.make_directory(folder)
            host.files.write(f"{folder}\\{address}", held.encode())
            answer = {"ips": [{"address": f"{address}/{subnet.prefixlen}"}]}
            return Completed(code=0, output=json.dumps(answer))
    error = {"code": 999, "msg": f"requested IP address {wanted} is not available"}
    return Completed(code=1, output=json.dumps(error))


class Site:
    """A host, what its keeper wrote, and a script of what happens while it waits."""

    def __init__(self, host, recipe):
        self.host, self.lines, self.script, self.polls = host, [], [], 0
        self.recipe = replace(recipe, programs=(FLANNEL, PROXY))
        self.asked = False
        for folder in (r"C:\etc\kubernetes", r"C:\k\transom\state", r"C:\var\log"):
            host.files.make_directory(folder)
        host.files.write(r"C:\etc\kubernetes\kubelet.conf", b"kubeconfig")
        self.keep(self.recipe)
        host.files.make_directory(HOST_LOCAL.rpartition("\\")[0])
        host.files.write(HOST_LOCAL, b"host-local")
        host.programs["host-local.exe"] = host_local
        host.vitals.hns_state = HnsState(networks=(network(),))
        host.clock.meanwhile = self._meanwhile

    def keep(self, recipe):
        self.host.files.write(Layout().recipe, json.dumps(encode(recipe)).encode())

    def keeper(self, name="kube-proxy", **options):
        return Supervisor(
            self.host, Layout(), name, self.lines.append, lambda: self.asked, **options
        )

    def then(self, *acts, after=1):
        """Let each act happen once, `after` waits after the one before."""
        self.script += [(after, act) for act in acts]

    def stop(self):
        self.asked = True

    @property
    def child(self):
        return self.host.processes.children[-1]

    @property
    def text(self):
        return b"".join(self.lines).decode()

    def _meanwhile(self):
        self.polls += 1
        assert self.polls < 5000, self.text[-2000:]
        if self.script and self.polls >= self.script[0][0]:
            self.polls = 0
            self.script.pop(0)[1]()


@pytest.fixture
def site(make_host, recipe):
    return Site(make_host(), recipe)


@pytest.fixture
def made():
    """Programs and networks as the tests name them."""

    class Made:
        proxy, flannel = PROXY, FLANNEL
        network = staticmethod(network)
        leases = f"{LEASES}\\{NETWORK}"

    return Made
