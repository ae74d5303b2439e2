"""A site without internet: a bundle made from an HTTPS mirror of the real binaries, then no source at all.

The lab's own mirror is stopped before the join, so that every program on the host came out of the
bundle, through the SSH session.
"""

import functools
import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme
import yaml

from transom_lab.fleet import LabFleet, prepare_fleet, reset_flags
from transom_lab.lab import Lab, Wish
from transom_lab.mirror import SITES
from transom_lab.namespaces import Room
from transom_lab.places import cache_directory
from transom_lab.progress import Progress


@dataclass
class Site:
    """A lab with one bare host, its fleet and lock, and a folder for the bundle."""

    lab: Lab
    made: LabFleet
    folder: Path

    def transom(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run the command line in a process of its own."""
        return subprocess.run(
            [sys.executable, "-m", "transom", *words],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=900,
            check=False,
        )


@pytest.fixture(scope="module")
def site(
    lone_lab: Callable[[str], Lab], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    lab = lone_lab("bundle")
    lab.down()
    try:
        lab.up(Wish(hosts=1, bare=True))
        made = prepare_fleet(lab, cache=cache_directory(), progress=Progress())
        yield Site(lab, made, tmp_path_factory.mktemp("bundle"))
    finally:
        lab.down()


@pytest.fixture(scope="module")
def mirror(site: Site) -> Iterator[tuple[str, Path]]:
    """The lab's artifacts over HTTPS on this machine, and the authority of its certificate."""
    authority = trustme.CA()
    certificate = site.folder / "ca.pem"
    authority.cert_pem.write_to_path(str(certificate))
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    files = site.made.lock.parent / "files"
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(files))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"https://127.0.0.1:{server.server_port}", certificate
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def bundle(site: Site, mirror: tuple[str, Path]) -> Path:
    """The bundle, made by the lab's lock from that mirror."""
    address, certificate = mirror
    document = yaml.safe_load(site.made.fleet.read_text())
    document["spec"]["source"]["mirrors"] = {
        upstream: f"{address}/{upstream.partition('://')[2]}" for upstream in SITES
    }
    fleet, path = site.folder / "fleet.yaml", site.folder / "lab.bundle"
    fleet.write_text(json.dumps(document))
    done = site.transom(
        *("bundle", "create", "-f", str(fleet), "--lock", str(site.made.lock)),
        *("--ca-file", str(certificate), "--without-images", "-o", str(path)),
    )
    assert done.returncode == 0, done.stderr
    return path


def test_a_flipped_byte_is_refused_before_the_host_is_touched(site, bundle):
    content = bytearray(bundle.read_bytes())
    content[len(content) // 2] ^= 1
    damaged = site.folder / "damaged.bundle"
    damaged.write_bytes(content)
    flags = reset_flags(site.lab, site.lab.host("win1"))
    said = site.transom("join", *flags, "--bundle", str(damaged))
    assert said.returncode == 5
    assert "is damaged in artifacts/" in said.stderr
    assert not (site.lab.host("win1").drive_c / "k/transom").exists()
    damaged.unlink()


@pytest.mark.timeout(900)
def test_a_host_joins_with_nothing_but_the_bundle(site, bundle):
    """And a second time nothing is carried and nothing changes."""
    Room(site.lab.directory / "ground").stop("mirror")
    flags = reset_flags(site.lab, site.lab.host("win1"))
    joined = site.transom("join", *flags, "--bundle", str(bundle), "--reboot", "-o", "json")
    assert joined.returncode == 0, joined.stdout + joined.stderr
    assert json.loads(joined.stdout)["ready"] is True
    assert "carry artifacts to the host" in joined.stderr
    assert not (site.lab.host("win1").drive_c / "k/transom/carried").exists()

    again = site.transom("join", *flags, "--bundle", str(bundle))
    assert again.returncode == 0, again.stderr
    assert "nothing to change" in again.stdout
    assert "carry artifacts" not in again.stderr
