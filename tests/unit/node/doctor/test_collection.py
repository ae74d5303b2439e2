"""An archive gives the same findings as the host it comes from, and holds no secret."""

import base64
import io
import json
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.node import KUBELET, KUBERNETES
from tests.support.node_doctor import KUBECONFIG, LOG, STARTED, found, sight, well_host
from tests.support.node_doctor_causes import ON_HOST, UNKNOWN_FLAG, ended

from transom.errors import UsageError
from transom.model.sight import Given
from transom.node.doctor.collection import collect, read_collection
from transom.node.doctor.observe import observe
from transom.node.doctor.redaction import Redactor
from transom.node.host.values import ServiceDefinition
from transom.node.layout import Layout
from transom.testing.faults import Fault

ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
SECRETS = st.text(ALPHABET + "-_.~+", min_size=12, max_size=40).filter(
    # A word that stands in every file anyway would prove nothing.
    lambda text: any(letter.isdigit() for letter in text) and text[0].isalpha()
)


def archive_of(host, cluster=None):
    seen = observe(host, Layout(), Given(cluster=cluster))
    return collect(host, Layout(), seen), seen


def contents(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@pytest.mark.parametrize(
    ("id_", "name", "fault"), ON_HOST, ids=[f"{i}: {n}" for i, n, _ in ON_HOST]
)
def test_an_archive_gives_the_findings_of_its_host(host, id_, name, fault):
    fault(host)
    archive, seen = archive_of(host, sight(host))
    again = read_collection(io.BytesIO(archive), name="a.zip")
    assert found(again) == found(seen), (id_, name)


def test_an_archive_names_what_it_has_and_what_it_lacks(host):
    host.vitals.event_logs["System"] = "Event[0]: the kubelet service terminated unexpectedly"
    archive, _ = archive_of(host)
    files = contents(archive)
    manifest = json.loads(files["manifest.json"])
    assert (manifest["apiVersion"], manifest["kind"]) == ("node.transom.dev/v1alpha1", "Collection")
    assert {entry["name"] for entry in manifest["entries"]} == set(files) - {"manifest.json"}
    assert "files/C/var/log/kubelet/kubelet.log" in files
    assert "files/C/k/transom/state/journal" in files
    assert b"terminated unexpectedly" in files["events/System.txt"]
    assert manifest["missing"] == {"event log Application": "there is no event log Application"}


def test_no_look_that_fails_ends_a_diagnosis_or_a_collection(request_for):
    """Each single call on the host fails once; what could not be seen is named."""
    host = well_host(request_for)
    host.calls.clear()
    seen = observe(host, Layout(), Given())
    looks = host.calls.count
    for number in range(1, looks + 1):
        host.calls.inject(Fault.ERROR, at=number)
        found = observe(host, Layout(), Given())
        assert found.unread or found.hns.problem or found.journal.problem, number
    host.calls.clear()
    collect(host, Layout(), seen)
    more = host.calls.count
    assert min(looks, more) > 20
    for number in range(1, more + 1):
        host.calls.inject(Fault.ERROR, at=number)
        assert collect(host, Layout(), seen), number


def test_who_looks_without_an_administrators_rights_is_told_so(host):
    """Much is closed to others, and would be taken for missing."""
    host.system.admin = False
    assert "administrator" in observe(host, Layout(), Given()).unread["rights"]


def test_one_host_at_one_time_gives_the_same_bytes(host):
    assert archive_of(host)[0] == archive_of(host)[0]


def test_a_long_log_keeps_its_end(host):
    host.files.write(LOG, b"x" * 100 + b"\n" + b"noise\n" * 400_000 + UNKNOWN_FLAG.encode())
    host.services.stop("kubelet")
    archive, seen = archive_of(host)
    assert found(seen)[0].rule == "flag-refused"
    assert len(contents(archive)["files/C/var/log/kubelet/kubelet.log"]) <= 1 << 20


@pytest.mark.parametrize(
    "content",
    [b"", b"no zip", None],
    ids=["empty", "no zip", "another zip"],
)
def test_what_is_no_archive_is_a_usage_error(content):
    if content is None:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("manifest.json", '{"kind": "Other"}')
        content = buffer.getvalue()
    with pytest.raises(UsageError, match="is no archive"):
        read_collection(io.BytesIO(content), name="x.zip")


@pytest.mark.parametrize("damage", ["in its data", "endless nesting"])
def test_a_damaged_archive_is_a_usage_error(host, damage):
    archive, _ = archive_of(host)
    if damage == "in its data":
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            begins = opened.getinfo("observation.json").header_offset + 46
        archive = archive[:begins] + bytes(200) + archive[begins + 200 :]
    else:
        files = {**contents(archive), "observation.json": b"[" * 200_000}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as made:
            for name, content in files.items():
                made.writestr(name, content)
        archive = buffer.getvalue()
    with pytest.raises(UsageError, match="is no archive"):
        read_collection(io.BytesIO(archive), name="x.zip")


def plant(host, token, password, key):
    """Secrets where real programs and people leave them."""
    private = f"-----BEGIN EC PRIVATE KEY-----\n{key}\n-----END EC PRIVATE KEY-----\n"
    encoded = base64.b64encode(private.encode()).decode()
    user = f"    token: {token}\n    client-key-data: {encoded}\n    password: '{password}'\n"
    host.files.write(KUBERNETES + r"\kubelet.conf", (KUBECONFIG + user).encode())
    config = f"kind: KubeletConfiguration\nregistryCredential: |\n  {token}\n  {password}\nx: 1\n"
    host.files.write(KUBELET + r"\config.yaml", config.encode())
    lines = (
        f"{STARTED}Authorization: Bearer {token}\n"
        f"kubelet.exe --token {token} --proxy-password={password}\n"
        f"GET https://me:{password}@proxy.example/x failed\nit said {token} again\n{private}\n"
    )
    host.files.write(LOG, lines.encode())
    host.environment.put("HTTPS_PROXY", f"http://me:{password}@proxy:3128")
    host.environment.put("NO_PROXY", "*")
    host.vitals.event_logs["System"] = f'{{"token": "{token}"}} {private}'
    host.services.put(
        "kube-proxy",
        ServiceDefinition(
            command=f"kube-proxy.exe --token={token}",
            display_name="kube-proxy",
            start="demand",
            environment=(f"HTTPS_PROXY=http://me:{password}@proxy:3128", "NO_PROXY=*"),
        ),
    )
    toml = f"[auth]\npassword = '{password}'\nauth = \"{token}\"\n"
    host.files.write(r"C:\Program Files\containerd\config.toml", toml.encode())
    return encoded


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(token=SECRETS, password=SECRETS, key=SECRETS)
def test_planted_secrets_are_in_no_file_of_an_archive_and_in_no_finding(
    request_for, token, password, key
):
    host = well_host(request_for)
    encoded = plant(host, token, password, key)
    archive, seen = archive_of(host)
    files = contents(archive)
    assert len(files) > 10
    said = json.dumps([finding.message + str(finding.evidence) for finding in found(seen)])
    for secret in (token, password, key, encoded):
        assert secret not in said
        for name, content in files.items():
            assert secret.encode() not in content, name


@given(
    token=st.from_regex(r"\A[a-z0-9]{6}\.[a-z0-9]{16}\Z"),
    before=st.text(max_size=20),
    after=st.text(max_size=20),
)
def test_a_bootstrap_token_is_known_by_its_form_wherever_it_stands(token, before, after):
    text = Redactor().clean(f"{before} {token} {after}")
    assert token not in text


@given(text=st.text(ALPHABET + " \n:=,./\\\"'{}[]-", max_size=300))
def test_cleaning_twice_is_cleaning_once(text):
    once = Redactor().clean(text)
    assert Redactor().clean(once) == once


def key_in(*, line):
    """A private key in PEM, and one of its lines."""
    return (
        f"-----BEGIN RSA PRIVATE KEY-----\n{'MIIE' * 16}\n{line}\n-----END RSA PRIVATE KEY-----\n"
    )


ENCODED_LINES = base64.encodebytes(key_in(line=40 * "kl").encode()).decode().splitlines()


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('kubelet.exe --password "hunter2x and more" --v=2', "hunter2x"),
        ("Set-Thing -Password 'hunter2x'", "hunter2x"),
        ('["kubeadm","join","--discovery-token","hunter2x"]', "hunter2x"),
        (r'msg="{\"password\":\"hunter2x\",\"a\":1}"', "hunter2x"),
        (r'msg="[\"--token\",\"hunter2x\"]"', "hunter2x"),
        ("password: correct horse hunter2x\n", "hunter2x"),
        ("DB_PASSWORD=ab;cd&hunter2x\n", "hunter2x"),
        ("A=1\0API_KEY=hunter2x\0B=2", "hunter2x"),
        ("AccountKey=hunter2x1;SharedAccessSignature=hunter2x", "hunter2x"),
        ("GET https://store/x?X-Amz-Signature=hunter2x&a=1", "hunter2x"),
        ("GET https://store/x?sig=a%2Bhunter2x&se=1", "hunter2x"),
        ("GET https://x/#access_token=hunter2x&a=1", "hunter2x"),
        ("password = /hunter2x+abc==", "hunter2x"),
        ("kubeadm join --certificate-key hunter2x", "hunter2x"),
        ("certificateKey: hunter2x\n", "hunter2x"),
        ("<password>hunter2x</password>", "hunter2x"),
        ("Authorization: Negotiate hunter2x==", "hunter2x"),
        ('password = """hunter2x"""', "hunter2x"),
        (".dockerconfigjson: eyJhdXRocyI6hunter2x", "hunter2x"),
        ("password:\\hunter2x", "hunter2x"),
        (key_in(line="hunter2x")[40:], "hunter2x"),
        (json.dumps({"a": key_in(line="hunter2x")}), "hunter2x"),
        ("\n".join(["data", *ENCODED_LINES]), ENCODED_LINES[1]),
        (
            "\n      ".join(["  client-key-data: " + ENCODED_LINES[0], *ENCODED_LINES[1:]]),
            ENCODED_LINES[1],
        ),
    ],
)
def test_a_secret_is_removed_in_whatever_form_programs_write_it(text, secret):
    assert secret in text
    assert secret not in Redactor().clean(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("password: |\n  hunter2x\n  and1more\nuser: me\n", "password: [removed]\nuser: me\n"),
        ("password: >-\n  hunter2x\nuser: me\n", "password: [removed]\nuser: me\n"),
        ("- password: |2\n    hunter2x\n  user: me\n", "- password: [removed]\n  user: me\n"),
        ("a:\n  token: |\n    hunter2x\n  b: 1\n", "a:\n  token: [removed]\n  b: 1\n"),
        ("password: |\n  a1b2c3d\n\n  hunter2x\nx: 1\n", "password: [removed]\n\nx: 1\n"),
        ("password:\n  hunter2x\nuser: me\n", "password: [removed]\nuser: me\n"),
        ("password:\n  a1b2c3d\n  hunter2x\nuser: me\n", "password: [removed]\nuser: me\n"),
        ("password: a1b2c3d\n  hunter2x\nuser: me\n", "password: [removed]\nuser: me\n"),
        ("tokens:\n- a1b2c3d\n- hunter2x\nuser: me\n", "tokens: [removed]\nuser: me\n"),
    ],
)
def test_a_secret_that_stands_only_below_its_key_is_removed_and_learnt(text, left):
    assert Redactor().clean(text) == left
    redactor = Redactor()
    redactor.learn(text)
    assert redactor.clean("it said hunter2x again") == "it said [removed] again"


@pytest.mark.parametrize("value", ["|", "a1b2c3d"], ids=["a block", "a value that goes on"])
def test_what_stands_below_a_secret_key_is_removed_even_where_it_looks_like_keys(value):
    """As a kubeconfig in a Secret does."""
    text = f"secret: {value}\n  user: hunter2x\nuser: me\n"
    assert Redactor().clean(text) == "secret: [removed]\nuser: me\n"


def test_a_secret_of_a_block_is_in_no_file_of_an_archive(host):
    """Nothing else in the configuration names it; a log repeats it."""
    config = "kind: KubeletConfiguration\nregistryCredential: |\n  hunter2x\nx: 1\n"
    host.files.write(KUBELET + r"\config.yaml", config.encode())
    host.files.write(LOG, f"{STARTED}it said hunter2x again\n".encode())
    archive, _ = archive_of(host)
    assert [name for name, content in contents(archive).items() if b"hunter2x" in content] == []


def test_prose_of_a_log_teaches_no_secret(host):
    """The word behind `token:` there is any word, and evidence elsewhere needs it."""
    prose = 'E1116 04:08:50 812 auth.go:9] "failed to fetch oauth token: unknown authority"\n'
    ended(host, prose + UNKNOWN_FLAG)
    archive, seen = archive_of(host)
    for look in (seen, read_collection(io.BytesIO(archive), name="a")):
        (finding,) = found(look)
        assert finding.rule == "flag-refused"
        assert "unknown flag: --network-plugin" in finding.evidence[0]


def test_a_diagnosis_sees_the_host_as_it_is_and_tells_no_secret(host):
    """The kubelet's own words have a secret in them, and only what is said has not."""
    host.environment.put("HTTPS_PROXY", "http://me:hunter2x@proxy:3128")
    host.environment.put("NO_PROXY", "http://me:hunter2x@nowhere")
    archive, seen = archive_of(host)
    assert "hunter2x" in seen.environment["HTTPS_PROXY"]
    (finding,) = found(seen)
    assert finding.evidence == ("NO_PROXY=http://[removed]@nowhere",)
    assert [name for name, content in contents(archive).items() if b"hunter2x" in content] == []


def test_a_word_behind_a_flag_that_takes_a_secret_is_one():
    argv = ["kubeadm", "join", "--token", "hunter2x", "--token-file", r"C:\k\x", "--v", "5"]
    assert Redactor().clean_tree(argv) == [*argv[:3], "[removed]", *argv[4:]]


def test_what_stands_beside_a_secret_stays():
    text = "users:\n- password: hunter2x\n  user: me\nx: 1\n"
    assert Redactor().clean(text) == "users:\n- password: [removed]\n  user: me\nx: 1\n"


def test_what_is_no_secret_stays():
    text = (
        "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==\n"
        "tokenFile: C:\\secrets\\x\ntokenPath: /var/run/x\nrotateCertificates: true\n"
        "image: registry.example/a@sha256:0123\nserver: https://10.0.0.1:6443\n" + UNKNOWN_FLAG
    )
    assert Redactor().clean(text) == text


def test_the_evidence_of_a_finding_survives_redaction(host):
    ended(host, UNKNOWN_FLAG)
    archive, _ = archive_of(host)
    (finding,) = found(read_collection(io.BytesIO(archive), name="a"))
    assert "--network-plugin" in finding.evidence[0]
