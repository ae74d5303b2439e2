"""Over every combination the facts allow: no recipe has what the facts deny for its version."""

import json
import re
from contextlib import suppress
from functools import cache
from itertools import product

import pytest

from transom.errors import Refused
from transom.facts import compile as facts_compile
from transom.facts import rows
from transom.facts.gates import Gate
from transom.facts.install import ArgumentRow
from transom.facts.kubelet import Field, Flag
from transom.facts.rows import At
from transom.facts.windows import Release, Support
from transom.model.codec import encode
from transom.model.fleet import (
    AzureCNISpec,
    CalicoSpec,
    Cluster,
    ContainerdSpec,
    DockerSpec,
    ExternalSpec,
    FlannelSpec,
    Fleet,
    Host,
    Isolation,
    KubeletSpec,
    KubernetesSpec,
    LongName,
    Network,
    NetworkMode,
    OVNKubernetesSpec,
    Privileged,
    Proxy,
    Runtime,
    WinBridgeSpec,
    WinCNISpec,
    WindowsSpec,
    WinOverlaySpec,
)
from transom.model.version import Version, VersionRange
from transom.recipe.resolve import resolve

MINORS = [f"1.{minor}.0" for minor in range(14, 38)]
PLUGINS = [
    FlannelSpec(mode=NetworkMode.OVERLAY),
    FlannelSpec(mode=NetworkMode.L2BRIDGE),
    CalicoSpec(),
    CalicoSpec(mode=NetworkMode.L2BRIDGE),
    AzureCNISpec(version="1.5.0"),
    OVNKubernetesSpec(),
    WinCNISpec(version="1.0.0"),
    WinBridgeSpec(),
    WinOverlaySpec(),
    ExternalSpec(network_name="corp"),
]
RUNTIMES = [Runtime(containerd=ContainerdSpec()), Runtime(docker=DockerSpec())]


def build_fleet(kubernetes, release, *, runtime, plugin, privileged, isolation):
    gates = {"WindowsHostProcessContainers": True} if kubernetes == "1.22.0" else {}
    return Fleet(
        name="grid",
        cluster=Cluster(feature_gates=gates),
        kubernetes=KubernetesSpec(kubernetes),
        runtime=runtime,
        privileged=privileged,
        network=Network(
            pod_cidrs=("10.244.0.0/16",),
            service_cidrs=("10.96.0.0/12",),
            cluster_dns=("10.96.0.10",),
            plugin=plugin,
        ),
        proxy=Proxy(http="http://proxy:3128"),
        hosts=(
            Host(
                name="windows-node-0001",
                address="10.0.0.21",
                windows=WindowsSpec(release),
                isolation=isolation,
                long_name=LongName("corp.example"),
                kubelet=KubeletSpec(config={"featureGates": gates} if gates else {}),
            ),
        ),
    )


@cache
def grid(kubernetes):
    """Every recipe that one version allows, over its releases, plugins and ways."""
    (support,) = rows.rows(Support, At(kubernetes=Version.parse(kubernetes)))
    releases = [row.id for row in rows.read(Release) if row.build in support.builds]
    found = []
    for release, runtime, plugin, way in product(releases, RUNTIMES, PLUGINS, [None, *Privileged]):
        isolation = Isolation.HYPERV if plugin is PLUGINS[1] else Isolation.PROCESS
        fleet = build_fleet(
            kubernetes, release, runtime=runtime, plugin=plugin, privileged=way, isolation=isolation
        )
        with suppress(Refused):
            found += resolve(fleet)
    return found


@pytest.fixture(scope="module", params=MINORS)
def version_and_recipes(request):
    return Version.parse(request.param), grid(request.param)


def test_every_covered_minor_has_recipes(version_and_recipes):
    _, recipes = version_and_recipes
    assert recipes


def test_no_flag_the_facts_deny(version_and_recipes):
    version, recipes = version_and_recipes
    known = {row.name for row in rows.read(Flag)}
    there = {row.name for row in rows.rows(Flag, At(kubernetes=version))}
    for recipe in recipes:
        for word in kubelet_words(recipe):
            name = word.removeprefix("--").partition("=")[0]
            assert name in known, f"{name} has no row of its own"
            assert name in there, f"--{name} does not exist in {version}"


def test_no_field_the_facts_deny(version_and_recipes):
    version, recipes = version_and_recipes
    refused = {
        row.path
        for row in rows.rows(Field, At(kubernetes=version))
        if row.behaviour == "refused" and row.when == "any"
    }
    for recipe in recipes:
        assert not refused & set(recipe.kubelet.config)
        if Version(1, 25) <= version < Version(1, 31):
            assert recipe.kubelet.config["cgroupsPerQOS"] is False
            assert recipe.kubelet.config["enforceNodeAllocatable"] == ()


def test_a_kubelet_up_to_1_30_is_told_that_windows_has_no_cgroups(version_and_recipes):
    version, recipes = version_and_recipes
    for recipe in recipes:
        by_flag = "--cgroups-per-qos=false" in kubelet_words(recipe)
        by_config = recipe.kubelet.config.get("cgroupsPerQOS") is False
        assert (by_flag or by_config) == (version < Version(1, 31))


def test_no_gate_the_facts_deny(version_and_recipes):
    version, recipes = version_and_recipes
    gates = {row.name: row for row in rows.read(Gate)}
    for recipe in recipes:
        for started in (*recipe.services, *recipe.programs):
            for word in started.command:
                for name in re.findall(r"--feature-gates=(\w+)=", word):
                    row = gates[name]
                    assert not row.removed or version < Version.parse(row.removed)
                    assert version >= Version.parse(row.alpha)


def test_a_recipe_is_plain_json_and_holds_no_backslash_mistake(version_and_recipes):
    _, recipes = version_and_recipes
    for recipe in recipes:
        assert json.loads(json.dumps(encode(recipe))) == encode(recipe)
        for directory in recipe.directories:
            assert re.fullmatch(r"[A-Z]:(\\[^\\/:*?\"<>|]+)+", directory.path)


def test_what_a_minor_does_not_support_is_never_in_a_recipe(version_and_recipes):
    version, recipes = version_and_recipes
    (support,) = rows.rows(Support, At(kubernetes=version))
    assert {recipe.target.windows_build for recipe in recipes} <= set(support.builds)


def kubelet_words(recipe):
    (service,) = (service for service in recipe.services if service.name == "kubelet")
    words = list(service.command)
    program = next(n for n, word in enumerate(words) if word.endswith("kubelet.exe"))
    return words[program + 1 :]


INSTALL_SUBJECTS = ("install", "join", "network", "containerd")


def test_every_row_about_installing_is_used_or_marked_as_reference():
    """A row nobody reads is a row nobody keeps true."""
    used = set()
    for kubernetes in MINORS:
        for recipe in grid(kubernetes):
            text = json.dumps(encode(recipe))
            used |= set(re.findall(r'"why": "([^"]+)"', text))
            used |= set(recipe.kubelet.why.values())
    used = {word for why in used for word in why.split()}
    unused = []
    for subject in INSTALL_SUBJECTS:
        for table, found in json.loads(facts_compile.compile_subject(subject)).items():
            unused += [
                f"{subject}.{table} {row['id']} {row.get('kubernetes', '')}"
                for row in found
                if not row.get("reference")
                and row["id"] not in used | READ_BY_NAME
                and not row["id"].startswith(("version-", "access-", "plugin-"))
                and table not in ("argument", "reserved_label", "owned_flag")
            ]
    assert unused == []


# Rows that decide or are cited in refusals rather than standing in a recipe.
READ_BY_NAME = {
    "worker-only",
    "kubeadm-two-runtimes",
    "limit-computer-name",
    "limit-covered-minor",
    "limit-legacy-minor",
    "kubelet-skew",
    "own-labels",
    "privileged-hostprocess",
    "privileged-services",
    "overlay-single-stack",
    "flannel-single-stack",
    "win-bridge-single-stack",
    "wincni-single-stack",
    "ipv6-only",
    "direct-metadata",
    "direct-azure-host",
    "mtu-overlay",
    "mtu-azure-linux",
    "mtu-azure-overlay",
    "mtu-l2bridge",
    "path-flags-file",
    "path-ca-certificate",
}


def test_every_argument_row_reaches_some_command_line():
    texts = set()
    for kubernetes in MINORS:
        for recipe in grid(kubernetes):
            texts |= {word for service in recipe.services for word in service.command}
    for row in rows.read(ArgumentRow):
        fixed = re.escape(row.text)
        pattern = re.sub(r"\\\{[a-z_]+\\\}", ".+", fixed)
        assert any(re.fullmatch(pattern, text) for text in texts), row.id


def test_the_covered_window_ends_where_the_support_rows_end():
    covered = [VersionRange.parse(row.kubernetes) for row in rows.read(Support)]
    assert covered[-1].since == Version(1, 37)
    assert covered[0].since == Version(1, 5)
