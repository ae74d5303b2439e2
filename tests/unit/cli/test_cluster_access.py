"""Which cluster is meant: the person's word, then the fleet's, then kubectl's."""

from argparse import Namespace

import pytest

from transom.cli.cluster_access import kubeconfigs_of, open_api, open_api_if_any
from transom.errors import UsageError
from transom.model.fleet import Cluster


def _kubeconfig(path, *names):
    contexts = ", ".join(
        f"{{name: {name}, context: {{cluster: {name}, user: u}}}}" for name in names
    )
    clusters = ", ".join(
        f"{{name: {name}, cluster: {{server: 'https://{name}:1'}}}}" for name in names
    )
    path.write_text(
        f"current-context: {names[0]}\nclusters: [{clusters}]\ncontexts: [{contexts}]\n"
        "users: [{name: u, user: {token: t}}]\n"
    )
    return str(path)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    return {
        "mine": _kubeconfig(tmp_path / "mine", "mine", "other"),
        "fleets": _kubeconfig(tmp_path / "fleets", "test", "prod"),
    }


@pytest.mark.parametrize(
    ("flag", "context", "fleet", "expected"),
    [
        ("mine", None, False, "mine"),
        ("mine", "other", False, "other"),
        (None, None, True, "prod"),
        (None, "test", True, "test"),
        ("mine", None, True, "mine"),
    ],
)
def test_the_nearest_word_wins(files, flag, context, fleet, expected):
    args = Namespace(kubeconfig=files.get(flag), context=context)
    cluster = Cluster(kubeconfig=files["fleets"], context="prod") if fleet else None
    assert open_api(args, cluster).server == f"https://{expected}:1"


@pytest.mark.usefixtures("files")
def test_a_cluster_that_nobody_named_may_be_missing():
    assert open_api_if_any(Namespace(kubeconfig=None, context=None)) is None


@pytest.mark.parametrize(
    ("args", "cluster"),
    [
        (Namespace(kubeconfig="none", context=None), None),
        (Namespace(kubeconfig=None, context=None), Cluster(kubeconfig="none")),
    ],
)
@pytest.mark.usefixtures("files")
def test_a_cluster_that_somebody_named_must_be_there(args, cluster):
    with pytest.raises(UsageError, match="none"):
        open_api_if_any(args, cluster)


def test_kubectls_files_are_used_as_one_where_nobody_says_more(files, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", f"{files['mine']}:{files['fleets']}")
    assert open_api(Namespace(kubeconfig=None, context=None)).server == "https://mine:1"
    assert open_api(Namespace(kubeconfig=None, context="prod")).server == "https://prod:1"
    assert open_api(Namespace(kubeconfig=None, context=None), Cluster(context="test")).server == (
        "https://test:1"
    )


def test_the_environment_lists_files_each_once_and_a_named_one_stands_alone(monkeypatch):
    monkeypatch.setenv("KUBECONFIG", "/a::/b:/a")
    assert [str(path) for path in kubeconfigs_of(None)] == ["/a", "/b"]
    assert [str(path) for path in kubeconfigs_of("/c")] == ["/c"]
    monkeypatch.setenv("KUBECONFIG", "")
    monkeypatch.setenv("HOME", "/me")
    assert [str(path) for path in kubeconfigs_of(None)] == ["/me/.kube/config"]
