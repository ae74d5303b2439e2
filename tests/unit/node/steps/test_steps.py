"""What single steps promise beyond the laws that hold for all."""

import json
from dataclasses import replace

import pytest

from transom.errors import PermanentError, UsageError
from transom.model.journal import Intent, Receipt
from transom.node.engine.step import NodeSpec
from transom.node.host.values import Completed, FeatureState, PathKind
from transom.node.steps import STEPS
from transom.node.steps.defender import DefenderExclusions
from transom.node.steps.directories import Directories
from transom.node.steps.features import Features
from transom.node.steps.files import Files
from transom.node.steps.join import Join, kubeadm_path, whole_configuration
from transom.node.steps.routes import Routes
from transom.node.steps.services import Services

LEFT_BEHIND = r"C:\etc\kubernetes\transom-join.json"


@pytest.fixture
def want(recipe, secrets):
    return NodeSpec(recipe=recipe, join=secrets, joined_by_us=True)


def make(host, want, *, until=""):
    for step in STEPS:
        if step.id == until:
            return
        step.apply(host, step.check(host, want))


def test_steps_have_ids_of_their_own_and_need_only_earlier_ones():
    ids = [step.id for step in STEPS]
    assert len(set(ids)) == len(ids)
    for number, step in enumerate(STEPS):
        assert set(step.needs) <= set(ids[:number]), step.id


def test_a_feature_this_windows_does_not_have_is_an_error(make_host, recipe):
    feature = replace(recipe.features[0], name="Teleport")
    host = make_host()
    want = NodeSpec(recipe=replace(recipe, features=(feature,)))
    with pytest.raises(PermanentError, match="no feature Teleport"):
        Features().apply(host, Features().check(host, want))


def test_a_feature_that_was_on_is_left_on_by_undo(make_host, want):
    host = make_host()
    host.features.enable("Containers")
    assert Features().check(host, want) == []
    # A run that was cut short may have noted it all the same, when it had come on meanwhile.
    for state in FeatureState:
        host.features.enable("Containers")
        noted = Intent("features", "feature", "Containers", {"state": state.value})
        Features().undo(host, Receipt("features", (noted,)))
        was_off = state in (FeatureState.DISABLED, FeatureState.DISABLE_PENDING)
        left = FeatureState.DISABLED if was_off else FeatureState.ENABLED
        assert host.features.state("Containers") is left, state


def test_access_that_does_not_read_back_is_an_error(make_host, want):
    host = make_host()
    host.disk.set_acl = lambda _path, _sddl: None
    with pytest.raises(PermanentError, match="cannot protect"):
        Directories().apply(host, Directories().check(host, want))


def test_a_file_in_the_place_of_a_directory_is_an_error(make_host, want):
    host = make_host()
    host.files.write(r"C:\var", b"")
    with pytest.raises(PermanentError, match="there is a file"):
        Directories().apply(host, Directories().check(host, want))


def test_a_file_with_the_right_content_and_open_access_is_drift(make_host, want):
    host = make_host()
    make(host, want, until="services")
    path = want.recipe.files[1].path
    host.files.set_acl(path, "D:(A;;FA;;;WD)")
    assert [entry.subject for entry in Files().check(host, want)] == [path]


def test_a_host_without_defender_needs_no_exclusions(make_host, want):
    host = make_host()
    host.defender.installed = False
    assert DefenderExclusions().check(host, want) == ()


def test_a_metadata_route_is_kept_only_where_there_was_one(make_host, want):
    host = make_host()
    host.settings.put("active", "169.254.169.254/32", None)
    subjects = [entry.subject for entry in Routes().check(host, want)]
    assert subjects == ["10.9.0.0/16"]


def test_dependents_of_a_changed_service_are_running_again_afterwards(make_host, want):
    host = make_host()
    make(host, want)
    changed = replace(want.recipe.services[0], environment={})
    other = replace(want, recipe=replace(want.recipe, services=(changed, want.recipe.services[1])))
    Services().apply(host, Services().check(host, other))
    assert host.services.running("kubelet")
    assert host.services.running("containerd")
    assert Services().check(host, other) == []


def test_a_stopped_service_is_started(make_host, want):
    host = make_host()
    make(host, want)
    host.services.stop("kubelet")
    Services().apply(host, Services().check(host, want))
    assert host.services.running("kubelet")


def test_a_token_left_behind_is_removed_without_joining_again(make_host, want):
    host = make_host()
    make(host, want)
    host.files.write(LEFT_BEHIND, b"token")
    ran = len(host.processes.ran)
    Join().apply(host, Join().check(host, want))
    assert host.disk.kind(LEFT_BEHIND) is PathKind.ABSENT
    assert len(host.processes.ran) == ran


def test_the_file_with_the_token_is_for_administrators_and_gone_after_a_failure(make_host, want):
    host = make_host()
    make(host, want, until="join")
    seen = []

    def kubeadm(inner, argv):
        seen.append((inner.disk.acl(argv[-1]), inner.disk.read(argv[-1])))
        return Completed(code=1, output="no")

    host.programs["kubeadm.exe"] = kubeadm
    with pytest.raises(PermanentError, match="kubeadm join ended with 1: no"):
        Join().apply(host, Join().check(host, want))
    assert seen[0][0] == "D:P(A;;FA;;;SY)(A;;FA;;;BA)"
    assert host.disk.kind(LEFT_BEHIND) is PathKind.ABSENT


def test_a_host_without_the_recipes_directories_or_network_joins_too(make_host, want):
    """Whoever baked an image may have left the directories to kubeadm."""
    host = make_host()
    make(host, want, until="join")
    host.files.remove_tree(r"C:\var\lib\kubelet\pki")
    host.files.remove_tree(r"C:\etc\kubernetes")
    nameless = replace(want.recipe, network=replace(want.recipe.network, name=""))
    plain = replace(want, recipe=nameless)
    Join().apply(host, Join().check(host, plain))  # the simulated kubeadm writes into both
    kubeadm = [argv for argv in host.processes.ran if argv[0].endswith("kubeadm.exe")]
    assert [argv[1] for argv in kubeadm] == ["join"]
    assert Join().check(host, plain) == ()


def test_a_join_needs_a_token(make_host, recipe):
    host = make_host()
    want = NodeSpec(recipe=recipe)
    with pytest.raises(UsageError, match="no token"):
        Join().apply(host, Join().check(host, want))


def test_a_failed_reset_is_an_error(make_host, want):
    host = make_host()
    make(host, want, until="join")
    host.files.write(r"C:\etc\kubernetes\pki\ca.crt", b"left over")
    host.programs["kubeadm.exe"] = lambda _host, _argv: Completed(code=3, output="stuck")
    with pytest.raises(PermanentError, match="kubeadm reset ended with 3: stuck"):
        Join().apply(host, Join().check(host, want))


@pytest.mark.parametrize(
    "left", [r"C:\etc\kubernetes\bootstrap-kubelet.conf", r"C:\etc\kubernetes\pki\ca.crt"]
)
def test_what_an_earlier_join_left_is_reset_before_the_next_and_a_clean_host_is_not(
    make_host, want, left
):
    said = []
    for dirty in (True, False):
        host = make_host()
        make(host, want, until="join")
        if dirty:
            host.files.make_directory(left.rpartition("\\")[0])
            host.files.write(left, b"left over")
        real = host.programs["kubeadm.exe"]
        asked: list[str] = []
        host.programs["kubeadm.exe"] = lambda host, argv, real=real, asked=asked: (
            asked.append(argv[1]) or real(host, argv)
        )
        Join().apply(host, Join().check(host, want))
        said.append(asked)
    assert said == [["reset", "join"], ["join"]]


def test_the_join_configuration_is_what_kubeadm_reads(recipe, secrets):
    document = json.loads(json.dumps(whole_configuration(recipe.join, secrets)))
    assert document == {
        "apiVersion": "kubeadm.k8s.io/v1beta4",
        "kind": "JoinConfiguration",
        "caCertPath": r"C:\etc\kubernetes\pki\ca.crt",
        "discovery": {
            "bootstrapToken": {
                "apiServerEndpoint": "10.0.0.1:6443",
                "token": secrets.token,
                "caCertHashes": ["sha256:ab"],
            }
        },
        "nodeRegistration": {
            "name": "win-01",
            "criSocket": "npipe:////./pipe/containerd-containerd",
            "taints": [{"key": "os", "value": "windows", "effect": "NoSchedule"}],
            "kubeletExtraArgs": [
                {"name": "node-labels", "value": "pool=web"},
                {"name": "v", "value": "4"},
            ],
            "ignorePreflightErrors": [],
        },
        "timeouts": {"discovery": "1m0s"},
        "patches": {"directory": r"C:\k\transom\patches"},
    }


def test_older_kubeadm_takes_arguments_as_a_map_and_no_patches(recipe, secrets):
    plan = replace(recipe.join, api_version="kubeadm.k8s.io/v1beta3", patches_directory="")
    document = whole_configuration(plan, secrets)
    assert document["nodeRegistration"]["kubeletExtraArgs"] == {"node-labels": "pool=web", "v": "4"}
    assert "patches" not in document
    assert "timeouts" not in document
    assert document["discovery"]["timeout"] == "1m0s"


def test_kubeadm_may_be_a_member_of_an_archive(recipe):
    member = replace(recipe.artifacts[2].members[0], path=r"D:\x\KubeAdm.exe")
    archive = replace(recipe.artifacts[2], members=(member,))
    assert kubeadm_path(replace(recipe, artifacts=(archive,))) == r"D:\x\KubeAdm.exe"
    with pytest.raises(UsageError, match=r"no kubeadm\.exe"):
        kubeadm_path(replace(recipe, artifacts=()))


PROXIED = {"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "localhost,10.96.0.0/12"}


def proxied(recipe, **changes):
    services = tuple(replace(item, environment=PROXIED | changes) for item in recipe.services)
    return replace(recipe, services=services)


def exceptions(host, name):
    environment = dict(entry.partition("=")[::2] for entry in host.services.get(name).environment)
    return environment["NO_PROXY"].split(",")


def test_services_behind_a_proxy_reach_the_api_server_directly(make_host, recipe, secrets):
    host = make_host()
    want = NodeSpec(recipe=proxied(recipe), join=secrets, joined_by_us=True)
    make(host, want)
    for name in ("containerd", "kubelet"):
        assert exceptions(host, name) == ["localhost", "10.96.0.0/12", "10.0.0.1"]
    assert Services().check(host, want) == []


def test_a_server_that_is_an_exception_already_is_not_named_twice(make_host, recipe, secrets):
    host = make_host()
    for listed in ("localhost,10.0.0.1", "*"):
        named = proxied(recipe, NO_PROXY=listed)
        make(host, NodeSpec(recipe=named, join=secrets, joined_by_us=True))
        assert exceptions(host, "kubelet") == listed.split(",")


@pytest.mark.parametrize("server", ["https://api.corp:6443", "https://[fd00::1]:6443"])
def test_a_joined_node_has_the_server_of_its_own_kubeconfig(make_host, recipe, secrets, server):
    """A run of the node program by hand is told no endpoint."""
    host = make_host()
    make(host, NodeSpec(recipe=proxied(recipe), join=secrets, joined_by_us=True))
    config = {
        "clusters": [
            {"name": "c", "cluster": {"server": server, "certificate-authority-data": "eA=="}}
        ],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    host.files.write(r"C:\etc\kubernetes\kubelet.conf", json.dumps(config).encode())
    want = NodeSpec(recipe=proxied(recipe), joined_by_us=True)
    Services().apply(host, Services().check(host, want))
    assert exceptions(host, "kubelet")[-1] == server.partition("//")[2].rpartition(":")[0].strip(
        "[]"
    )


def test_a_host_that_is_only_prepared_keeps_the_exceptions_of_its_recipe(make_host, recipe):
    host = make_host()
    want = NodeSpec(recipe=proxied(recipe))
    make(host, want, until="join")
    assert exceptions(host, "kubelet") == PROXIED["NO_PROXY"].split(",")
