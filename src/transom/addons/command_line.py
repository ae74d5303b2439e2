"""What an add-on starts on a host: the node program, which starts the upstream one.

The same words serve a HostProcess pod, wins and a native service; only how the API server is
reached differs.
"""

from dataclasses import dataclass

from transom.addons.setting import Setting
from transom.facts import rows
from transom.facts.addons import ProgramArgument

# Put in by the kubelet from the environment that the pod is given.
NODE_NAME = "$(NODE_NAME)"


@dataclass(frozen=True, slots=True)
class Program:
    """A program of a host that an add-on runs; `verb` is the node program's word for it."""

    verb: str
    facts: str
    path: str


def kube_proxy_program(setting: Setting) -> Program:
    """The proxy of Services."""
    return Program("kube-proxy", "kube-proxy", setting.places.kube_proxy)


def flannel_program(setting: Setting) -> Program:
    """The daemon of Flannel."""
    return Program("flannel", "flanneld", setting.places.flanneld)


def command_line(setting: Setting, program: Program, *, access: str, node: str) -> list[str]:
    """The whole command; `access` is the option that says which credential is used."""
    places = setting.places
    words = [places.python, places.node_program, "run", program.verb, "--home", places.home]
    words += ["--program", program.path, access, places.kubeconfig, "--node", node]
    words += ["--network", setting.network.name]
    if program.verb == "kube-proxy":
        words += _source_vip(setting)
    return [*words, "--", *_arguments(setting, program, node)]


def _source_vip(setting: Setting) -> list[str]:
    if setting.network.mode != "overlay":
        return []
    if setting.source_vip_of:
        return ["--source-vip-of", setting.source_vip_of]
    return ["--source-vip-by", setting.places.host_local]


def _arguments(setting: Setting, program: Program, node: str) -> list[str]:
    network = setting.network
    words = {"network": network.name, "node": node, "pod_cidr": ",".join(network.pod_cidrs)}
    return [
        row.text.format(**words)
        for row in rows.rows(ProgramArgument, setting.at)
        if row.program == program.facts and setting.fits(row.when)
    ]
