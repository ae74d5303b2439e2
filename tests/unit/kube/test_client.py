"""A kubeconfig that cannot be used is the user's mistake, said before anything is sent."""

import pytest

from transom.errors import UsageError
from transom.kube.client import open_cluster

_NO_USER = """
current-context: a
clusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: a, context: {cluster: a}}]
"""


@pytest.mark.parametrize(
    "content", ["", "not yaml: [", "clusters: []\ncontexts: []\n", "- 1", _NO_USER]
)
def test_a_file_that_is_no_kubeconfig_is_the_users_mistake(tmp_path, content):
    (tmp_path / "config").write_text(content)
    with pytest.raises(UsageError, match="cannot use the kubeconfig"):
        open_cluster(tmp_path / "config")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match="none"):
        open_cluster(tmp_path / "none")
