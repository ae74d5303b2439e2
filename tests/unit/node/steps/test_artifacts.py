"""Artifacts: nothing unverified is ever in place, and downloads go on where they ended."""

import hashlib
from dataclasses import replace

import pytest
from tests.support.node import SIGNER

from transom.errors import PermanentError, TemporaryError
from transom.model.request import SourceAccess
from transom.node.engine.step import NodeSpec
from transom.node.host.values import PathKind
from transom.node.steps.artifacts import MANIFEST, Artifacts

STEP = Artifacts()
PART = r"C:\k\kubeadm.exe.part"


def only(recipe, *names, **changes):
    chosen = [replace(item, **changes) for item in recipe.artifacts if item.id in names]
    return NodeSpec(recipe=replace(recipe, artifacts=tuple(chosen)))


def install(host, want):
    STEP.apply(host, STEP.check(host, want))


def test_bytes_with_another_hash_never_get_their_name(make_host, recipe):
    host = make_host()
    want = only(recipe, "kubeadm", sha256="0" * 64)
    with pytest.raises(PermanentError, match="its SHA-256 is"):
        install(host, want)
    assert host.disk.kind(r"C:\k\kubeadm.exe") is PathKind.ABSENT
    assert host.disk.kind(PART) is PathKind.ABSENT


def test_a_broken_download_goes_on_where_it_ended(make_host, recipe):
    host = make_host()
    host.source.breaks = [1]
    want = only(recipe, "kubeadm")
    with pytest.raises(TemporaryError):
        install(host, want)
    install(host, want)
    assert [offset for _, offset in host.source.asked] == [0, 160]
    assert STEP.check(host, want) == []


def test_a_spoilt_part_is_thrown_away_and_fetched_anew(make_host, recipe):
    host = make_host()
    host.files.write(PART, b"rubbish")
    want = only(recipe, "kubeadm")
    install(host, want)
    assert STEP.check(host, want) == []


def test_a_server_without_ranges_is_read_from_the_start(make_host, recipe):
    host = make_host()
    host.source.ranges = False
    host.files.write(PART, b"kubeadm ")
    want = only(recipe, "kubeadm")
    install(host, want)
    assert STEP.check(host, want) == []


def test_a_file_of_a_bundle_is_used_without_the_network(make_host, recipe):
    host = make_host()
    host.files.write(r"C:\bundle.exe", host.source.content["https://dl.example/kubeadm.exe"])
    host.source.content.clear()
    want = only(recipe, "kubeadm", file=r"C:\bundle.exe")
    install(host, want)
    assert STEP.check(host, want) == []


def test_the_service_of_a_replaced_program_is_stopped_first(make_host, recipe):
    host = make_host()
    want = NodeSpec(recipe=recipe)
    for name in ("containerd", "kubelet"):
        host.services.put(name, host.services.get("spooler"))
        host.services.start(name)
    install(host, want)
    assert not host.services.running("containerd")
    assert not host.services.running("kubelet")
    assert host.services.running("spooler")


@pytest.mark.parametrize("spoil", ["member", "manifest", "member-gone"])
def test_a_changed_member_of_an_archive_is_noticed(make_host, recipe, spoil):
    host = make_host()
    want = only(recipe, "containerd")
    install(host, want)
    member = r"C:\Program Files\containerd\ctr.exe"
    if spoil == "member":
        host.files.write(member, b"another")
    elif spoil == "member-gone":
        host.files.remove(member)
    else:
        want = only(recipe, "containerd", sha256="0" * 64)
    assert len(STEP.check(host, want)) == 1


def test_a_replaced_single_file_is_noticed(make_host, recipe):
    host = make_host()
    want = only(recipe, "kubeadm")
    install(host, want)
    host.files.write(r"C:\k\kubeadm.exe", b"another")
    assert STEP.check(host, want)[0].found.startswith("sha256:")


@pytest.mark.parametrize("name", ["containerd", "cni-plugins"])
def test_a_member_the_archive_lacks_is_named(make_host, recipe, name):
    host = make_host()
    artifact = next(item for item in recipe.artifacts if item.id == name)
    members = (replace(artifact.members[0], name="bin/missing.exe"),)
    with pytest.raises(PermanentError, match=r"bin/missing\.exe"):
        install(host, only(recipe, name, members=members))


@pytest.mark.parametrize("content", [b"", b"\0\0", b"[]", b"{}", b'{"sha256": "x", "members": 5}'])
def test_members_nobody_knows_any_more_are_unpacked_again(make_host, recipe, content):
    host, want = make_host(), only(recipe, "containerd")
    install(host, want)
    record = want.recipe.artifacts[0].path + MANIFEST
    host.files.write(record, content)
    assert STEP.check(host, want)[0].found == "of unknown members"
    install(host, want)
    assert not STEP.check(host, want)


def test_the_interpreter_is_left_to_whoever_starts_the_program(make_host, recipe):
    python = replace(recipe.artifacts[0], id="python", sha256=None)
    want = NodeSpec(recipe=replace(recipe, artifacts=(python,)))
    assert STEP.check(make_host(), want) == []


def sign(host, signature=SIGNER, *, url="https://dl.example/kubeadm.exe", content=None):
    content = host.source.content[url] if content is None else content
    host.signatures.signed[hashlib.sha256(content).hexdigest()] = signature


def test_a_signed_program_is_installed_where_its_signature_is_the_asked_one(make_host, recipe):
    host = make_host()
    sign(host)
    want = only(recipe, "kubeadm", authenticode={"subject": "CN=Corp", "issuer": "CN=Corp CA"})
    install(host, want)
    assert STEP.check(host, want) == []


@pytest.mark.parametrize(
    ("signature", "asked", "said"),
    [
        (None, {"subject": "CN=Corp"}, "it is not signed"),
        (SIGNER, {"subject": "CN=Corporation"}, "subject is CN=Corp, O=Corp Ltd"),
        (SIGNER, {"thumbprint": "CD" * 20}, "thumbprint"),
        (replace(SIGNER, problem="expired"), {"subject": "CN=Corp"}, "does not trust"),
    ],
)
def test_a_program_without_the_asked_signature_never_gets_its_name(
    make_host, recipe, signature, asked, said
):
    host = make_host()
    if signature is not None:
        sign(host, signature)
    with pytest.raises(PermanentError, match=said):
        install(host, only(recipe, "kubeadm", authenticode=asked))
    assert host.disk.kind(r"C:\k\kubeadm.exe") is PathKind.ABSENT
    assert host.disk.kind(PART) is PathKind.ABSENT


def test_members_of_an_archive_are_checked_before_they_get_their_names(make_host, recipe):
    host = make_host()
    before = host.disk.read(r"C:\Program Files\containerd\ctr.exe")
    want = only(recipe, "containerd", authenticode={"subject": "CN=Corp"})
    with pytest.raises(PermanentError, match=r"containerd\.exe of containerd: it is not signed"):
        install(host, want)
    assert host.disk.kind(r"C:\Program Files\containerd\containerd.exe") is PathKind.ABSENT
    assert host.disk.read(r"C:\Program Files\containerd\ctr.exe") == before
    sign(host, content=b"containerd " * 20)
    sign(host, content=b"shim")
    sign(host, content=b"ctr")
    install(host, want)
    assert STEP.check(host, want) == []


def test_a_signature_asked_for_later_is_looked_for_on_what_is_there(make_host, recipe):
    host = make_host()
    install(host, only(recipe, "kubeadm"))
    (drift,) = STEP.check(host, only(recipe, "kubeadm", authenticode={"subject": "CN=Corp"}))
    assert drift.found == "it is not signed"


def test_headers_and_authorities_reach_the_download(make_host, recipe):
    host = make_host()
    access = SourceAccess(authorities="pem")
    install(host, replace(only(recipe, "kubeadm"), access=access))
    assert host.source.accesses == [access]


def test_an_archive_of_which_another_member_is_wanted_is_unpacked_again(make_host, recipe):
    """The same bytes with one member more, and with one fewer: what is there is not what is wanted."""
    host = make_host()
    want = only(recipe, "containerd")
    (archive,) = want.recipe.artifacts
    install(host, only(recipe, "containerd", members=archive.members[:1]))
    assert STEP.check(host, only(recipe, "containerd", members=archive.members[:1])) == []
    assert [drift.subject for drift in STEP.check(host, want)] == [archive.id]
    install(host, want)
    assert STEP.check(host, want) == []
    assert STEP.check(host, only(recipe, "containerd", members=archive.members[:1])) != []


def test_a_member_that_somebody_changed_is_told_by_its_path(make_host, recipe):
    host = make_host()
    want = only(recipe, "containerd")
    install(host, want)
    path = want.recipe.artifacts[0].members[0].path
    host.files.write(path, b"something else")
    (drift,) = STEP.check(host, want)
    assert drift.found == f"changed: {path}"
