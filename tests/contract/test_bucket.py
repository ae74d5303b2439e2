"""Results in a bucket: written, listed and read back by a server of the S3 API that is not ours."""

import asyncio
import ssl
import threading
from pathlib import Path

import boto3
import pytest
import trustme
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from tests.support.environments import environment
from tests.support.windows_cluster import Clock, WindowsCluster
from werkzeug.serving import make_server

from transom.cli.main import main
from transom.errors import PermanentError, UsageError
from transom.kube.api import Api
from transom.node.vault.sigv4 import Credentials
from transom.remote.bucket import Bucket, BucketAddress
from transom.remote.https import Https, NotThere
from transom.site.buckets import copied, keep_in_bucket, open_bucket
from transom.site.verification import Order, verify
from transom.verify.checks import chosen
from transom.verify.store import open_store

CREDENTIALS = Credentials(key="testing", secret="test-secret", token="")
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "test-secret"}


class Server:
    """moto over TLS, with one bucket."""

    def __init__(self, folder: Path) -> None:
        authority = trustme.CA()
        self.ca_file = str(folder / "ca.pem")
        authority.cert_pem.write_to_path(self.ca_file)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        app = DomainDispatcherApplication(create_backend_app)
        self.server = make_server("127.0.0.1", 0, app, threaded=True, ssl_context=context)
        self.endpoint = f"https://127.0.0.1:{self.server.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            verify=self.ca_file,
            region_name="us-east-1",
            aws_access_key_id="testing",
            aws_secret_access_key="test-secret",
        )
        self.client.create_bucket(Bucket="results")

    def open(self, text="s3://results/windows"):
        here = environment(no_proxy="127.0.0.1", **KEYS)
        return open_bucket(here, text, endpoint=self.endpoint, ca_file=self.ca_file)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = Server(tmp_path_factory.mktemp("bucket"))
    yield made
    made.server.shutdown()


def test_an_object_is_written_listed_and_read_by_both(server):
    bucket = server.open()
    key = "job/a b+c/ü.json"
    assert bucket.put(key, b"{}") == f"s3://results/windows/{key}"
    body = server.client.get_object(Bucket="results", Key=f"windows/{key}")["Body"].read()
    assert body == b"{}"
    assert (key, 2) in list(bucket.objects())
    assert bucket.get(key, largest=10) == b"{}"
    server.client.delete_object(Bucket="results", Key=f"windows/{key}")


def test_a_long_list_comes_in_pages(server):
    for number in range(5):
        server.client.put_object(Bucket="results", Key=f"many/{number}", Body=b"")
    bucket = server.open("s3://results/many")
    bucket = Bucket(bucket.address, CREDENTIALS, Https(ca_file=server.ca_file), page=2)
    assert [key for key, _ in bucket.objects()] == ["0", "1", "2", "3", "4"]


def test_what_is_larger_than_the_bound_or_not_there_is_an_error(server):
    bucket = server.open()
    bucket.put("large", b"x" * 100)
    with pytest.raises(PermanentError, match="too large"):
        bucket.get("large", largest=99)
    with pytest.raises(NotThere):
        bucket.get("nothing", largest=99)
    server.client.delete_object(Bucket="results", Key="windows/large")


def test_a_run_of_checks_is_kept_and_imported_from_there(server, tmp_path, monkeypatch, capsys):
    order = Order(checks=chosen(names=("exec", "logs")), nodes=("win1",))
    found = asyncio.run(verify(Api(WindowsCluster("no-log")), order, clock=Clock()))
    (kept,) = keep_in_bucket(found, server.open(), job="nightly")
    assert kept == f"s3://results/windows/nightly/{found.run}"
    for name, value in {**KEYS, "no_proxy": "127.0.0.1"}.items():
        monkeypatch.setenv(name, value)
    store = tmp_path / "results.db"
    where = ["--endpoint", server.endpoint, "--ca-file", server.ca_file]
    assert main(["verify", "import", "--store", str(store), "s3://results/windows", *where]) == 0
    assert "1 passed, 2 failed" in capsys.readouterr().out  # logs, and the job itself
    with open_store(store) as opened:
        (run,) = opened.runs()
    assert (run.job, run.build, run.variant.kb) == ("nightly", found.run, "revision 2582")


def test_names_that_lead_elsewhere_are_not_written(server):
    server.client.put_object(Bucket="results", Key="odd/../../escape.json", Body=b"{}")
    server.client.put_object(Bucket="results", Key="odd/notes.txt", Body=b"")
    with copied(server.open("s3://results/odd")) as folder:
        assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_who_asks_must_be_known_and_stays_hidden():
    with pytest.raises(UsageError, match="AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"):
        open_bucket(environment(), "s3://results")
    bucket = open_bucket(environment(**KEYS), "s3://results")
    assert "test-secret" not in repr(vars(bucket))


@pytest.mark.parametrize("text", ["results", "https://results/x", "s3://", "s3://a/b?c"])
def test_what_is_no_bucket_is_a_mistake(text):
    with pytest.raises(UsageError, match="is no bucket"):
        BucketAddress.parse(text)


def test_amazons_own_server_is_the_default():
    assert BucketAddress.parse("s3://a/b", region="eu-west-1").endpoint == (
        "https://s3.eu-west-1.amazonaws.com"
    )
