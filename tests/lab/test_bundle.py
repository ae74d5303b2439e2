"""A site without internet: a bundle made from an HTTPS mirror of the real binaries, then no network at all.

The command line runs in the ground room, from which only the cluster and the host are reached; so every
program on the host came out of the bundle, through the SSH session.
"""

import functools
import http.server
import json
import ssl
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme
import yaml
from tests.lab.snapshot import snapshot
from tests.support.lab import BareLab

from transom.cli.main import main
from transom_lab.fleet import LabFleet, prepare_fleet
from transom_lab.lab import Lab
from transom_lab.mirror import SITES
from transom_lab.namespaces import Room
from transom_lab.places import cache_directory
from transom_lab.progress import Progress

pytestmark = pytest.mark.timeout(600)
SIGNER = "CN=Python Software Foundation"


@dataclass
class Site:
    """A lab with one bare host, its fleet as seen from the ground room, and a bundle."""

    lab: Lab
    fleet: Path
    bundle: Path
    lock: Path

    def apply(self, *words: str) -> tuple[int, str, str]:
        """Run `transom apply` where nothing but the cluster and the host can be reached."""
        argv = [sys.executable, "-m", "transom", "apply", "-f", str(self.fleet), "--no-addons"]
        ground = Room(self.lab.directory / "ground")
        argv += ["--bundle", str(self.bundle), "--lock", str(self.lock)]
        done = ground.call([*argv, *words], timeout_s=500, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(scope="module")
def site(bare_lab: BareLab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The bundle is there; what it was made from is gone."""
    folder = tmp_path_factory.mktemp("bundle")
    with bare_lab("bundle") as lab:
        made = prepare_fleet(lab, cache=cache_directory(), progress=Progress())
        Room(lab.directory / "ground").stop("mirror")
        fleet, bundle = folder / "fleet.yaml", folder / "lab.bundle"
        with mirrored(made, folder) as (address, certificate):
            fleet.write_text(json.dumps(seen_from_the_ground(lab, made, address)))
            words = ["bundle", "create", "-f", str(fleet), "--lock", str(made.lock)]
            words += ["--ca-file", str(certificate), "--without-images", "-o", str(bundle)]
            assert main(words) == 0
        yield Site(lab, fleet, bundle, made.lock)


@contextmanager
def mirrored(made: LabFleet, folder: Path) -> Iterator[tuple[str, Path]]:
    """The lab's artifacts over HTTPS on this machine, and the authority of its certificate."""
    authority, certificate = trustme.CA(), folder / "ca.pem"
    authority.cert_pem.write_to_path(str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    files = str(made.lock.parent / "files")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=files)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://127.0.0.1:{server.server_port}", certificate
    server.shutdown()
    server.server_close()


def seen_from_the_ground(lab: Lab, made: LabFleet, mirror: str) -> object:
    """The lab's fleet with the addresses of its own network."""
    document = yaml.safe_load(made.fleet.read_text("utf-8"))
    spec = document["spec"]
    spec["source"]["mirrors"] = {
        upstream: f"{mirror}/{upstream.partition('://')[2]}" for upstream in SITES
    }
    spec["source"]["verify"] = [{"artifact": "python", "authenticode": {"subject": SIGNER}}]
    spec["cluster"]["kubeconfig"] = str(lab.control_plane.directory / "etc/kubernetes/admin.conf")
    for host in spec["hosts"]:
        host["connection"]["ssh"] |= {"host": host["address"], "port": 22}
    return document


def test_a_flipped_byte_is_refused_by_name_before_the_host_is_touched(site):
    before = snapshot(site.lab.host("win1"))
    middle = site.bundle.stat().st_size // 2

    def flip() -> None:
        with site.bundle.open("r+b") as stream:
            stream.seek(middle)
            byte = stream.read(1)[0]
            stream.seek(middle)
            stream.write(bytes([byte ^ 1]))

    flip()
    code, _, said = site.apply("--yes")
    flip()
    assert code == 5
    assert "is damaged in artifacts/" in said
    assert snapshot(site.lab.host("win1")) == before


def test_a_host_becomes_ready_with_nothing_but_the_bundle(site):
    """And a second time nothing is carried and nothing changes."""
    code, out, said = site.apply("--yes", "-o", "json")
    assert code == 0, out + said
    (host,) = json.loads(out)["hosts"]
    assert host["ready"] is True
    assert "upload artifacts to the host" in said
    assert not (site.lab.host("win1").drive_c / "k/transom/carried").exists()

    code, out, said = site.apply()
    assert code == 0, out + said
    assert "win1: nothing to do" in out
    assert "upload artifacts" not in said


def test_a_python_that_somebody_else_signed_is_refused(site):
    site.fleet.write_text(site.fleet.read_text().replace(SIGNER, "CN=Corp"))
    code, out, said = site.apply("--yes")
    assert code == 3, out + said
    assert f"{SIGNER}, not CN=Corp" in out
