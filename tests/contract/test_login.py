"""Kubeconfigs that leave the login to a program or an identity provider, against an HTTPS server on this machine."""

import asyncio
import base64
import json
import ssl
import stat
import sys
import time
from pathlib import Path

import pytest
import trustme
import yaml
from tests.contract.web import ProxyServer, Server, body, running, status, tls

from transom.errors import PermanentError, UsageError
from transom.kube.client import open_cluster

VERSION = body(json.dumps({"gitVersion": "v1.37.1"}).encode())
PLUGIN = """
import json, os, sys
count = len(open("runs").read()) + 1 if os.path.exists("runs") else 1
open("runs", "w").write("x" * count)
open("told", "w").write(os.environ["KUBERNETES_EXEC_INFO"])
status = {"token": f"token-{count}"}
if os.environ.get("ENDS"):
    status["expirationTimestamp"] = os.environ["ENDS"]
print(json.dumps({"kind": "ExecCredential", "status": status}))
"""


@pytest.fixture
def authority():
    return trustme.CA()


@pytest.fixture
def server(authority):
    server = Server(tls(authority))
    with running(server):
        yield server


@pytest.fixture
def cluster(server, authority, tmp_path, monkeypatch):
    """`cluster(user)`: the cluster as a kubeconfig with that user names it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plugin.py").write_text(PLUGIN)

    def opened(user, **more):
        data = base64.b64encode(authority.cert_pem.bytes()).decode()
        place = {"server": server.url, "certificate-authority-data": data, **more}
        document = {
            "current-context": "a",
            "clusters": [{"name": "a", "cluster": place}],
            "contexts": [{"name": "a", "context": {"cluster": "a", "user": "u"}}],
            "users": [{"name": "u", "user": user}],
        }
        (tmp_path / "config").write_text(yaml.safe_dump(document))
        return open_cluster(tmp_path / "config")

    return opened


def plugin(version="v1", **more):
    return {
        "exec": {
            "apiVersion": f"client.authentication.k8s.io/{version}",
            "command": sys.executable,
            "args": ["plugin.py"],
            "interactiveMode": "IfAvailable",
            **more,
        }
    }


def ask(api, times=1):
    async def asking():
        try:
            return await asyncio.gather(*(api.version() for _ in range(times)))
        finally:
            await api.close()

    return asyncio.run(asking())


def shown(server):
    return [headers.get("authorization") for _, headers in server.seen]


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
def test_a_plugin_of_every_version_is_told_who_asks_and_run_once_for_all(
    server, cluster, tmp_path, version
):
    server.serve("/version", VERSION)
    assert ask(cluster(plugin(version)), times=5) == ["1.37.1"] * 5
    assert set(shown(server)) == {"Bearer token-1"}
    told = json.loads((tmp_path / "told").read_text())
    assert told["apiVersion"] == f"client.authentication.k8s.io/{version}"
    assert told["spec"]["interactive"] is False
    assert told["spec"]["cluster"]["server"] == server.url


@pytest.mark.parametrize("ends", ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00"])
def test_a_token_that_is_refused_or_over_is_renewed(server, cluster, ends):
    server.serve("/version", status(401), VERSION)
    assert ask(cluster(plugin())) == ["1.37.1"]
    assert shown(server) == ["Bearer token-1", "Bearer token-2"]
    server.seen.clear()
    api = cluster(plugin(env=[{"name": "ENDS", "value": ends}]))
    ask(api, times=2)
    assert sorted(shown(server)) == ["Bearer token-3", "Bearer token-4"]


def test_a_plugin_that_is_missing_or_fails_is_told_with_what_to_do(cluster, tmp_path):
    with pytest.raises(UsageError, match="cannot run no-such-login") as caught:
        ask(cluster(plugin(command="no-such-login", installHint="get it from us")))
    assert caught.value.hint == "get it from us"
    (tmp_path / "plugin.py").write_text("raise SystemExit(3)")
    with pytest.raises(PermanentError, match="ended with 3 and gave no credential"):
        ask(cluster(plugin()))
    for given, said in (
        ({"clientKeyData": "x"}, "neither a token nor a client certificate with its key"),
        ({"clientCertificateData": "x", "token": "t"}, "neither a token nor"),
        ({"clientCertificateData": "x", "clientKeyData": "hunter2"}, "that cannot be used"),
    ):
        (tmp_path / "plugin.py").write_text(f"print({json.dumps(json.dumps({'status': given}))})")
        with pytest.raises(PermanentError, match=said) as refused:
            ask(cluster(plugin()))
        assert "hunter2" not in str(refused.value)


GIVER = """
import json, os
count = len(open("runs").read()) + 1 if os.path.exists("runs") else 1
open("runs", "w").write("x" * count)
status = {"clientCertificateData": open(f"{count}.crt").read(), "clientKeyData": open(f"{count}.key").read()}
if os.path.exists("ends"):
    status["expirationTimestamp"] = open("ends").read()
print(json.dumps({"kind": "ExecCredential", "status": status}))
"""


@pytest.fixture
def certificates(server, authority, tmp_path, monkeypatch):
    """A plugin that gives one client certificate after the other; who showed which, and every file made."""
    authority.configure_trust(server.context)
    server.context.verify_mode = ssl.CERT_OPTIONAL
    for number in (1, 2, 3):
        issued = authority.issue_cert("me@corp", common_name=f"me-{number}")
        chain = b"".join(blob.bytes() for blob in issued.cert_chain_pems)
        (tmp_path / f"{number}.crt").write_bytes(chain)
        (tmp_path / f"{number}.key").write_bytes(issued.private_key_pem.bytes())
    (tmp_path / "giver.py").write_text(GIVER)
    (tmp_path / "private").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "private"))
    shown: list[str] = []
    modes: list[int] = []
    load = ssl.SSLContext.load_cert_chain

    def loaded(self, certfile, keyfile=None, password=None):
        files = (Path(certfile).parent, Path(certfile), Path(keyfile))
        modes.extend(stat.S_IMODE(file.stat().st_mode) for file in files)
        load(self, certfile, keyfile, password)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", loaded)

    def seen(answer):
        def handle(exchange):
            subject = dict(pair for (pair,) in exchange.connection.getpeercert()["subject"])
            shown.append(subject["commonName"])
            answer(exchange)

        return handle

    return seen, shown, modes


def test_a_client_certificate_of_a_plugin_is_shown_and_renewed_where_it_is_refused(
    server, cluster, tmp_path, certificates
):
    seen, shown, modes = certificates
    server.serve("/version", seen(VERSION), seen(status(401)), seen(VERSION))
    api = cluster(plugin(args=["giver.py"]))

    async def one_after_the_other():
        try:
            return [await api.version() for _ in range(3)]
        finally:
            await api.close()

    assert asyncio.run(one_after_the_other()) == ["1.37.1"] * 3
    assert shown == ["me-1", "me-1", "me-2", "me-2"]
    assert modes == [0o700, 0o600, 0o600] * 2
    assert list((tmp_path / "private").iterdir()) == []


def test_a_client_certificate_that_is_over_is_renewed_before_it_is_shown(
    server, cluster, tmp_path, certificates
):
    seen, shown, _ = certificates
    (tmp_path / "ends").write_text("2020-01-01T00:00:00Z")
    server.serve("/version", seen(VERSION))
    assert ask(cluster(plugin(args=["giver.py"])), times=2) == ["1.37.1"] * 2
    assert sorted(shown) == ["me-1", "me-2"] or shown == ["me-2", "me-2"]


@pytest.mark.parametrize("user", [{"token": "t"}, plugin()], ids=["token", "plugin"])
def test_a_cluster_is_reached_by_its_proxy_under_its_own_name_and_as_somebody(
    server, cluster, authority, user
):
    authority.issue_cert("api.corp").configure_cert(server.context)
    server.serve("/version", VERSION)
    with pytest.raises(PermanentError):
        ask(cluster(user))
    proxy = ProxyServer()
    with running(proxy):
        url = {"proxy-url": f"http://{proxy.address}", "tls-server-name": "api.corp"}
        api = cluster({**user, "as": "jane", "as-groups": ["dev", "ops"]}, **url)
        assert ask(api) == ["1.37.1"]
    assert [place for place, _ in proxy.asked] == [server.url.removeprefix("https://")]
    (_, headers) = server.seen[-1]
    assert headers["impersonate-user"] == "jane"
    assert headers["authorization"].startswith("Bearer t")


def test_the_login_of_another_file_is_run_from_there(server, authority, tmp_path, monkeypatch):
    """Several kubeconfigs: the cluster of one, the user of another, whose plugin stands beside it."""
    monkeypatch.chdir(tmp_path)
    server.serve("/version", VERSION)
    (tmp_path / "clusters").mkdir()
    (tmp_path / "users").mkdir()
    (tmp_path / "clusters/ca.crt").write_bytes(authority.cert_pem.bytes())
    place = {"server": server.url, "certificate-authority": "ca.crt"}
    script = tmp_path / "users/login"
    script.write_text(f"#!{sys.executable}{PLUGIN}")
    script.chmod(0o700)
    documents = {
        "clusters/config": {"clusters": [{"name": "a", "cluster": place}]},
        "users/config": {
            "current-context": "a",
            "contexts": [{"name": "a", "context": {"cluster": "a", "user": "u"}}],
            "users": [{"name": "u", "user": plugin(command="./login", args=[])}],
        },
    }
    for name, document in documents.items():
        (tmp_path / name).write_text(yaml.safe_dump(document))
    files = [tmp_path / name for name in ("none", *documents)]
    assert ask(open_cluster(*files)) == ["1.37.1"]
    assert shown(server) == ["Bearer token-1"]


def jwt(ends):
    payload = base64.urlsafe_b64encode(json.dumps({"exp": ends}).encode()).decode().rstrip("=")
    return f"e30.{payload}.c2ln"


def provider(**config):
    return {"auth-provider": {"name": "oidc", "config": config}}


def test_the_token_of_an_identity_provider_is_used_while_it_is_good(server, cluster):
    server.serve("/version", VERSION)
    token = jwt(int(time.time()) + 600)
    assert ask(cluster(provider(**{"id-token": token}))) == ["1.37.1"]
    assert shown(server) == [f"Bearer {token}"]
    with pytest.raises(UsageError, match="ended at 1970-01-01") as caught:
        cluster(provider(**{"id-token": jwt(60)}))
    assert "kubectl get nodes" in str(caught.value.hint)
    with pytest.raises(UsageError, match="has no id-token"):
        cluster(provider())


@pytest.mark.usefixtures("strict_python")
@pytest.mark.parametrize("user", [{"token": "t"}, plugin()], ids=["a token", "a plugin"])
def test_a_cluster_whose_authority_has_no_key_identifier_is_asked(start, bare, cluster, user):
    authority, context = bare
    server = start(Server(context))
    server.serve("/version", VERSION)
    data = base64.b64encode(authority.encode()).decode()
    api = cluster(user, **{"server": server.url, "certificate-authority-data": data})
    assert ask(api) == ["1.37.1"]


def test_an_api_server_of_another_authority_is_final_and_told_so(server, cluster):
    server.serve("/version", VERSION)
    other = base64.b64encode(trustme.CA().cert_pem.bytes()).decode()
    api = cluster({"token": "t"}, **{"certificate-authority-data": other})
    with pytest.raises(PermanentError, match="is not trusted: unable to get local issuer") as told:
        ask(api)
    assert "certificate-authority" in told.value.hint


def test_a_password_is_shown_as_before(server, cluster):
    server.serve("/version", VERSION)
    assert ask(cluster({"username": "me", "password": "hunter2"})) == ["1.37.1"]
    assert shown(server) == ["Basic " + base64.b64encode(b"me:hunter2").decode()]
