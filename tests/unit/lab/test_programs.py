"""The rows that say how each upstream program is built."""

import pytest

from transom.errors import UsageError
from transom_lab.programs import Goos, default_version, pinned_versions, program
from transom_lab.sources import source

_EVERY = ("kubernetes", "containerd", "flannel", "cni-plugins", "cluster-api")


@pytest.mark.parametrize("suite", _EVERY)
def test_every_pinned_version_has_committed_module_files(suite):
    for version in pinned_versions(suite):
        folder = source("modules") / f"{suite}-{version}"
        assert {"go.mod", "go.sum", "tools.go"} <= {file.name for file in folder.iterdir()}


def test_kubernetes_programs_are_stamped_with_their_version():
    """Without the stamp kubeadm calls itself v0.0.0 and refuses every cluster."""
    flags = program("kubeadm", Goos.WINDOWS, "1.36.4").ldflags
    assert "-X k8s.io/component-base/version.gitVersion=v1.36.4" in flags
    assert "-X k8s.io/component-base/version.gitMinor=36" in flags


def test_a_windows_program_is_an_exe_and_a_linux_one_is_not():
    assert program("kubelet", Goos.WINDOWS).file_name == "kubelet.exe"
    assert program("kubeadm", Goos.LINUX).file_name == "kubeadm"


def test_the_cache_key_tells_version_system_and_flags_apart():
    keys = {
        program("kubeadm", goos, version).key
        for goos in Goos
        for version in pinned_versions("kubernetes")
    }
    assert len(keys) == len(Goos) * len(pinned_versions("kubernetes"))
    assert program("kubeadm", Goos.LINUX).key == program("kubeadm", Goos.LINUX).key


def test_each_cni_plugin_is_found_in_its_own_folder():
    place = "github.com/containernetworking/plugins/plugins"
    assert program("host-local", Goos.WINDOWS).package == f"{place}/ipam/host-local"
    assert program("win-overlay", Goos.WINDOWS).package == f"{place}/main/windows/win-overlay"


def test_the_release_file_is_the_publishers():
    url = program("kubelet", Goos.WINDOWS, "1.37.1").release
    assert url == "https://dl.k8s.io/release/v1.37.1/bin/windows/amd64/kubelet.exe"
    assert program("flanneld", Goos.WINDOWS).release is None


@pytest.mark.parametrize("version", ["1.37", "v1.37.1", "1.37.1-rc.0", "", "latest"])
def test_a_version_that_is_not_x_y_z_is_refused(version):
    if not version:
        assert program("kubeadm", Goos.LINUX, version).version == default_version("kubernetes")
        return
    with pytest.raises(UsageError, match=r"X\.Y\.Z"):
        program("kubeadm", Goos.LINUX, version)


def test_an_unknown_program_is_refused():
    with pytest.raises(UsageError, match="no program called"):
        program("kube-thing", Goos.LINUX)
