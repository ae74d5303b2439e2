"""A kubeconfig gives server, authority and credential, or says what it lacks and no secret."""

import base64
import json
from dataclasses import replace

import pytest

from transom.errors import UsageError
from transom.node.kubernetes.kubeconfig import Access, read_access, with_client_file


def coded(text):
    return base64.b64encode(text.encode()).decode()


def document(**user):
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [
            {
                "name": "c",
                "cluster": {
                    "server": "https://[fd00::1]",
                    "certificate-authority-data": coded("CA\n"),
                },
            }
        ],
        "users": [{"name": "u", "user": user}],
    }


ACCESS = Access("https://[fd00::1]", "CA\n")


@pytest.mark.parametrize(
    ("user", "access"),
    [
        ({"token": "s3cret"}, replace(ACCESS, token="s3cret")),
        (
            {"client-certificate-data": coded("C\n"), "client-key-data": coded("s3cret\n")},
            replace(ACCESS, pem="C\ns3cret\n"),
        ),
        ({"client-certificate": "/pki/c.pem"}, replace(ACCESS, client="/pki/c.pem")),
    ],
)
def test_each_kind_of_credential_is_read(user, access):
    found = read_access(json.dumps(document(**user)))
    assert found == access
    assert found.endpoint == "[fd00::1]:443"
    assert "s3cret" not in repr(found)


def test_a_certificate_moves_into_a_file_and_a_token_stays():
    pem = document(**{"client-certificate-data": coded("C"), "client-key-data": coded("K")})
    moved = with_client_file(json.dumps(pem), r"C:\pki\client.pem")
    assert read_access(moved) == replace(ACCESS, client=r"C:\pki\client.pem")
    assert coded("K") not in moved
    token = with_client_file(json.dumps(document(token="t")), "unused")
    assert read_access(token) == replace(ACCESS, token="t")


@pytest.mark.parametrize(
    "broken",
    [
        "not: a\n  kubeconfig",
        "",
        json.dumps(document()),
        json.dumps({**document(token="s3cret"), "current-context": "there"}),
        json.dumps(document(token="s3cret")).replace("https://[fd00::1]", "http://plain"),
        json.dumps(document(token="s3cret")).replace(coded("CA\n"), "%%%"),
    ],
)
def test_what_a_node_cannot_use_is_refused_without_its_secrets(broken):
    with pytest.raises(UsageError, match="cannot use the kubeconfig") as caught:
        read_access(broken)
    assert "s3cret" not in str(caught.value)
