"""A key of a kubeconfig is in no file that stays, and in none that another user can read."""

import ssl
import stat
from pathlib import Path

import pytest
import trustme

from transom.kube.kubeconfig import Cluster, User
from transom.kube.tls import context_of


@pytest.fixture
def issued():
    return trustme.CA().issue_cert("me@corp")


@pytest.fixture
def made(tmp_path, monkeypatch):
    """The modes of what is made while a certificate is loaded; afterwards nothing is left."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    modes: list[int] = []
    load = ssl.SSLContext.load_cert_chain

    def loaded(self, certfile, keyfile=None, password=None):
        modes.extend(stat.S_IMODE(path.stat().st_mode) for path in sorted(folder.rglob("*")))
        load(self, certfile, keyfile, password)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", loaded)
    yield modes
    assert list(folder.iterdir()) == []


def test_a_key_in_the_kubeconfig_lies_in_a_closed_file_only_while_it_is_read(issued, made):
    chain = b"".join(blob.bytes() for blob in issued.cert_chain_pems)
    user = User(certificate=chain, key=issued.private_key_pem.bytes())
    context_of(Cluster(), user)
    assert made == [0o700, 0o600, 0o600]


def test_a_key_in_a_file_of_the_user_is_read_there(issued, made, tmp_path):
    chain = b"".join(blob.bytes() for blob in issued.cert_chain_pems)
    (tmp_path / "key").write_bytes(issued.private_key_pem.bytes())
    context_of(Cluster(), User(certificate=chain, key=str(tmp_path / "key")))
    assert made == [0o700, 0o600]


def test_a_key_that_is_not_the_certificates_is_an_error_and_leaves_nothing(issued, made):
    other = trustme.CA().issue_cert("other@corp")
    user = User(certificate=issued.cert_chain_pems[0].bytes(), key=other.private_key_pem.bytes())
    with pytest.raises(ssl.SSLError):
        context_of(Cluster(), user)
    assert made == [0o700, 0o600, 0o600]


def test_chain_and_name_are_checked_without_the_strict_flag(tmp_path):
    authority = trustme.CA().cert_pem.bytes()
    (tmp_path / "ca").write_bytes(authority)
    for cluster in (
        Cluster(),
        Cluster(authority=authority),
        Cluster(authority=str(tmp_path / "ca")),
    ):
        context = context_of(cluster, User())
        assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
        assert not context.verify_flags & ssl.VERIFY_X509_STRICT
    assert context_of(Cluster(is_insecure=True), User()).verify_mode == ssl.CERT_NONE
    assert Path(tmp_path / "ca").is_file()
