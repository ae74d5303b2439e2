"""Fleets of v1alpha2 are read as meant: over documents and files, three levels merged, keys unset."""

from pathlib import Path

import pytest

from transom.model import fleet as model
from transom.model.taint import Taint, TaintEffect
from transom.spec.fleet import Source, read, read_fleets

ROOT = Path(__file__).resolve().parents[3]
HEAD = """\
apiVersion: transom.dev/v1alpha2
kind: Fleet
metadata: {name: shop}
spec:
  network: {type: Flannel, podCIDRs: [10.244.0.0/16], serviceCIDRs: [10.96.0.0/12]}
"""
HOST = """\
apiVersion: transom.dev/v1alpha2
kind: WindowsHost
metadata: {name: win-01}
spec:
  fleetName: shop
"""
CLIENT = """\
apiVersion: client.transom.dev/v1alpha1
kind: Client
fleets:
- fleetName: shop
"""
RELEASE = "  defaults: {windows: {release: ltsc2022}}\n"


def one(*texts, **more):
    reading = read(
        [Source(f"{index}.yaml", text) for index, text in enumerate(texts)],
        **{key: [Source(key, text)] for key, text in more.items()},
    )
    (fleet,) = reading.fleets
    return fleet


def host(text):
    (only,) = one(HEAD + text).hosts
    return only


def test_the_smallest_useful_file_has_three_machines_in_under_15_lines():
    text = (ROOT / "examples/small.yaml").read_text(encoding="utf-8")
    fleet = one(text)
    assert len(text.splitlines()) < 15
    assert [each.name for each in fleet.hosts] == ["win-01", "win-02", "win-03"]
    assert {each.connection for each in fleet.hosts} == {None}  # the SSH agent and ~/.ssh


def test_the_example_holds_all_three_kinds_in_one_file():
    fleet = one((ROOT / "examples/fleet.yaml").read_text(encoding="utf-8"))
    assert [(each.name, each.pool, each.windows.release) for each in fleet.hosts] == [
        ("win-01", "web", "ltsc2022"),
        ("win-02", "web", "ltsc2022"),
        ("win-build-01", "build", "ltsc2025"),
    ]
    assert fleet.cluster.context == "prod"
    assert {each.connection.credential for each in fleet.hosts} == {
        model.FromFile("~/.ssh/id_ed25519")
    }


def test_a_windows_host_is_the_same_as_an_entry_of_the_fleet():
    entry = "{name: win-01, address: 10.0.0.21, nodeIP: 10.1.0.21, host: {labels: {rack: r07}}}"
    spec = "  address: 10.0.0.21\n  nodeIP: 10.1.0.21\n  host: {labels: {rack: r07}}\n"
    sugar = one(HEAD + RELEASE + f"  hosts: [{entry}]\n")
    assert one(HEAD + RELEASE, HOST + spec) == sugar == one(HOST + spec + "---\n" + HEAD + RELEASE)


def test_a_version_left_out_is_the_clusters():
    assert one(HEAD).kubernetes.version == "cluster"


def test_names_are_apart():
    entry = "{name: win-01, computerName: WIN-01, nodeName: win-01.corp.example, nodeIP: 10.1.0.21}"
    found = host(f"{RELEASE}  hosts: [{entry}]\n")
    assert (found.name, found.computer_name, found.node_name) == (
        "win-01",
        "WIN-01",
        "win-01.corp.example",
    )
    assert all(map(found.is_called, ("win-01", "WIN-01", "win-01.corp.example")))
    assert host(f"{RELEASE}  hosts: [{{name: a, computerName: SRV7}}]\n").node_name == "srv7"


def test_a_key_that_is_inherited_can_be_unset():
    found = host("""\
  defaults:
    windows: {release: ltsc2022}
    labels: {example.com/tier: web, keep: "1"}
    taints: [{key: os, value: windows, effect: NoSchedule}]
    kubelet: {config: {maxPods: 110}}
  pools:
  - name: web
    host: {unset: [/labels/example.com~1tier, /kubelet/config/maxPods], labels: {own: "1"}}
  hosts:
  - {name: a, poolName: web, host: {unset: [/taints, /labels/own]}}
""")
    assert found.labels == {"keep": "1"}
    assert (found.taints, found.kubelet) == ((), model.KubeletSpec())


def test_maps_merge_at_every_depth_and_lists_replace():
    found = host("""\
  defaults:
    windows: {release: ltsc2022}
    labels: {a: defaults, b: defaults, c: defaults}
    taints: [{key: a, effect: NoExecute}, {key: b, effect: NoExecute}]
    kubelet: {extraArgs: [{name: v, value: "2"}], config: {evictionHard: {memory: "1", disk: "1"}}}
  pools:
  - {name: web, host: {labels: {b: pool, c: pool}, kubelet: {config: {evictionHard: {disk: "2"}}}}}
  hosts:
  - name: a
    poolName: web
    host: {labels: {c: host}, taints: [{key: c, effect: NoSchedule}], kubelet: {extraArgs: []}}
""")
    assert found.labels == {"a": "defaults", "b": "pool", "c": "host"}
    assert found.taints == (Taint("c", TaintEffect.NO_SCHEDULE),)
    assert found.kubelet == model.KubeletSpec(config={"evictionHard": {"memory": "1", "disk": "2"}})


def test_another_type_replaces_the_inherited_one_whole():
    text = """\
  defaults:
    windows: {release: ltsc2022}
    connection: {ssh: {user: A, port: 2222}, credentialName: key}
    runtime: {containerd: {version: 2.3.7}}
  hosts:
  - {name: a, host: {connection: {ssh: {user: B}}}}
  - {name: b, host: {connection: {type: WinRM}, runtime: {type: Docker}}}
"""
    first, second = one(HEAD + text).hosts
    assert first.connection == model.Connection(
        model.Transport.SSH, user="B", port=2222, credential_name="key"
    )
    assert second.connection == model.Connection(model.Transport.WINRM)
    assert (first.runtime, second.runtime) == (None, model.Runtime(docker=model.DockerSpec()))


def test_a_pool_has_its_own_kubernetes_runtime_and_proxy():
    text = """\
  kubernetes: {version: 1.37.1}
  proxy: {httpProxy: "http://p:1"}
  defaults: {windows: {release: ltsc2022}}
  pools:
  - name: canary
    kubernetes: {version: 1.37.2}
    proxy: {httpProxy: "http://q:1"}
    host: {runtime: {containerd: {version: 2.3.8}}}
  hosts: [{name: a}, {name: b, poolName: canary}]
"""
    fleet = one(HEAD + text)
    first, second = fleet.hosts
    assert fleet.kubernetes_of(first).version == "1.37.1"
    assert fleet.kubernetes_of(second).version == "1.37.2"
    assert (first.proxy, first.runtime) == (None, None)
    assert second.proxy == model.Proxy("http://q:1")
    assert second.runtime.containerd.version == "2.3.8"


def test_a_rollout_of_the_fleet_holds_where_the_pool_says_nothing_else():
    text = """\
  rollout: {maxUnavailable: 25%, pauseSeconds: 300, drain: {timeoutSeconds: 60, emptyDirPolicy: Delete}}
  defaults: {windows: {release: ltsc2022}}
  pools: [{name: web, rollout: {maxUnavailable: 2, drain: {unmanagedPodPolicy: Delete}}}]
  hosts: [{name: a}, {name: b, poolName: web}]
"""
    first, second = (each.upgrade for each in one(HEAD + text).hosts)
    assert first == model.Upgrade("25%", model.Drain(60, delete_empty_dir_data=True), 300)
    assert second == model.Upgrade(2, model.Drain(60, delete_empty_dir_data=True, force=True), 300)


@pytest.mark.parametrize(
    ("written", "credential"),
    [
        ("type: SSHAgent", model.FromAgent()),
        ("type: SSHPrivateKey, file: ~/.ssh/id", model.FromFile("~/.ssh/id")),
        ("type: Password", model.FromPrompt()),
        ("env: KEY", model.FromEnvironment("KEY")),
        ("command: [pass, show, 'win/{host}']", model.FromCommand(("pass", "show", "win/a"))),
        ("secretRef: {name: win, key: pw}", model.FromSecret("default", "win", "pw")),
    ],
)
def test_each_place_of_a_credential_is_read_from_the_client(written, credential):
    fleet = (
        HEAD
        + "  defaults: {windows: {release: ltsc2022}, connection: {credentialName: me}}\n"
        + "  hosts: [{name: a}]\n"
    )
    client = CLIENT + f"  credentials: [{{name: me, {written}}}]\n"
    assert one(fleet, client).hosts[0].connection.credential == credential


def test_the_client_that_is_named_comes_before_the_one_in_the_files_and_the_users_own():
    def client(context):
        return CLIENT + f"  context: {context}\n"

    assert one(HEAD, client("b"), clients=client("a"), later=client("c")).cluster.context == "a"
    assert one(HEAD, client("b"), later=client("c")).cluster.context == "b"
    assert one(HEAD, later=client("c")).cluster.context == "c"


def test_the_host_that_transom_runs_on_is_named_by_the_client():
    fleet = HEAD + RELEASE + "  hosts: [{name: a}, {name: b}]\n"
    found = one(fleet, CLIENT + "  localHost: b\n").hosts
    assert [each.connection for each in found] == [None, model.Connection(model.Transport.LOCAL)]


def test_keys_for_anchors_and_the_whole_metadata_are_taken():
    text = HEAD.replace(
        "metadata: {name: shop}",
        "x-release: &release {release: ltsc2025}\n"
        "metadata: {name: shop, namespace: ns, labels: {env: prod}, annotations: {a/b: 'c d'},"
        " creationTimestamp: null, uid: u, generation: 3, managedFields: [{manager: m}]}\n"
        "status: {anything: 1}",
    )
    fleet = one(text + "  defaults: {windows: *release}\n  hosts: [{name: a}]\n")
    assert fleet.hosts[0].windows.release == "ltsc2025"


@pytest.mark.parametrize(
    ("written", "plugin"),
    [
        (
            "type: Calico, calico: {mode: L2Bridge}",
            model.CalicoSpec(mode=model.NetworkMode.L2BRIDGE),
        ),
        ("type: AzureCNI, azureCNI: {version: 1.4.0}", model.AzureCNISpec("1.4.0")),
        ("type: OVNKubernetes", model.OVNKubernetesSpec()),
        ("type: WinCNI, winCNI: {environment: Azure}", model.WinCNISpec(environment="azure")),
        ("type: WinBridge", model.WinBridgeSpec()),
        ("type: WinOverlay", model.WinOverlaySpec()),
        ("type: External, external: {networkName: Corp}", model.ExternalSpec("Corp")),
    ],
)
def test_each_plugin_is_read(written, plugin):
    assert one(HEAD.replace("type: Flannel", written)).network.plugin == plugin


def test_every_other_key_of_the_fleet_is_read():
    hash_ = "sha256:" + "ab" * 32
    fleet = one(
        HEAD.replace("network: {", "network: {clusterDomain: corp.local, ")
        + f"""\
  paused: true
  cluster: {{caCertHashes: ["{hash_}"], joinEndpoint: 10.0.0.1:6443, version: 1.36.0}}
  endOfLifePolicy: Allow
  privilegedMode: Services
  source:
    mirrors: [{{from: "https://dl.k8s.io", to: "https://m.corp"}}]
    overrides: [{{artifact: kubelet, member: kubernetes/node/bin/kubelet.exe}}]
""",
        CLIENT
        + "  overrides: [{artifact: containerd, file: ./c.zip}]\n  bootstrapToken: {env: T}\n",
    )
    assert fleet.paused
    assert fleet.network.cluster_domain == "corp.local"
    assert fleet.allow_end_of_life
    assert fleet.privileged is model.Privileged.SERVICES
    assert fleet.cluster == model.Cluster(
        endpoint="10.0.0.1:6443",
        ca_cert_hashes=(hash_,),
        version="1.36.0",
        token_from=model.FromEnvironment("T"),
    )
    assert fleet.source == model.Source(
        mirrors={"https://dl.k8s.io": "https://m.corp"},
        overrides={
            "kubelet": model.FromNodeTarball("kubernetes/node/bin/kubelet.exe"),
            "containerd": model.FromLocalFile("./c.zip"),
        },
    )


def test_every_fleet_of_a_stream_is_read_in_order():
    fleets = read_fleets(
        HEAD + "---\n# only a comment\n---\n" + HEAD.replace("shop", "b"), name="-"
    )
    assert [fleet.name for fleet in fleets] == ["shop", "b"]
