"""A v1alpha1 fleet is converted and then means what it meant: three levels merged, every document read."""

from pathlib import Path

import pytest

from transom.errors import InvalidDocument
from transom.model import fleet as model
from transom.model.taint import Taint, TaintEffect
from transom.spec.fleet import read_fleets

ROOT = Path(__file__).resolve().parents[4]
HEAD = """\
apiVersion: transom.dev/v1alpha1
kind: Fleet
metadata: {name: shop}
spec:
  kubernetes: {version: 1.37.1}
  network: {podCIDRs: [10.244.0.0/16], serviceCIDRs: [10.96.0.0/12], flannel: {}}
"""


def read(text):
    (fleet,) = read_fleets(text, name="fleet.yaml")
    return fleet


def host(text):
    (only,) = read(HEAD + text).hosts
    return only


def test_the_fleet_of_the_design_gives_its_hosts():
    fleet = read((ROOT / "tests/data/fleets/v1alpha1/shop.yaml").read_bytes())
    first = model.Host(
        name="win-01",
        address="10.0.0.21",
        pool="web",
        windows=model.WindowsSpec("ltsc2022"),
        connection=model.Connection(
            model.Transport.SSH,
            user="Administrator",
            port=22,
            jump="bastion",
            host_keys=("ssh-ed25519 AAAA...",),
            credential=model.FromFile("~/.ssh/id_ed25519"),
            credential_name="id-ed25519",
        ),
        kubelet=model.KubeletSpec(extra_args={"v": "2"}, config={"maxPods": 110}),
        taints=(Taint("os", TaintEffect.NO_SCHEDULE, "windows"),),
        labels={"pool": "web", "tier": "web"},
        directories=model.Directories(containerd_root="D:\\containerd"),
        upgrade=model.Upgrade(1, model.Drain(timeout_s=600, delete_empty_dir_data=True)),
    )
    assert fleet.hosts[0] == first
    assert fleet.hosts[1].windows == model.WindowsSpec("ltsc2025")
    assert fleet.hosts[1].connection.host_keys == ()
    assert [each.name for each in fleet.hosts] == ["win-01", "win-02"]


def test_the_fleet_of_the_design_gives_everything_around_the_hosts():
    fleet = read((ROOT / "tests/data/fleets/v1alpha1/shop.yaml").read_bytes())
    assert fleet == model.Fleet(
        name="shop",
        cluster=model.Cluster(kubeconfig="~/.kube/config", context="prod"),
        kubernetes=model.KubernetesSpec("1.37.1"),
        runtime=model.Runtime(containerd=model.ContainerdSpec("2.3.7")),
        privileged=model.Privileged.HOSTPROCESS,
        network=model.Network(
            pod_cidrs=("10.244.0.0/16",),
            service_cidrs=("10.96.0.0/12",),
            cluster_dns=("10.96.0.10",),
            mtu=1450,
            plugin=model.FlannelSpec("0.28.9", model.NetworkMode.OVERLAY, 4096, 4789),
        ),
        source=model.Source(
            mirrors={"https://dl.k8s.io": "https://mirror.corp/k8s"},
            bundle="./shop.bundle",
            overrides={"containerd": model.FromURL("https://files.corp/c.tar.gz", "a" * 64)},
            verify=(
                model.Verification(
                    "containerd", model.Authenticode(subject="CN=Corp", issuer="CN=Corp CA")
                ),
            ),
        ),
        proxy=model.Proxy("http://proxy:3128", "http://proxy:3128", (".corp",)),
        hosts=fleet.hosts,
    )


def test_what_is_left_out_is_left_to_the_facts():
    fleet = read(HEAD)
    assert fleet.cluster == model.Cluster()
    assert fleet.network.plugin == model.FlannelSpec(version=None, mode=None, vni=None, port=None)
    assert (fleet.runtime, fleet.privileged, fleet.hosts) == (None, None, ())


@pytest.mark.parametrize(
    ("written", "read_as"),
    [("1.30", "1.30.0"), ("1.3", "1.3.0"), ('"1.30"', "1.30.0"), ("v1.37.1", "1.37.1"),
     ("cluster", "cluster"), ("1.38.0-alpha.1", "1.38.0-alpha.1")],
)  # fmt: skip
def test_a_version_is_the_text_written_in_three_parts(written, read_as):
    text = HEAD.replace("version: 1.37.1", f"version: {written}")
    assert read(text).kubernetes.version == read_as


@pytest.mark.parametrize("written", ["2022", '"2022"', "1809", "20H2", "2012e1"])
def test_a_release_needs_no_quotes(written):
    only = host(f"  hosts: [{{name: a, windows: {{release: {written}}}}}]\n")
    assert only.windows.release == written.strip('"').replace("2022", "ltsc2022")


def test_labels_flags_and_taints_keep_words_that_yaml_reads_otherwise():
    only = host("""\
  hosts:
  - name: a
    windows: {release: 2022}
    labels: {zone: 1.10, spot: yes, hot: on}
    kubelet: {extraArgs: {v: 2, feature: false}, config: {maxPods: 110, failSwapOn: false}}
    taints: [{key: n, value: 010, effect: NoExecute}]
""")
    assert only.labels == {"zone": "1.10", "spot": "yes", "hot": "on"}
    assert only.kubelet.extra_args == {"v": "2", "feature": "false"}
    assert only.kubelet.config == {"maxPods": 110, "failSwapOn": False}
    assert only.taints == (Taint("n", TaintEffect.NO_EXECUTE, "010"),)


def test_maps_merge_at_every_depth_and_lists_replace():
    only = host("""\
  defaults:
    windows: {release: 2022}
    labels: {a: defaults, b: defaults, c: defaults}
    taints: [{key: a, effect: NoExecute}, {key: b, effect: NoExecute}]
    kubelet: {config: {evictionHard: {memory: 1, disk: 1}, list: [1, 2]}}
  pools:
  - {name: web, labels: {b: pool, c: pool}, kubelet: {config: {evictionHard: {disk: 2}}}}
  hosts:
  - name: a
    pool: web
    labels: {c: host}
    taints: [{key: c, effect: NoSchedule}]
    kubelet: {config: {list: [3]}}
""")
    assert only.labels == {"a": "defaults", "b": "pool", "c": "host"}
    assert only.taints == (Taint("c", TaintEffect.NO_SCHEDULE),)
    assert only.kubelet.config == {"evictionHard": {"memory": 1, "disk": 2}, "list": [3]}


def test_the_nearer_choice_of_exactly_one_replaces_the_farther():
    text = """\
  defaults:
    windows: {release: 2022}
    connection: {ssh: {user: A, credential: {file: key}}}
  hosts:
  - {name: a, connection: {ssh: {credential: {env: KEY}}}}
  - {name: b, connection: {winrm: {credential: {prompt: true}}}}
"""
    first, second = read(HEAD + text).hosts
    assert first.connection == model.Connection(
        model.Transport.SSH,
        user="A",
        credential=model.FromEnvironment("KEY"),
        credential_name="key-2",
    )
    assert second.connection == model.Connection(
        model.Transport.WINRM,
        credential=model.FromPrompt(),
        secret=model.SecretType.PASSWORD,
        credential_name="password",
    )


def test_a_pool_changes_nothing_for_hosts_outside_it():
    text = """\
  defaults: {windows: {release: 2022}}
  pools: [{name: unused, labels: {a: b}}]
  hosts: [{name: a}]
"""
    assert host(text).labels == {}


def test_a_host_without_an_address_is_reached_by_its_name():
    assert host("  hosts: [{name: win-01, windows: {release: 2022}}]\n").address == "win-01"


@pytest.mark.parametrize(
    ("written", "credential"),
    [
        ("agent: true", model.FromAgent()),
        ("file: ~/.ssh/id", model.FromFile("~/.ssh/id")),
        ("env: KEY", model.FromEnvironment("KEY")),
        ("command: [pass, show, win]", model.FromCommand(("pass", "show", "win"))),
        ("prompt: true", model.FromPrompt()),
        ("secretRef: {name: win, key: pw}", model.FromSecret("default", "win", "pw")),
        ("secretRef: {namespace: n, name: win, key: pw}", model.FromSecret("n", "win", "pw")),
    ],
)
def test_each_place_of_a_credential_is_read(written, credential):
    connection = f"connection: {{ssh: {{credential: {{{written}}}}}}}"
    only = host(f"  hosts: [{{name: a, windows: {{release: 2022}}, {connection}}}]\n")
    assert only.connection.credential == credential


@pytest.mark.parametrize(
    ("written", "plugin"),
    [
        ("calico: {mode: l2bridge}", model.CalicoSpec(mode=model.NetworkMode.L2BRIDGE)),
        ("azureCNI: {version: v1.4}", model.AzureCNISpec("1.4.0")),
        ("ovnKubernetes: {}", model.OVNKubernetesSpec()),
        ("wincni: {}", model.WinCNISpec()),
        ("winBridge: {}", model.WinBridgeSpec()),
        ("winOverlay: {}", model.WinOverlaySpec()),
        ("external: {networkName: Corp}", model.ExternalSpec("Corp")),
    ],
)
def test_each_plugin_is_read(written, plugin):
    assert read(HEAD.replace("flannel: {}", written)).network.plugin == plugin


@pytest.mark.parametrize(
    ("written", "override"),
    [
        (f"url: 'https://a.b/c', sha256: {'AB' * 32}", model.FromURL("https://a.b/c", "ab" * 32)),
        ("file: ./x.zip", model.FromLocalFile("./x.zip")),
        (f"file: x, sha256: {'0' * 64}", model.FromLocalFile("x", "0" * 64)),
        ("member: kubernetes/node/bin/kubelet.exe",
         model.FromNodeTarball("kubernetes/node/bin/kubelet.exe")),
    ],
)  # fmt: skip
def test_each_override_is_read(written, override):
    fleet = read(HEAD + f"  source: {{overrides: {{kubelet: {{{written}}}}}}}\n")
    assert fleet.source.overrides == {"kubelet": override}


def test_a_cluster_can_be_joined_without_a_kubeconfig():
    fleet = read(
        HEAD
        + f"""\
  cluster:
    endpoint: 10.0.0.1:6443
    caCertHashes: ["sha256:{"aB" * 32}"]
    tokenFrom: {{env: TOKEN}}
    version: 1.36
    featureGates: {{WindowsHostProcessContainers: true}}
"""
    )
    assert fleet.cluster == model.Cluster(
        endpoint="10.0.0.1:6443",
        ca_cert_hashes=("sha256:" + "ab" * 32,),
        token_from=model.FromEnvironment("TOKEN"),
        version="1.36.0",
        feature_gates={"WindowsHostProcessContainers": True},
    )


@pytest.mark.parametrize(("written", "count"), [("1", 1), ('"3"', 3), ("25%", "25%")])
def test_unavailable_nodes_are_a_count_or_a_share(written, count):
    text = f"  defaults: {{windows: {{release: 2022}}, upgrade: {{maxUnavailable: {written}}}}}\n"
    assert host(text + "  hosts: [{name: a}]\n").upgrade.max_unavailable == count


@pytest.mark.parametrize(("written", "seconds"), [("10m", 600), ("1h30m", 5400), ("45s", 45)])
def test_a_drain_has_a_timeout_in_seconds(written, seconds):
    drain = f"upgrade: {{drain: {{timeout: {written}, gracePeriod: 5, force: true}}}}"
    pools = f"  pools: [{{name: p, windows: {{release: 2022}}, {drain}}}]\n"
    only = host(pools + "  hosts: [{name: a, pool: p}]\n")
    assert only.upgrade.drain == model.Drain(timeout_s=seconds, grace_period_s=5, force=True)


def test_every_fleet_of_a_stream_is_read_in_order():
    fleets = read_fleets(
        HEAD + "---\n# only a comment\n---\n" + HEAD.replace("shop", "b"), name="-"
    )
    assert [fleet.name for fleet in fleets] == ["shop", "b"]


def test_mistakes_of_all_documents_are_reported_together():
    text = HEAD.replace("1.37.1", "new") + "---\n" + HEAD.replace("10.96", "10.960")
    with pytest.raises(InvalidDocument) as caught:
        read_fleets(text, name="fleet.yaml")
    assert [(each.path, each.line, each.file) for each in caught.value.mistakes] == [
        ("spec.kubernetes.version", 5, "fleet.yaml"),
        ("spec.network.serviceCIDRs[0]", 13, "fleet.yaml"),
    ]
