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
    key = f"jws-kubeconfig-{token.split('.')[0]}"
    eventually(
        lambda: key not in cluster.get("configmap", "cluster-info", "-n", "kube-public")["data"],
        "the token's signature is gone",
    )
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


def test_containerd_accepts_a_good_configuration_and_refuses_a_bad_one(cluster):
    host = cluster.lab.host("win1")
    host.put(cluster.windows_program("containerd"), r"C:\k\containerd.exe")
    good = host.directory / "good.toml"
    good.write_text("version = 3\nroot = 'C:\\ProgramData\\containerd\\root'\n")
    host.put(good, r"C:\k\good.toml")
    accepted = cluster.ssh("win1", r"C:\k\containerd.exe --config C:\k\good.toml config dump")
    assert accepted.code == 0, accepted.text
    assert "C:\\\\ProgramData\\\\containerd\\\\root" in accepted.stdout or (
        r"C:\ProgramData\containerd\root" in accepted.stdout
    )
    bad = host.directory / "bad.toml"
    bad.write_text("version = 3\noom_score = 'high'\n")
    host.put(bad, r"C:\k\bad.toml")
    refused = cluster.ssh("win1", r"C:\k\containerd.exe --config C:\k\bad.toml config dump")
    assert refused.code != 0
    assert "oom_score" in refused.text or "cannot decode" in refused.text, refused.text
