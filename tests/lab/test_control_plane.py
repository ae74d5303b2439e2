"""The control plane is the real one, and reachable from the machine without touching its network."""

import json
import subprocess


def test_the_api_server_is_ready_and_of_the_version_asked_for(cluster):
    assert cluster.kubectl("get", "--raw", "/readyz") == "ok"
    version = json.loads(cluster.kubectl("get", "--raw", "/version"))
    assert version["gitVersion"] == f"v{cluster.lab.record.kubernetes}"


def test_every_component_runs(cluster):
    assert {
        "etcd",
        "apiserver",
        "controller-manager",
        "scheduler",
    } == cluster.lab.control_plane.alive()


def test_cluster_info_names_the_address_that_hosts_reach(cluster):
    """Discovery hands hosts the lab's own address, not the port forwarded for the machine."""
    info = cluster.get("configmap", "cluster-info", "-n", "kube-public")
    assert "server: https://10.77.0.2:6443" in info["data"]["kubeconfig"]


def test_the_machine_has_no_route_or_interface_of_the_lab(cluster):
    del cluster
    shown = subprocess.run(["ip", "-4", "addr"], capture_output=True, text=True, check=True).stdout
    routes = subprocess.run(["ip", "route"], capture_output=True, text=True, check=True).stdout
    assert "10.77.0." not in shown + routes
