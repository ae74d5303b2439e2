"""Add-ons on a real API server: everything it takes, nothing the second time, and what is refused."""

import asyncio
import json
from pathlib import Path

import pytest
import yaml
from tests.unit.addons.golden import FLEETS, everything, golden_setting

from transom.addons.pipe_policy import pipe_policy
from transom.cli.main import main
from transom.errors import PermanentError
from transom.fleet.rights import rights
from transom.kube.client import open_cluster
from transom_lab.controlplane import Component
from transom_lab.lab import Wish

DATA = Path(__file__).parents[1] / "data"
# Those whose kinds the lab's version still serves.
SERVED = [path for path in FLEETS if int(path.stem[2:4]) >= 20]
FLEET = DATA / "fleets" / "k137-2022-containerd-flannel-overlay.yaml"
GOOD = {"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789}}


@pytest.fixture(scope="module")
def server(lone_lab):
    """An API server and its store, and nothing else."""
    lab = lone_lab("addons")
    lab.down()
    try:
        lab.up(Wish(hosts=0, components=(Component.ETCD, Component.APISERVER)))
        yield lab
    finally:
        lab.down()


def walk(lab, work):
    """Do something with the server's objects."""

    async def connected():
        api = open_cluster(lab.kubeconfig)
        try:
            return await work(api.door)
        finally:
            await api.close()

    return asyncio.run(connected())


def transom(lab, *words):
    return transom_as(lab.kubeconfig, *words)


def transom_as(kubeconfig, *words):
    return main(["addons", *words, "--kubeconfig", str(kubeconfig)])


def flannel(conf):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kube-flannel-cfg", "namespace": "kube-system"},
        "data": {"net-conf.json": json.dumps(conf)},
    }


def have(lab, manifest):
    """Somebody else's object."""

    async def work(objects):
        # By another manager than ours, as if by kubectl.
        await objects.apply(manifest, manager="somebody", force=True)

    walk(lab, work)


@pytest.mark.parametrize("path", SERVED, ids=lambda path: path.stem)
def test_the_server_takes_every_object(server, path):
    """A dry run, in which unknown fields are refused; another namespace stands in for ours."""

    async def work(objects):
        for item in everything(path):
            if not await objects.serves(item["apiVersion"], item["kind"]):
                continue  # of an operator, or gone from this version
            if item["metadata"].get("namespace"):
                item["metadata"]["namespace"] = "default"
            taken = await objects.apply(item, dry_run=True)
            assert taken["metadata"]["name"] == item["metadata"]["name"]

    walk(server, work)


@pytest.fixture
def deployer(server, tmp_path):
    """The kubeconfig of somebody who has the printed rights and no others."""
    user = {"kind": "ServiceAccount", "name": "deployer", "namespace": "default"}
    have(
        server,
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": user["name"], "namespace": user["namespace"]},
        },
    )
    for role in rights():
        if role["metadata"]["name"] in ("transom-fleet", "transom-addons"):
            have(server, role)
            named = {"kind": "ClusterRole", "name": role["metadata"]["name"]}
            have(
                server,
                {
                    "apiVersion": role["apiVersion"],
                    "kind": "ClusterRoleBinding",
                    "metadata": role["metadata"],
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", **named},
                    "subjects": [user],
                },
            )
    token = server.kubectl("create", "token", "deployer")
    config = yaml.safe_load(server.kubeconfig.read_text("utf-8"))
    config["users"][0]["user"] = {"token": token.strip()}
    own = tmp_path / "kubeconfig"
    own.write_text(yaml.safe_dump(config), "utf-8")
    return own


def test_applied_twice_changes_nothing_and_deleted_leaves_nothing(server, deployer, capsys):
    """All with the rights that `transom init --print-rbac` prints."""
    have(server, flannel(GOOD))
    assert transom_as(deployer, "diff", "-f", str(FLEET)) == 1
    assert "create  DaemonSet transom-system/kube-proxy-windows" in capsys.readouterr().out
    assert transom_as(deployer, "apply", "-f", str(FLEET), "--no-wait") == 0
    assert transom_as(deployer, "diff", "-f", str(FLEET)) == 0
    capsys.readouterr()
    assert transom_as(deployer, "apply", "-f", str(FLEET), "--no-wait", "-o", "json") == 0
    again = json.loads(capsys.readouterr().out)
    assert {item["act"] for item in again["items"]} == {"keep"}

    assert transom_as(deployer, "delete", "-f", str(FLEET)) == 1
    assert transom_as(deployer, "delete", "-f", str(FLEET), "--yes") == 0
    capsys.readouterr()

    async def left(objects):
        return await objects.list(
            "apps/v1", "DaemonSet", labels={"app.kubernetes.io/managed-by": "transom"}
        )

    assert walk(server, left) == ()


def test_a_flannel_of_linux_defaults_is_refused_with_the_patch(server, capsys):
    have(server, flannel({"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan"}}))
    assert transom(server, "apply", "-f", str(FLEET), "--no-wait") == 3
    said = capsys.readouterr().err
    assert "Backend.VNI" in said
    assert "kubectl -n kube-system patch configmap kube-flannel-cfg" in said
    assert "is cut" in said


def test_another_windows_kube_proxy_is_refused_by_name(server, capsys):
    have(server, flannel(GOOD))
    rival = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "kube-proxy-windows", "namespace": "kube-system"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {
                    "nodeSelector": {"kubernetes.io/os": "windows"},
                    "containers": [{"name": "kube-proxy", "image": "x"}],
                },
            },
        },
    }
    have(server, rival)
    assert transom(server, "apply", "-f", str(FLEET), "--no-wait") == 3
    assert "DaemonSet kube-system/kube-proxy-windows" in capsys.readouterr().err


def test_the_pipe_policy_lets_nobody_else_mount_a_pipe(server, eventually):
    """The server's own verdict over the policy it was given."""
    have(
        server,
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "default", "namespace": "default"},
        },
    )
    setting = golden_setting(FLEET.stem)

    async def give(objects):
        for item in pipe_policy(setting):
            await objects.apply(item)

    walk(server, give)

    def verdict(path):
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "x", "namespace": "default"},
            "spec": {
                "containers": [{"name": "a", "image": "x"}],
                "volumes": [{"name": "v", "hostPath": {"path": path}}],
            },
        }

        async def ask(objects):
            try:
                await objects.apply(pod, dry_run=True)
            except PermanentError as error:
                return str(error)
            return ""

        return walk(server, ask)

    pipe = "\\\\.\\pipe\\rancher_wins"
    eventually(lambda: "may be mounted" in verdict(pipe), "the policy is in force")
    assert "may be mounted" in verdict("//./PIPE/containerd-containerd")
    assert verdict("C:\\data") == ""
