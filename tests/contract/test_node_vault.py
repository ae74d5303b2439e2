"""Secrets from the stores of clouds: the stand-ins take what the vendors' clients send, and then ours."""

import threading

import botocore.session
import pytest
import trustme
from azure.core.credentials import AccessToken
from azure.core.pipeline.transport import RequestsTransport
from azure.keyvault.secrets import SecretClient
from tests.contract import clouds
from tests.contract.clouds import Cloud
from tests.contract.web import Server, body, tls

from transom.errors import PermanentError, TemporaryError
from transom.model.secret import SecretPlace
from transom.node.host.web import Web
from transom.node.vault.store import open_store

CONTENT = b'{"kind":"JoinConfiguration","token":"abcdef.0123456789abcdef"}'
NAME = "shop-join"
STORES = ["aws-secrets-manager", "aws-ssm", "azure-key-vault"]


class Clock:
    """A clock that goes by what is slept, beginning now."""

    def __init__(self):
        self.slept: list[float] = []

    def now(self):
        import time

        return time.time()

    def monotonic(self):
        return sum(self.slept)

    def sleep(self, seconds):
        self.slept.append(seconds)


class Nothing:
    """An environment without a proxy."""

    def get(self, _name):
        return None


@pytest.fixture
def cloud():
    server = Cloud()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join(10)
    server.server_close()


def place(cloud, store, **changes):
    values = {
        "store": store, "name": NAME, "endpoint": cloud.url, "metadata": cloud.url,
        "version": "7.4", "audience": "https://vault.azure.net",
    }  # fmt: skip
    return SecretPlace(**(values | changes))


def opened(found, clock=None):
    return open_store(found, Web(Nothing()), clock or Clock())


def kept(cloud):
    return {**cloud.secrets, **cloud.parameters, **cloud.vault}


def fill(cloud):
    for store in (cloud.secrets, cloud.parameters, cloud.vault):
        store[NAME] = CONTENT.decode()


@pytest.mark.parametrize("service", ["secretsmanager", "ssm"])
def test_the_stand_in_takes_what_amazon_s_client_sends(cloud, service):
    client = botocore.session.get_session().create_client(
        service, region_name=clouds.REGION, endpoint_url=cloud.url,
        aws_access_key_id=clouds.KEY.access_key, aws_secret_access_key=clouds.KEY.secret_key,
        aws_session_token=clouds.KEY.token,
    )  # fmt: skip
    if service == "ssm":
        client.put_parameter(Name=NAME, Value="x", Type="SecureString")
        assert client.get_parameter(Name=NAME, WithDecryption=True)["Parameter"]["Value"] == "x"
        client.delete_parameter(Name=NAME)
        with pytest.raises(client.exceptions.ParameterNotFound):
            client.get_parameter(Name=NAME)
    else:
        client.create_secret(Name=NAME, SecretString="x")
        assert client.get_secret_value(SecretId=NAME)["SecretString"] == "x"
        client.delete_secret(SecretId=NAME, ForceDeleteWithoutRecovery=True)
        with pytest.raises(client.exceptions.ResourceNotFoundException):
            client.get_secret_value(SecretId=NAME)


def test_the_stand_in_takes_what_microsoft_s_client_sends(start_tls):
    cloud, ca_file = start_tls

    class Identity:
        def get_token(self, *_scopes, **_how):
            return AccessToken(clouds.AZURE_TOKEN, 2**31)

    with SecretClient(
        cloud.url, Identity(), api_version="7.4", verify_challenge_resource=False,
        transport=RequestsTransport(connection_verify=ca_file),
    ) as client:  # fmt: skip
        client.set_secret(NAME, "x")
        assert client.get_secret(NAME).value == "x"
        client.begin_delete_secret(NAME)
    assert cloud.vault == {}


@pytest.fixture
def start_tls(context, ca_file):
    server = Cloud(context)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server, ca_file
    server.shutdown()
    thread.join(10)
    server.server_close()


@pytest.mark.parametrize("store", STORES)
def test_a_secret_is_fetched_and_deleted(cloud, store):
    fill(cloud)
    found = opened(place(cloud, store))
    assert found.fetch() == CONTENT
    before = len([secrets for secrets in (cloud.secrets, cloud.parameters, cloud.vault) if secrets])
    found.delete()
    after = len([secrets for secrets in (cloud.secrets, cloud.parameters, cloud.vault) if secrets])
    assert (before, after) == (3, 2)
    found.delete()


@pytest.mark.parametrize("store", STORES)
def test_a_cloud_that_is_not_ready_is_asked_again(cloud, store):
    fill(cloud)
    cloud.stumbles = 4
    clock = Clock()
    assert opened(place(cloud, store), clock).fetch() == CONTENT
    assert clock.slept == [1, 2, 4, 8]


@pytest.mark.parametrize("store", STORES)
def test_waiting_has_an_end(cloud, store):
    cloud.stumbles = 10**6
    clock = Clock()
    with pytest.raises(TemporaryError, match="503"):
        opened(place(cloud, store), clock).fetch()
    assert 250 < sum(clock.slept) <= 300


@pytest.mark.parametrize("store", STORES)
def test_a_secret_that_is_not_there_is_said_to_be_missing(cloud, store):
    with pytest.raises(PermanentError, match=rf"cannot read the secret {NAME}: 40[04]: .*NotFound"):
        opened(place(cloud, store)).fetch()


@pytest.mark.parametrize("store", STORES)
def test_a_right_that_is_missing_is_named(cloud, store):
    fill(cloud)
    cloud.may_delete = False
    with pytest.raises(PermanentError, match=r"cannot delete the secret .*(not authorized|delete)"):
        opened(place(cloud, store)).delete()
    assert kept(cloud)


def test_a_changed_signature_is_refused(cloud):
    """The stand-in notices: else nothing above would mean anything."""
    fill(cloud)
    other = place(cloud, "aws-ssm", region="us-east-1")
    with pytest.raises(PermanentError, match="InvalidSignature"):
        opened(other).fetch()


def test_one_of_several_identities_is_named(cloud):
    fill(cloud)
    assert opened(place(cloud, "azure-key-vault", identity="mine")).fetch() == CONTENT
    with pytest.raises(PermanentError, match=r"no managed identity: 400: .*no identity"):
        opened(place(cloud, "azure-key-vault", identity="other")).fetch()


def test_no_answer_at_all_is_temporary(cloud):
    nobody = place(cloud, "aws-ssm", metadata="http://127.0.0.1:9")
    with pytest.raises(TemporaryError, match="cannot reach"):
        opened(nobody).fetch()


def test_a_store_that_nobody_trusts_is_final_and_told_so(start):
    stranger = start(Server(tls(trustme.CA())))
    with pytest.raises(PermanentError, match="is not trusted: unable to get local issuer"):
        Web(Nothing()).call("GET", stranger.url, headers={})


@pytest.mark.usefixtures("strict_python")
def test_a_store_whose_authority_has_no_key_identifier_is_asked(start, bare, tmp_path, monkeypatch):
    authority, context = bare
    (tmp_path / "roots.pem").write_text(authority)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "roots.pem"))
    url = start(Server(context)).serve("/f", body(b"content"))
    assert Web(Nothing()).call("GET", url, headers={}).body == b"content"
