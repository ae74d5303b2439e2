"""packer itself: it accepts every platform's template, and its null builder provisions a real host.

The provisioners are those of the rendered template; only the machine's source is another. The host has
no curl, certutil and tar, which Windows has: small programs of the same names stand in. What the
build leaves is then booted with compiled boot data, to Ready.
"""

import http.server
import io
import json
import os
import subprocess
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from pip._vendor import distlib
from tests.support.lab_boot_data import Machine

from transom.bootstrap.compile import Fetched, compile_boot_data
from transom.cli.main import main
from transom.facts.imaging import BuildTool
from transom.facts.platforms import Platform
from transom.facts.rows import At, one, read
from transom.image.packer.plan import EXAMPLE, TEMPLATE, ImagePlan
from transom.image.packer.render import render
from transom.model.codec import decode
from transom.model.image import OWNER, without_identity
from transom.model.journal import Owner
from transom.model.recipe import Recipe
from transom.model.request import Request, Verb
from transom.node.verbs.boot import adapted
from transom_lab.binaries import Binaries
from transom_lab.places import cache_directory
from transom_lab.programs import Goos, program
from transom_lab.progress import Progress

PLATFORMS = [row.id for row in read(Platform)]
GOLDEN = "k136-2022-containerd-flannel-l2bridge.json"
STAND_INS = {
    "curl": """
import shutil, sys, urllib.request
target = sys.argv[sys.argv.index("--output") + 1]
with urllib.request.urlopen(sys.argv[-1]) as answer, open(target, "wb") as file:
    shutil.copyfileobj(answer, file)
""",
    "certutil": """
import hashlib, sys
with open(sys.argv[2], "rb") as file:
    print(hashlib.file_digest(file, "sha256").hexdigest())
""",
    "tar": """
import sys, zipfile
zipfile.ZipFile(sys.argv[2]).extractall(sys.argv[4])
""",
}


def build_program(name):
    (path,) = (
        Binaries(cache=cache_directory(), progress=Progress())
        .fetch([program(name, Goos.LINUX)])
        .values()
    )
    return path


@pytest.fixture(scope="module")
def packer(machine, tmp_path_factory):
    """A folder with packer in it, and the environment for it."""
    del machine
    folder = tmp_path_factory.mktemp("packer")
    (folder / "packer").symlink_to(build_program("packer"))
    environment = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PACKER_PLUGIN_PATH": str(folder / "plugins"),
        "PACKER_CONFIG_DIR": str(folder),
        "CHECKPOINT_DISABLE": "1",
        "HOME": str(folder),
        "OS_CLIENT_CONFIG_FILE": str(folder / "clouds.yaml"),
    }
    return folder, environment


def plan_for(platform, recipe, *, python, node_program):
    return ImagePlan(
        platform=one(Platform, platform, At()),
        windows=recipe.target.windows_release,
        request=Request(
            verb=Verb.PREPARE,
            recipe=without_identity(recipe),
            owner=Owner(cluster="", fleet="lab", who=OWNER),
        ),
        python=python,
        program=node_program,
        cloudbase_init=None,
    )


class Keystone(http.server.BaseHTTPRequestHandler):
    """As much of OpenStack as its plugin asks before it judges a template: who it is, and what is where."""

    def do_GET(self):
        link = {"rel": "self", "href": self._address("/v3/")}
        self._answer(200, {"version": {"id": "v3.14", "status": "stable", "links": [link]}})

    def do_POST(self):
        kinds = ("compute", "image", "network", "volumev3")
        endpoint = {"interface": "public", "region": "one", "region_id": "one"}
        catalog = [
            {"type": kind, "endpoints": [{**endpoint, "url": self._address(f"/{kind}/")}]}
            for kind in kinds
        ]
        self._answer(
            201, {"token": {"expires_at": "2099-01-01T00:00:00.000000Z", "catalog": catalog}}
        )

    def _address(self, path):
        return f"http://{self.headers['Host']}{path}"

    def _answer(self, code, document):
        body = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Subject-Token", "token")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        """Say nothing."""


@pytest.fixture
def openstack(packer):
    """A cloud for its plugin, which asks it at once."""
    folder, _ = packer
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Keystone) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/v3"
        auth = {"auth_url": address, "username": "u", "password": "p"}
        auth |= {"project_name": "p", "user_domain_name": "d", "project_domain_name": "d"}
        cloud = {"auth": auth, "region_name": "one"}
        (folder / "clouds.yaml").write_text(json.dumps({"clouds": {"mycloud": cloud}}))
        yield
        server.shutdown()


def write(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("openstack")
def test_packer_accepts_the_template(packer, platform, tmp_path, monkeypatch, capsys):
    folder, environment = packer
    golden = Path(__file__).parents[1] / "data" / "recipes" / GOLDEN
    recipe = decode(Recipe, json.loads(golden.read_bytes()))
    pinned = tuple(replace(item, sha256="a" * 64) for item in recipe.artifacts)
    plan = plan_for(
        platform,
        replace(recipe, artifacts=pinned),
        python=Fetched(sha256="b" * 64, url="https://files.example.org/python.zip"),
        node_program=b"PK",
    )
    plugin = f"packer-plugin-{plan.builder.plugin}"
    address = one(BuildTool, f"packer-{plan.builder.plugin}", At()).address
    subprocess.run(
        [folder / "packer", "plugins", "install", "--path", build_program(plugin), address],
        env=environment,
        check=True,
    )
    write(tmp_path, render(plan))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    code = main(["image", "validate", str(tmp_path), "-o", "json"])
    report = json.loads(capsys.readouterr().out)
    assert report["mistakes"] == []
    assert code == 0
    assert not [text for text in report["skipped"] if "not on the path" in text]


def launcher(script):
    """A program that runs a script with the host's Python, as pip makes them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("__main__.py", script)
    start = Path(distlib.__file__).with_name("t64.exe").read_bytes()
    return start + b"#!C:\\Python\\python.exe\r\n" + packed.getvalue()


class Built(Machine):
    """A bare host that packer makes an image of."""

    def __init__(self, lab, packer, folder):
        super().__init__(lab)
        # The golden recipe's address everywhere in it becomes the host's.
        self.recipe = adapted(self.recipe, name=self.name, address=self.host.plan.address)
        self.packer, self.environment = packer
        self.folder = folder
        for name, script in STAND_INS.items():
            path = self.c / "windows" / "system32" / f"{name}.exe"
            path.write_bytes(launcher(script))
            # Wine has a certutil of its own that says nothing.
            override = [
                r"HKCU\Software\Wine\DllOverrides",
                "/v",
                f"{name}.exe",
                "/d",
                "native",
                "/f",
            ]
            self.host.run(["reg.exe", "add", *override])
        plan = plan_for(
            "qemu",
            self.recipe,
            python=self.fetched("python.zip"),
            node_program=(self.c / "bundle" / "node.pyz").read_bytes(),
        )
        write(folder, render(plan))
        self._take_this_host()

    def _take_this_host(self):
        """Another source in the rendered template, and nothing else."""
        template = self.folder / TEMPLATE
        document = json.loads(template.read_bytes())
        del document["packer"]["required_plugins"]
        document["source"] = {
            "null": {
                "windows": {
                    "communicator": "ssh",
                    "ssh_host": "127.0.0.1",
                    "ssh_port": self.host.plan.local_port,
                    "ssh_username": "Administrator",
                    "ssh_private_key_file": str(self.lab.key),
                    "ssh_file_transfer_method": "sftp",
                }
            }
        }
        document["build"]["sources"] = ["source.null.windows"]
        template.write_text(json.dumps(document))

    def build(self):
        argv = [self.packer / "packer", "build", "-color=false", "-timestamp-ui"]
        argv += [f"-var-file={EXAMPLE}", "-var=restart_pause=15s", "."]
        done = subprocess.run(
            argv, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=900,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        return done.stdout

    def events(self, ending):
        (path,) = (self.c / "k" / "transom" / "state" / "events").glob(f"*{ending}.jsonl")
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def built(bare_lab, packer, tmp_path_factory):
    with bare_lab("packer", feature=False) as lab:
        yield Built(lab, packer, tmp_path_factory.mktemp("image"))


def results(output):
    """What each run of the node program in a build says it changed."""
    lines = (line.partition("null.windows: ")[2] for line in output.splitlines())
    found = [json.loads(line) for line in lines if line.startswith("{")]
    return [item["changed"] for item in found if item.get("kind") == "Result"]


@pytest.mark.timeout(1500)
def test_packer_makes_an_image_of_a_bare_host(built):
    """Restarted for the feature in between; the second run of the program finds the rest."""
    first, second = results(built.build())
    assert "features" in first
    assert "artifacts" in (*first, *second)
    assert built.has("k/transom/image.json")
    assert not built.has("k/transom/state/journal")
    assert not built.has("etc/kubernetes/kubelet.conf")


@pytest.mark.timeout(900)
def test_a_second_build_finds_nothing_to_do(built):
    before = (built.c / "k" / "transom" / "image.json").read_bytes()
    assert results(built.build()) == [[], []]
    assert (built.c / "k" / "transom" / "image.json").read_bytes() == before


@pytest.mark.timeout(600)
def test_a_machine_of_the_image_joins_by_its_boot_data(built):
    """cloudbase-init executes it: Ready, nothing brought again, nothing to say against the image."""
    answer, said = built.boot(compile_boot_data(built.plan(), "cloud-config"))
    assert answer == "(1, False)", said
    built.await_ready()
    events = built.events("-boot")
    assert "artifacts" not in [item["step"] for item in events if item["state"] == "changed"]
    assert [item["message"] for item in events if "image" in item["message"]] == []
