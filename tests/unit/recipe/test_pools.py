"""Pools differ in Kubernetes, runtime and proxy; names and addresses of a host reach its recipe apart."""

from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

FLEET = """\
apiVersion: transom.dev/v1alpha2
kind: Fleet
metadata: {name: shop}
spec:
  kubernetes: {version: 1.37.0}
  network:
    type: Flannel
    podCIDRs: [10.244.0.0/16]
    serviceCIDRs: [10.96.0.0/12]
    clusterDNS: [10.96.0.10]
    clusterDomain: corp.local
  proxy: {httpProxy: "http://p:1"}
  defaults: {windows: {release: ltsc2022}}
  pools:
  - name: canary
    kubernetes: {version: 1.37.1}
    proxy: {httpProxy: "http://q:1"}
    host: {runtime: {containerd: {version: 2.3.7}}}
  hosts:
  - {name: a, address: 10.0.0.1}
  - {name: b, address: 10.0.0.2, poolName: canary, computerName: SRV-2, nodeName: b.corp.example, nodeIP: 10.1.0.2}
"""


def recipes():
    (fleet,) = read_fleets(FLEET, name="fleet.yaml")
    return resolve(fleet)


def service(recipe, name):
    return next(each for each in recipe.services if each.name == name)


def test_a_pool_has_its_own_version_runtime_and_proxy():
    first, second = recipes()
    assert [each.target.kubernetes for each in (first, second)] == ["1.37.0", "1.37.1"]
    assert second.target.runtime_version == "2.3.7"
    proxies = [service(each, "containerd").environment["HTTP_PROXY"] for each in (first, second)]
    assert proxies == ["http://p:1", "http://q:1"]


def test_names_and_the_nodes_address_go_where_they_belong():
    first, second = recipes()
    assert (first.computer_name, first.join.node_name) == ("a", "a")
    assert (second.computer_name, second.join.node_name) == ("SRV-2", "b.corp.example")
    assert "--address=10.0.0.1" in service(first, "kubelet").command
    assert "--address=10.1.0.2" in service(second, "kubelet").command


def test_the_clusters_domain_reaches_kubelet_cni_and_what_goes_past_the_proxy():
    first, _ = recipes()
    assert first.kubelet.config["clusterDomain"] == "corp.local"
    assert any('"svc.corp.local"' in file.content for file in first.files)
    assert ".corp.local" in service(first, "containerd").environment["NO_PROXY"].split(",")
