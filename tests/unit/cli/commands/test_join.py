"""`transom join` reads what a person names before it opens any door."""

import pytest
from tests.support.node_kubernetes_manual_join import KUBECONFIG, coded

from transom.cli.commands.join import node_kubeconfig
from transom.errors import UsageError
from transom.node.kubernetes.kubeconfig import read_access


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read"),
        ("just: words", "cannot use the kubeconfig"),
        ("", "cannot use the kubeconfig"),
        (
            KUBECONFIG.replace("client-certificate-data: " + coded("CERT\n"), "x: 1").replace(
                "client-key-data", "client-certificate: /c.pem # "
            ),
            "names a certificate in another file",
        ),
    ],
)
def test_a_node_kubeconfig_that_cannot_be_used_is_told_at_once(tmp_path, content, message):
    file = tmp_path / "node.conf"
    if content is not None:
        file.write_text(content)
    with pytest.raises(UsageError, match=message):
        node_kubeconfig(str(file))


def test_a_node_kubeconfig_may_be_any_yaml_and_is_sent_as_json(tmp_path):
    file = tmp_path / "node.conf"
    file.write_text(KUBECONFIG + "# the end\n")
    assert read_access(node_kubeconfig(str(file))) == read_access(KUBECONFIG)
    assert node_kubeconfig(None) == ""
