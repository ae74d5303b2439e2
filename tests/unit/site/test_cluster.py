"""Which cluster is meant: the person's word, then the fleet's, then kubectl's."""

import pytest
import trustme
from tests.support.environments import environment

from transom.errors import UsageError
from transom.model.fleet import Cluster
from transom.site.cluster import ClusterChoice, open_api, open_api_if_any


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
def files(tmp_path):
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
    chosen = ClusterChoice(kubeconfig=files.get(flag), context=context)
    cluster = Cluster(kubeconfig=files["fleets"], context="prod") if fleet else None
    assert open_api(environment(), chosen, cluster).server == f"https://{expected}:1"


def test_a_cluster_that_nobody_named_may_be_missing():
    assert open_api_if_any(environment(), ClusterChoice()) is None


@pytest.mark.parametrize(
    ("chosen", "cluster"),
    [
        (ClusterChoice(kubeconfig="none"), None),
        (ClusterChoice(), Cluster(kubeconfig="none")),
    ],
)
def test_a_cluster_that_somebody_named_must_be_there(chosen, cluster):
    with pytest.raises(UsageError, match="none"):
        open_api_if_any(environment(), chosen, cluster)


def test_kubectls_files_are_used_as_one_where_nobody_says_more(files):
    here = environment(KUBECONFIG=f"{files['mine']}:{files['fleets']}")
    assert open_api(here, ClusterChoice()).server == "https://mine:1"
    assert open_api(here, ClusterChoice(context="prod")).server == "https://prod:1"
    assert open_api(here, ClusterChoice(), Cluster(context="test")).server == "https://test:1"


def test_a_pod_without_a_kubeconfig_means_its_own_cluster(files, tmp_path, monkeypatch):
    monkeypatch.setattr("transom.kube.in_cluster.service_account.__defaults__", (tmp_path,))
    (tmp_path / "token").write_text("t")
    (tmp_path / "ca.crt").write_bytes(trustme.CA().cert_pem.bytes())
    nobody = ClusterChoice()
    with pytest.raises(UsageError):
        open_api(environment(), nobody)
    inside = {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"}
    found = open_api(environment(**inside), nobody)
    assert (found.server, found.context) == ("https://10.96.0.1:443", "in-cluster")
    assert (
        open_api(environment(**inside, KUBECONFIG=files["mine"]), nobody).server == "https://mine:1"
    )
    with pytest.raises(UsageError):
        open_api(environment(**inside), ClusterChoice(kubeconfig="none"))
