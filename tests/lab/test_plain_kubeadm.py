"""A prepared host that plain `kubeadm join` brings into the cluster: nobody runs Transom afterwards.

As after Prepare-Node.ps1, in Cluster API and with images. The kubelet is a service; only its start reads
what kubeadm wrote for it. Up to 1.33 kubeadm names the runtime nowhere else.
"""

import json
from dataclasses import replace

import pytest
from tests.support import lab_node as usual

from transom.model.request import Verb
from transom.node.supervise.kubelet import ADDRESS, WITHOUT
from transom_lab.network import CONTROL_PLANE
from transom_lab.nodeprogram import fit_recipe

pytestmark = pytest.mark.timeout(900, func_only=True)
# The cluster's version and the node's; the older node is as old as that cluster allows.
SAME, OLDER = ("1.37.1", "1.37.1"), ("1.36.4", "1.33.4")
NAMES_RUNTIME_IN_FLAGS = "1.33.4"
PROVIDER = "lab://machines/1"
FLAGS_FILE = "var/lib/kubelet/kubeadm-flags.env"


class PlainSite(usual.Site):
    """A lab, and the version of kubeadm and the kubelet that its host gets."""

    def __init__(self, lab, version):
        super().__init__(lab)
        self.version = version


@pytest.fixture(scope="module", params=[SAME, OLDER], ids=lambda pair: pair[1])
def site(request, bare_lab):
    cluster, version = request.param
    with bare_lab(f"plain-{version.replace('.', '-')}", kubernetes=cluster) as lab:
        yield PlainSite(lab, version)


def recipe_of(site, version):
    """The recipe of a version, as of an image: it knows no address, and nothing was upgraded."""
    found = fit_recipe(site.recipe, site.host, kubernetes=version)
    containerd, kubelet = found.services
    command = tuple(word for word in kubelet.command if not word.startswith((ADDRESS, WITHOUT)))
    return replace(found, services=(containerd, replace(kubelet, command=command)))


def join_by_hand(site):
    """What a person types, or Cluster API's boot data has."""
    token = site.lab.control_plane.create_token(site.lab.program("kubeadm"), ttl="1h0m0s")
    discovery = {
        "apiServerEndpoint": f"{CONTROL_PLANE}:6443",
        "token": token,
        "caCertHashes": [site.ca_hash],
    }
    arguments = {"node-labels": "lab/by=hand", "provider-id": PROVIDER}
    document = {
        "apiVersion": "kubeadm.k8s.io/v1beta4",
        "kind": "JoinConfiguration",
        "discovery": {"bootstrapToken": discovery},
        "nodeRegistration": {
            "name": site.name,
            "criSocket": site.recipe.join.cri_socket,
            "kubeletExtraArgs": [{"name": n, "value": v} for n, v in arguments.items()],
        },
    }
    (site.host.drive_c / "join.json").write_text(json.dumps(document))
    return site.host.run(
        ["cmd", "/c", r"set PATH=C:\k;%PATH%&& kubeadm.exe join --config C:\join.json"]
    )


def test_the_kubelet_has_what_kubeadm_wrote_for_it(site):
    version = site.version
    answer = site.run(Verb.PREPARE, recipe=recipe_of(site, version))
    assert answer.code == 0, answer.lines
    join_by_hand(site)
    node = site.await_ready(timeout_s=120)
    written = (site.host.drive_c / FLAGS_FILE).read_text()
    assert ("--container-runtime-endpoint=" in written) == (version == NAMES_RUNTIME_IN_FLAGS), (
        written
    )
    assert node["status"]["nodeInfo"]["kubeletVersion"] == f"v{version}"
    assert node["metadata"]["labels"]["lab/by"] == "hand"
    assert node["spec"]["providerID"] == PROVIDER
    addresses = {item["type"]: item["address"] for item in node["status"]["addresses"]}
    assert addresses["InternalIP"] == site.host.plan.address
    site.host.run(["cmd", "/c", r"set PATH=C:\k;%PATH%&& kubeadm.exe reset --force"])
    assert site.run(Verb.RESET).code == 0
    site.forget_node()


@pytest.mark.parametrize("site", [OLDER], indirect=True, ids=lambda pair: pair[1])
def test_a_node_is_upgraded_past_the_version_that_took_a_flag_away(site):
    """What kubeadm 1.33 writes, --pod-infra-container-image, kubelet 1.35 lost and kubeadm 1.36 leaves there."""
    answer = site.run(Verb.JOIN, recipe=recipe_of(site, site.version))
    assert answer.code == 0, answer.lines
    assert "--pod-infra-container-image=" in (site.host.drive_c / FLAGS_FILE).read_text()
    assert (
        site.await_ready(timeout_s=120)["status"]["nodeInfo"]["kubeletVersion"]
        == f"v{site.version}"
    )
    answer = site.run(Verb.UPGRADE, recipe=fit_recipe(site.recipe, site.host, kubernetes=OLDER[0]))
    assert answer.code == 0, answer.lines
    assert "--pod-infra-container-image=" in (site.host.drive_c / FLAGS_FILE).read_text()
    assert site.await_ready(timeout_s=120)["status"]["nodeInfo"]["kubeletVersion"] == f"v{OLDER[0]}"
    assert site.run(Verb.RESET).code == 0
    site.forget_node()
