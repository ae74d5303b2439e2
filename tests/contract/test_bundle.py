"""`transom bundle` from end to end: real HTTPS servers and a registry on this machine."""

import contextlib
import hashlib
import io
import json
import tarfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
from tests.contract.registry import Registry
from tests.contract.web import Handler, Server, body, cut, running, status, tls

from transom.cli.main import main
from transom.errors import PermanentError, UsageError
from transom.image.bundle.archive import Bundle
from transom.image.bundle.holdings import BundleHoldings
from transom.image.bundle.mirror import BundleSite
from transom.remote.download import Downloader
from transom.remote.https import Https
from transom.remote.serve import Site, make_certificate, site_context

FLEET = """
apiVersion: transom.dev/v1alpha1
kind: Fleet
metadata: {{name: shop}}
spec:
  cluster: {{kubeconfig: ~/.kube/config}}
  kubernetes: {{version: 1.37.1}}
  network:
    podCIDRs: [10.244.0.0/16]
    serviceCIDRs: [10.96.0.0/12]
    clusterDNS: [10.96.0.10]
    flannel: {{mode: overlay}}
  source:
    mirrors:
      https://dl.k8s.io: {web}/dl.k8s.io
      https://github.com: {web}/github.com
      https://www.python.org: {web}/www.python.org
      https://registry.k8s.io: {registry}
      https://mcr.microsoft.com: {registry}
    overrides:
      crictl: {{file: ./crictl.tar.gz}}
  hosts:
  - {{name: win-01, address: 10.0.0.21, windows: {{release: 2022}}}}
"""
PAUSE = "registry.k8s.io/pause:3.10.2"
BASE = "oss/kubernetes/windows-host-process-containers-base-image"


def content_of(path):
    """A file of its own for every path."""
    return hashlib.sha256(path.encode()).digest() * 500


class Files(dict[str, list[Handler]]):
    """Every file of a mirror, and no published sums."""

    def get(self, path, _default=None):
        """What is scripted for a path, or the path's own file."""
        if path in self:
            return super().get(path)
        return [status(404)] if path.endswith(("sha256", "sha256sum")) else [body(content_of(path))]


class Place:
    """A folder with a fleet, and the command line in it."""

    def __init__(self, folder, ca_file, *, web, registry):
        self.folder, self.web, self.registry = folder, web, registry
        self.fleet = folder / "fleet.yaml"
        self.bundle = folder / "shop.bundle"
        self._trust = ["--ca-file", ca_file]
        self.fleet.write_text(FLEET.format(web=web.url, registry=registry.url))
        (folder / "crictl.tar.gz").write_bytes(b"our own crictl")

    def transom(self, *words, trust=True):
        """Run a command; give its exit code and both streams."""
        out, errors = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = main([*words, *(self._trust if trust else [])])
        out.seek(0)
        return code, out.read(), errors.getvalue()

    def lock(self):
        done = self.transom("lock", "-f", str(self.fleet), "--images")
        assert done[0] == 0, done

    def create(self, output=None):
        return self.transom(
            "bundle", "create", "-f", str(self.fleet), "-o", str(output or self.bundle)
        )

    def verify(self, *more):
        return self.transom("bundle", "verify", str(self.bundle), *more, trust=False)


@contextlib.contextmanager
def new_place(folder, authority):
    """A place with servers of its own."""
    web, registry = Server(tls(authority)), Registry(tls(authority))
    web.scripts = Files()
    registry.add_image("pause", "3.10.2", builds=[17763, 20348, 26100])
    registry.add_image(BASE, "v1.0.0", builds=[17763])
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    with running(web), running(registry):
        yield Place(folder, str(folder / "ca.pem"), web=web, registry=registry)


@pytest.fixture(scope="module", autouse=True)
def no_proxy():
    with pytest.MonkeyPatch.context() as patch:
        for name in ("https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def place(tmp_path, authority):
    with new_place(tmp_path, authority) as made:
        yield made


@pytest.fixture(scope="module")
def ready(tmp_path_factory, authority):
    """A bundle that was made once, for tests that only look at it."""
    with new_place(tmp_path_factory.mktemp("made"), authority) as made:
        made.lock()
        code, said, errors = made.create()
        assert code == 0, errors
        assert "2 images" in said
        yield made, made.bundle.read_bytes()


@pytest.fixture
def made(ready):
    """That bundle, whole whatever a test before did to it."""
    place, content = ready
    place.bundle.write_bytes(content)
    return place


def test_a_bundle_holds_everything_and_is_the_same_bytes_twice(made):
    first = made.bundle.read_bytes()
    assert made.create()[0] == 0
    assert made.bundle.read_bytes() == first
    with tarfile.open(made.bundle) as archive:
        names = archive.getnames()
    assert names[0] == "manifest.json"
    assert {
        "transom.lock",
        "recipes.json",
        "program/node.pyz",
        "addons/shop.yaml",
        "sbom.spdx.json",
        "sbom.cdx.json",
        "images/oci-layout",
        "images/index.json",
        "artifacts/dl.k8s.io/v1.37.1/bin/windows/amd64/kubelet.exe",
    } <= set(names)
    assert not list(made.folder.glob("*.part*"))


def test_nothing_is_created_from_what_is_not_locked(place):
    code, _, errors = place.create()
    assert code == 2
    assert "not in the lock" in errors
    assert not place.bundle.exists()


def test_an_add_on_that_is_asked_for_beside_comes_with_its_image_by_digest(place):
    place.registry.add_image("kubernetes-sigs/sig-windows/csi-proxy", "v1.1.3", builds=[20348])
    text = place.fleet.read_text()
    place.fleet.write_text(
        text.replace("https://mcr", f"https://ghcr.io: {place.registry.url}\n      https://mcr")
    )
    wanted = ("--with", "csi-proxy")
    code, said, errors = place.transom("lock", "-f", str(place.fleet), "--images", *wanted)
    assert code == 0, said + errors
    words = ("bundle", "create", "-f", str(place.fleet), "-o", str(place.bundle), *wanted)
    code, said, errors = place.transom(*words)
    assert (code, "3 images" in said) == (0, True), said + errors
    rendered = Bundle(place.bundle).read("addons/shop.yaml").decode()
    images = {line.partition("image: ")[2] for line in rendered.splitlines() if "image: " in line}
    assert any("csi-proxy" in image for image in images)
    assert all("@sha256:" in image for image in images)


def test_images_that_are_not_locked_are_asked_for_as_images(place):
    assert place.transom("lock", "-f", str(place.fleet))[0] == 0
    code, _, errors = place.create()
    assert code == 2
    assert "transom lock --images" in errors


def test_a_folder_that_is_not_there_is_not_made(place):
    place.lock()
    code, _, errors = place.create(place.folder / "none" / "shop.bundle")
    assert code == 2
    assert "name a folder that is there" in errors
    assert not (place.folder / "none").exists()


@pytest.mark.parametrize("listen", ["8443", "127.0.0.1:65536", "127.0.0.1:x", "1.2.3.4:8443"])
def test_where_nobody_can_listen_is_the_users_mistake(made, listen):
    words = ("bundle", "serve", str(made.bundle), "--listen", listen)
    code, _, errors = made.transom(*words, trust=False)
    assert code == 2
    assert f"cannot listen on {listen}" in errors


def test_a_whole_bundle_is_verified_and_names_what_it_holds(made):
    code, said, _ = made.verify()
    assert code == 0
    assert "kubelet 1.37.1" in said
    assert PAUSE in said
    assert "whole" in said
    document = json.loads(made.verify("-o", "json")[1])
    assert document["kind"] == "Bundle"


def test_a_flipped_byte_anywhere_is_refused_by_name(made):
    whole = made.bundle.read_bytes()
    names = {member.name for member in Bundle(made.bundle).manifest.members}

    known = {*names, "manifest.json", "manifest.sha256", "the end of the archive", "shop.bundle"}

    @settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
    @given(st.integers(0, len(whole) - 1), st.integers(1, 255))
    def flip(at, mask):
        damaged = bytearray(whole)
        damaged[at] ^= mask
        made.bundle.write_bytes(damaged)
        with pytest.raises((PermanentError, UsageError)) as caught:
            Bundle(made.bundle).refuse_damage()
        assert any(name in str(caught.value) for name in known)

    flip()


def test_a_flipped_byte_of_an_artifact_is_refused_before_a_join_uses_anything(made):
    whole = made.bundle.read_bytes()
    wanted = content_of("/dl.k8s.io/v1.37.1/bin/windows/amd64/kubelet.exe")
    at = whole.index(wanted) + 7
    made.bundle.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    with pytest.raises(PermanentError, match=r"damaged in .*kubelet\.exe"):
        BundleHoldings(made.bundle)


@pytest.mark.parametrize("keep", [0, 100, 5000, -1])
def test_a_bundle_that_was_cut_off_is_refused(made, keep):
    whole = made.bundle.read_bytes()
    made.bundle.write_bytes(whole[:keep])
    code, _, errors = made.verify()
    assert code in (2, 5)
    assert "shop.bundle" in errors


def test_a_download_that_was_cut_off_goes_on_where_it_ended(place):
    place.lock()
    path = "/dl.k8s.io/v1.37.1/bin/windows/amd64/kubelet.exe"
    place.web.scripts[path] = [cut(content_of(path), 5000), status(403)]
    code, _, errors = place.create()
    assert code == 5, errors
    assert not place.bundle.exists()
    assert [part.stat().st_size for part in place.folder.glob("*.parts/*.part")] == [5000]
    place.web.scripts[path] = [body(content_of(path))]
    place.web.seen.clear()
    assert place.create()[0] == 0
    asked = dict(place.web.seen)
    assert asked[path]["range"] == "bytes=5000-"
    # What had arrived the first time is not asked for again.
    assert len(place.web.seen) < len(Bundle(place.bundle).manifest.artifacts)


def test_a_layer_that_was_cut_off_goes_on_where_it_ended(place):
    place.lock()
    layer = max(place.registry.blobs, key=lambda key: len(place.registry.blobs[key]))[1]
    place.registry.breaks[layer] = 4000
    assert place.create()[0] == 0
    ranges = [head.get("range") for path, head in place.registry.seen if layer in path]
    assert "bytes=4000-" in ranges


def test_a_mirror_that_dies_is_named_and_leaves_nothing_half(place, monkeypatch):
    place.lock()
    monkeypatch.setattr("transom.node.host.clock.RealClock.sleep", lambda *_: None)
    path = "/github.com/flannel-io/flannel/releases/download/v0.28.9/flanneld.exe"
    place.web.scripts[path] = [cut(content_of(path), 100), status(503)]
    code, _, errors = place.create()
    assert code == 4
    assert path in errors
    assert not place.bundle.exists()
    assert not list(place.folder.glob("*.bundle.part"))


def test_an_image_without_the_hosts_build_is_refused(place):
    place.registry.add_image("pause", "3.10.2", builds=[17763])
    place.lock()
    code, _, errors = place.create()
    assert code == 3
    assert "20348" in errors
    assert "17763" in errors


def test_the_boms_are_what_their_schemas_say(made):
    bundle = Bundle(made.bundle)
    cyclonedx = bundle.read("sbom.cdx.json").decode()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(cyclonedx) is None
    path = made.folder / "bom.spdx.json"
    path.write_bytes(bundle.read("sbom.spdx.json"))
    document = parse_file(str(path))
    assert validate_full_spdx_document(document) == []
    sums = {package.checksums[0].value for package in document.packages}
    assert {
        member.sha256 for member in bundle.manifest.members if "artifacts/" in member.name
    } <= sums


def test_the_layout_is_one_that_others_read(made):
    bundle = Bundle(made.bundle)
    index = json.loads(bundle.read("images/index.json"))
    names = [entry["annotations"]["io.containerd.image.name"] for entry in index["manifests"]]
    assert PAUSE in names
    for entry in index["manifests"]:
        blob = bundle.read("images/blobs/" + entry["digest"].replace(":", "/"))
        assert len(blob) == entry["size"]


def test_images_go_into_a_registry_once(made, start, context):
    other = start(Registry(context))
    to = f"{other.url}/mirror"
    code, said, errors = made.transom("bundle", "push", str(made.bundle), "--to", to)
    assert code == 0, errors
    assert f"{PAUSE} -> {other.url.removeprefix('https://')}/mirror/pause@sha256:" in said
    digest = made.registry.tags["pause", "3.10.2"]
    assert other.tags["mirror/pause", "3.10.2"] == digest
    other.pushed.clear()
    assert "was there" in made.transom("bundle", "push", str(made.bundle), "--to", to)[1]
    assert set(other.pushed) == {digest, other.tags[f"mirror/{BASE}", "v1.0.0"]}


@pytest.mark.parametrize(
    ("breaks", "begun"),
    [([4000, 3000], [4000, 7000]), ([0], []), ([4000, 0, 2000], [4000, 4000, 6000])],
)
def test_an_upload_that_was_cut_off_goes_on_where_it_ended(  # noqa: PLR0917 - fixtures
    made, start, context, breaks, begun, monkeypatch
):
    monkeypatch.setattr("transom.node.host.clock.RealClock.sleep", lambda *_: None)
    other = start(Registry(context))
    other.upload_breaks = list(breaks)
    code, _, errors = made.transom("bundle", "push", str(made.bundle), "--to", other.url)
    assert code == 0, errors
    assert [offset for offset in other.begun if offset] == begun
    assert other.tags["pause", "3.10.2"] == made.registry.tags["pause", "3.10.2"]


def test_a_registry_that_takes_nothing_is_named(made, start, context, monkeypatch):
    monkeypatch.setattr("transom.node.host.clock.RealClock.sleep", lambda *_: None)
    other = start(Registry(context))
    other.upload_breaks = [0] * 100
    code, _, errors = made.transom("bundle", "push", str(made.bundle), "--to", other.url)
    assert code == 4
    assert f"{other.url}/v2/" in errors
    assert other.tags == {}


def test_a_signature_is_checked_by_the_sites_key(made):
    key = ec.generate_private_key(ec.SECP256R1())
    public = made.folder / "site.pem"
    public.write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    manifest = made.verify("--print-manifest")[1].encode()
    signature = made.folder / "shop.sig"
    signature.write_bytes(key.sign(manifest, ec.ECDSA(hashes.SHA256())))
    signed = ("--signature", str(signature), "--key", str(public))
    code, said, _ = made.verify(*signed)
    assert (code, "whole, signed" in said) == (0, True)
    signature.write_bytes(key.sign(manifest + b" ", ec.ECDSA(hashes.SHA256())))
    code, _, errors = made.verify(*signed)
    assert code == 5
    assert "not this bundle's signature" in errors
    assert made.verify(*signed[:2])[0] == 2


@pytest.fixture
def mirror(made):
    """The bundle served over HTTPS, with a certificate of its own."""
    certificate, key = make_certificate(["127.0.0.1"], made.folder)
    asked: list[str] = []
    site = Site(
        ("127.0.0.1", 0),
        site_context(certificate, key),
        find=BundleSite(Bundle(made.bundle)),
        seen=asked.append,
    )
    thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"https://127.0.0.1:{site.server_port}", certificate
    site.shutdown()
    site.server_close()
    thread.join()


def test_a_served_bundle_is_a_mirror_and_a_registry(made, mirror):
    """A bundle made from the mirror of a bundle is that bundle."""
    address, certificate = mirror
    tmp_path = made.folder
    before = made.bundle.read_bytes()
    text = made.fleet.read_text()
    text = text.replace(made.web.url, address).replace(made.registry.url, address)
    (tmp_path / "other.yaml").write_text(text)
    second = tmp_path / "second.bundle"
    code, _, errors = made.transom(
        *("bundle", "create", "-f", str(tmp_path / "other.yaml"), "-o", str(second)),
        *("--lock", str(tmp_path / "transom.lock"), "--ca-file", str(certificate)),
        trust=False,
    )
    assert code == 0, errors
    assert _without_recipes(second.read_bytes()) == _without_recipes(before)


def _without_recipes(content):
    """All members but those that name the addresses they came from."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {
            member.name: opened.read()
            for member in archive
            if member.name not in ("recipes.json", "manifest.json", "manifest.sha256")
            and (opened := archive.extractfile(member)) is not None
        }


def test_a_served_file_can_be_continued(made, mirror):
    address, certificate = mirror
    path = "/dl.k8s.io/v1.37.1/bin/windows/amd64/kubelet.exe"
    content = content_of(path)
    target = made.folder / "kubelet.exe"
    Path(f"{target}.part").write_bytes(content[:1234])
    door = Downloader(Https(ca_file=str(certificate)))
    found = door.file(address + path, target, sha256=hashlib.sha256(content).hexdigest())
    assert found.size == len(content)
    assert target.read_bytes() == content


def test_the_python_for_hosts_is_the_one_that_the_lock_names(made):
    holdings = BundleHoldings(made.bundle)
    lock = holdings.lock()
    assert holdings.python(lock)
    (python,) = [entry for entry in lock.entries if entry.id == "python"]
    other = lock.with_entries([replace(python, sha256="0" * 64)])
    with pytest.raises(PermanentError, match="does not have the Python for hosts that is locked"):
        holdings.python(other)


@pytest.mark.parametrize(
    "key",
    [ec.generate_private_key(ec.SECP256R1()), ed25519.Ed25519PrivateKey.generate()],
    ids=["ec", "ed25519"],
)
def test_a_bundle_is_signed_and_known_by_its_public_key_alone(made, key):
    private, public = made.folder / "site.key", made.folder / "site.pub"
    plain = serialization.NoEncryption()
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )
    public.write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    bundle = str(made.bundle)
    assert made.transom("bundle", "sign", bundle, "--key", str(private), trust=False)[0] == 0
    signature = Path(f"{bundle}.sig")
    code, out, errors = made.verify("--signature", str(signature), "--key", str(public))
    assert (code, "whole, signed" in out) == (0, True), errors
    signature.write_bytes(signature.read_bytes()[:-1] + b"\0")
    assert made.verify("--signature", str(signature), "--key", str(public))[0] == 5


def test_a_key_that_cannot_sign_is_the_users_mistake(made):
    (made.folder / "site.key").write_text("-----BEGIN NOTHING-----")
    code, _, errors = made.transom(
        "bundle", "sign", str(made.bundle), "--key", str(made.folder / "site.key"), trust=False
    )
    assert code == 2
    assert "is no private key" in errors
