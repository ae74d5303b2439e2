"""The upstream programs refuse what they refuse on Windows, in their own words."""

import re


def test_a_wrong_ca_hash_is_refused_by_discovery(cluster):
    cluster.reset("win2")
    answer = cluster.join("win2", ca_hash=f"sha256:{'0' * 64}")
    assert answer.code != 0
    assert re.search(
        r"cluster CA found in cluster-info ConfigMap is invalid: none of the public keys",
        answer.text,
    ), answer.text


def test_an_expired_token_is_refused_by_discovery(cluster, eventually):
    cluster.reset("win2")
    token = cluster.token(ttl="1s")
    eventually(lambda: not cluster.is_signed(token), "the token's signature is gone")
    answer = cluster.join("win2", token=token)
    assert answer.code != 0
    assert (
        f'could not find a JWS signature in the cluster-info ConfigMap for token ID "{token[:6]}"'
        in answer.text
    )


def test_the_kubelet_refuses_a_removed_flag(cluster):
    answer = cluster.ssh("win1", r"C:\k\kubelet.exe --network-plugin=cni")
    assert answer.code != 0
    assert "unknown flag: --network-plugin" in answer.text
