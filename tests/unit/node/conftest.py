"""A recipe for Kubernetes 1.37 with Flannel overlay on Windows Server 2022, and a host for it."""

import pytest
from tests.support.node import (
    DOWNLOADS,
    OWNER,
    RECIPE,
    SECRETS,
    _tar_gz,
    kubeadm_for,
    new_host,
    newer,
)

from transom.model.request import Request, Verb

DOWNLOADS |= {
    "https://dl.example/new/kubeadm.exe": b"newer kubeadm " * 40,
    "https://dl.example/new/kubelet.exe": b"newer kubelet " * 40,
    "https://dl.example/new/containerd.tar.gz": _tar_gz(
        {
            "bin/containerd.exe": b"newer containerd " * 20,
            "bin/containerd-shim-runhcs-v1.exe": b"newer shim",
            "bin/ctr.exe": b"ctr",
        }
    ),
}


@pytest.fixture
def recipe():
    return RECIPE


@pytest.fixture
def newer_recipe():
    return newer(RECIPE)


@pytest.fixture
def secrets():
    return SECRETS


@pytest.fixture
def owner():
    return OWNER


@pytest.fixture
def kubeadm():
    """A kubeadm for a host that gets a pod network of some name."""
    return kubeadm_for


@pytest.fixture
def make_host():
    return new_host


@pytest.fixture
def request_for():
    """A request for a verb, with the join's secrets where it needs them."""

    def build(verb, **changes):
        join = SECRETS if verb is Verb.JOIN else None
        values = {"verb": verb, "recipe": RECIPE, "owner": OWNER, "join": join, **changes}
        return Request(**values)

    return build
