"""What is sent to a host as a password looks like one; a private key never is."""

import asyncio
import base64
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from tests.simulation import WITHOUT_KUBECONFIG, fleet_text
from tests.support.environments import Nobody, environment

from transom.errors import UsageError
from transom.model.fleet import FromEnvironment, FromFile, FromPrompt
from transom.remote import winrm
from transom.remote.target import Target
from transom.site import hosts
from transom.site.credentials import Secrets
from transom.site.fleet_doors import _token
from transom.spec.fleet import read_fleets

ED25519 = ed25519.Ed25519PrivateKey.generate()
RSA = rsa.generate_private_key(65537, 2048)
PLAIN, LOCKED = serialization.NoEncryption(), serialization.BestAvailableEncryption(b"pass")


def pem(key, form, lock=PLAIN):
    return key.private_bytes(serialization.Encoding.PEM, form, lock).decode()


PKCS8 = pem(ED25519, serialization.PrivateFormat.PKCS8)
OPENSSH = pem(ED25519, serialization.PrivateFormat.OpenSSH)
BAG = "Bag Attributes\n    localKeyID: 01 02\nKey Attributes: <No Attributes>\n"
PUTTY = (
    "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 2\n"
    "AAAAC3NzaC1lZDI1NTE5AAAAI\nPrivate-Lines: 1\nAAAAIBBBB\nPrivate-MAC: 0123\n"
)
NEVER = {
    "a PuTTY key": PUTTY,
    "a PuTTY key with Windows' line ends": PUTTY.replace("\n", "\r\n"),
    "a PuTTY key with a Mac's line ends": PUTTY.replace("\n", "\r"),
    "a PEM key behind Bag Attributes": BAG + PKCS8,
    "a PEM key behind a byte order mark": "\ufeff" + PKCS8,
    "a PEM key behind an empty line": "\n" + PKCS8,
    "a PEM key behind a space": " " + PKCS8,
    "an OpenSSH key behind a comment": "# mine\n" + OPENSSH,
    "an SSH.COM key": "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56wAAA\n"
    "---- END SSH2 ENCRYPTED PRIVATE KEY ----\n",
    "a PEM key in one line": PKCS8.replace("\n", " "),
    "a key encoded once more": base64.b64encode(PKCS8.encode()).decode(),
    "the body of an OpenSSH key in one line": "".join(OPENSSH.splitlines()[1:-1]),
    "the body of an RSA key in one line": base64.b64encode(
        RSA.private_bytes(
            serialization.Encoding.DER,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    ).decode(),
    "a JSON Web Key": '{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0"}',
    "an age key": "AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "a public key": ED25519.public_key()
    .public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    .decode(),
    "two lines": "hunter2\nhunter3",
    "a byte order mark": "\ufeffhunter2",
    "what was no text": b"\x30\x82\x04\xbe".decode("utf-8", "replace"),
    "a zero byte": "hunter2\0",
    "nothing": "",
    "more than Windows takes": "x" * 257,
}


def secrets(**variables: str) -> Secrets:
    """Secrets without a cluster, from an environment with these variables."""
    return Secrets(None, environment(**variables), lambda of: f"typed for {of}")


def run(ask: Any) -> Any:
    """What is awaited of a way that is taken."""

    async def awaited():
        return await ask()

    return asyncio.run(awaited())


@pytest.fixture(params=NEVER.values(), ids=list(NEVER))
def no_password(request, tmp_path):
    path = tmp_path / "credential"
    path.write_text(request.param, "utf-8", newline="")
    return path


def host_with(way, path):
    written = f"pool: web, connection: {{{way}: {{user: me, credential: {{file: {path}}}}}}}}}"
    (fleet,) = read_fleets(fleet_text(1).replace("pool: web}", written).encode(), name="fleet.yaml")
    return fleet.hosts[0]


def connect_to(host):
    return hosts.connect_to(host, secrets(), environment(), Nobody())


def target_with(path):
    target = Target(host="10.0.0.2", user="me")
    return asyncio.run(hosts.with_secret(target, host_with("ssh", path), secrets()))


def test_what_is_no_password_is_never_sent_as_one_by_ssh(no_password):
    with pytest.raises(UsageError) as caught:
        target_with(no_password)
    shown = f"{caught.value} {caught.value.hint} {caught.value.subject}"
    text = no_password.read_text("utf-8")
    assert not text or text.strip() not in shown
    assert caught.value.hint


def test_what_is_no_password_is_never_sent_as_one_by_winrm(no_password, monkeypatch):
    async def connect(target):
        pytest.fail(f"{target.host} was sent it")

    monkeypatch.setattr(winrm, "connect", connect)
    with pytest.raises(UsageError):
        run(connect_to(host_with("winrm", no_password)))


@pytest.mark.parametrize(
    "text",
    [PKCS8, OPENSSH, pem(RSA, serialization.PrivateFormat.TraditionalOpenSSL)],
    ids=["PKCS8", "OpenSSH", "traditional"],
)
def test_a_key_is_sent_as_a_password_by_neither_way_and_used_by_ssh_alone(
    text, tmp_path, monkeypatch
):
    async def connect(target):
        pytest.fail(f"{target.host} was sent it")

    monkeypatch.setattr(winrm, "connect", connect)
    path = tmp_path / "key"
    path.write_text(text)
    target = target_with(path)
    assert (target.password, target.key_files) == (None, (str(path),))
    with pytest.raises(UsageError, match="private key"):
        run(connect_to(host_with("winrm", path)))


def test_a_key_with_a_passphrase_is_no_password(tmp_path):
    path = tmp_path / "key"
    path.write_text(pem(RSA, serialization.PrivateFormat.PKCS8, LOCKED))
    assert target_with(path).password is None


@pytest.mark.parametrize(
    "password",
    ["hunter2", "correct horse battery", "MIIshort", "ssh is fun", "päßwörd", "---", "x" * 256],
)
def test_a_password_is_sent_as_it_is(password, tmp_path):
    path = tmp_path / "password"
    path.write_text(password + "\r\n", "utf-8", newline="")
    assert target_with(path).password == password


def test_a_bootstrap_token_that_is_none_reaches_no_host(tmp_path):
    path = tmp_path / "token"
    text = fleet_text(1).replace("{kubeconfig: nowhere}", WITHOUT_KUBECONFIG)
    (fleet,) = read_fleets(
        text.replace("{env: TOKEN}", f"{{file: {path}}}").encode(), name="fleet.yaml"
    )
    path.write_text(PKCS8)
    with pytest.raises(UsageError, match="no bootstrap token"):
        run(_token(fleet, secrets()))
    path.write_text("abcdef.0123456789abcdef\n")
    assert run(_token(fleet, secrets())) == "abcdef.0123456789abcdef"


def value(credential, found):
    return asyncio.run(found.value(credential, of="me on the hosts"))


def test_a_variable_is_the_environments_and_one_that_is_not_set_is_named():
    assert value(FromEnvironment("WORD"), secrets(WORD="hunter2")) == "hunter2"
    with pytest.raises(UsageError, match=r"\$WORD is not set, and me on the hosts needs it"):
        value(FromEnvironment("WORD"), secrets())


def test_a_file_below_the_users_home_is_read_there(tmp_path):
    (tmp_path / "word").write_text("hunter2\r\n")
    found = Secrets(None, environment(tmp_path), lambda _: "")
    assert value(FromFile("~/word"), found) == "hunter2"


def test_somebody_is_asked_only_where_somebody_is_there():
    with pytest.raises(UsageError, match="nobody can be asked"):
        value(FromPrompt(), secrets())
    asked: list[str] = []

    def ask(of: str) -> str:
        asked.append(of)
        return "hunter2"

    found = Secrets(None, environment(can_ask=True), ask)
    assert [value(FromPrompt(), found), value(FromPrompt(), found)] == ["hunter2", "hunter2"]
    assert asked == ["me on the hosts"]
