"""`transom image render` and `validate`: a folder that packer can build, or every mistake in it."""

import json
import re
import shutil
from xml.etree import ElementTree as ET

import pytest

from transom.cli.main import main
from transom.facts.platforms import Platform
from transom.facts.rows import read

PLATFORMS = [row.id for row in read(Platform)]
SUM = "ab" * 32


@pytest.fixture
def site(locked_site, capsys):
    """A fleet with a lock; give functions that render and validate."""

    class Site:
        folder = locked_site

        def render(self, *options, platform="qemu", windows="2022", to="image"):
            file, out = str(locked_site / "fleet.yaml"), str(locked_site / to)
            asked = ["--platform", platform, "--windows", windows, "-f", file, "-o", out]
            code = main(["image", "render", *asked, "--cloudbase-init", SUM, *options])
            return code, *capsys.readouterr()

        def validate(self, to="image"):
            code = main(["image", "validate", str(locked_site / to), "-o", "json"])
            return code, json.loads(capsys.readouterr().out)

        def file(self, name):
            return locked_site / "image" / name

    return Site()


@pytest.fixture(autouse=True)
def without_packer(monkeypatch):
    """Whether packer is installed is not what these tests are about."""
    monkeypatch.setattr("transom.remote.packer.find_packer", lambda: None)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_platform_is_rendered_without_a_mistake(site, platform):
    code, _, err = site.render(platform=platform)
    assert (code, err) == (0, "")
    code, report = site.validate()
    assert report["mistakes"] == []
    assert code == 0
    assert any("packer" in text for text in report["skipped"])


def test_twice_is_the_same_bytes(site):
    site.render()
    site.render(to="again")
    first, second = (
        {
            path.relative_to(site.folder / to): path.read_bytes()
            for path in sorted((site.folder / to).rglob("*"))
            if path.is_file()
        }
        for to in ("image", "again")
    )
    assert first == second


def test_every_address_of_the_lock_is_a_variable_with_its_sum(site):
    site.render()
    values = json.loads(site.file("values.auto.pkrvars.json").read_bytes())
    request = json.loads(site.file("files/request.json").read_bytes())
    for artifact in request["recipe"]["artifacts"]:
        name = artifact["id"].replace("-", "_")
        assert values[f"{name}_url"] == artifact["url"]
        assert values[f"{name}_sha256"] == artifact["sha256"]
    assert values["cloudbase_init_sha256"] == SUM
    declared = json.loads(site.file("windows.pkr.json").read_bytes())["variable"]
    assert values.keys() <= declared.keys()


def test_no_name_of_a_host_goes_into_the_folder(site):
    site.render()
    text = site.file("files/request.json").read_text()
    assert '"win-01"' not in text
    assert "10.0.0.21" not in text


@pytest.mark.parametrize("platform", PLATFORMS)
def test_ssh_takes_keys_alone_and_no_password_is_in_a_file(site, platform):
    site.render(platform=platform)
    source = json.loads(site.file("windows.pkr.json").read_bytes())["source"]
    ((settings,),) = [[item["windows"] for item in source.values()]]
    assert not [name for name in settings if name in ("ssh_password", "winrm_password")]
    for path in (site.folder / "image").rglob("*.xml"):
        for element in ET.fromstring(path.read_bytes()).iter():  # noqa: S314 - our own
            if element.tag.endswith("}Value") and element.text:
                assert element.text.startswith("${")


def test_updates_are_installed_where_asked(site):
    site.render("--updates", "install")
    steps = json.loads(site.file("windows.pkr.json").read_bytes())["build"]["provisioner"]
    scripts = [step["windows-shell"].get("script", "") for step in steps if "windows-shell" in step]
    assert any(script.endswith("updates.cmd") for script in scripts)
    assert b"powershell" in site.file("files/updates.cmd").read_bytes()


def test_image_builder_gets_the_lock_as_its_variables(site):
    assert site.render("--format", "image-builder")[0] == 0
    found = json.loads(site.file("image-builder.json").read_bytes())
    assert re.fullmatch("[0-9a-f]{64}", found["containerd_sha256_windows"])
    assert found["kubernetes_base_url"].startswith("https://")
    assert "pause" in found["pause_image"]


@pytest.mark.parametrize(
    ("options", "platform", "windows", "said"),
    [
        (("--cloudbase-init", "nothing.msi"), "qemu", "2022", "neither a SHA-256 nor a file"),
        ((), "qemu", "2019", "no host of the fleet has Windows Server 2019"),
        (("--pool", "nobody"), "qemu", "2022", "no host of pool nobody"),
    ],
)
def test_what_cannot_be_rendered_is_told(site, options, platform, windows, said):
    code, _, err = site.render(*options, platform=platform, windows=windows)
    assert code == 2
    assert said in err


def _spoil_json(path, change):
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document))


def _replace(path, old, new):
    content = path.read_bytes()
    assert old.encode() in content
    path.write_bytes(content.replace(old.encode(), new.encode()))


SPOILED = {
    "a sum is missing": lambda site: _spoil_json(
        site.file("values.auto.pkrvars.json"), lambda values: values.update(kubelet_sha256="")
    ),
    "a secret in a values file": lambda site: site.file("site.auto.pkrvars.json").write_text(
        json.dumps({"vcenter_password": "x"})
    ),
    "a private key": lambda site: site.file("build_key").write_text(
        "-----BEGIN OPENSSH PRIVATE KEY-----"
    ),
    "a token": lambda site: site.file("files/setup.cmd").write_text("abcdef.0123456789abcdef"),
    "a password in the answers": lambda site: _replace(
        site.file("files/autounattend.xml"), "${administrator_password}", "Passw0rd"
    ),
    "an unknown setting of Windows setup": lambda site: _replace(
        site.file("files/autounattend.xml"), "ImageInstall", "ImageInstal"
    ),
    "broken XML": lambda site: site.file("files/unattend.xml").write_text("<unattend>"),
    "a plugin after the join": lambda site: _replace(
        site.file("files/cloudbase-init.conf"),
        "plugins=cloudbaseinit.plugins.common.mtu.MTUPlugin,",
        "plugins=cloudbaseinit.plugins.common.userdata.UserDataPlugin,",
    ),
    "no restart for boot data": lambda site: _replace(
        site.file("files/cloudbase-init.conf"), "allow_reboot=true", "allow_reboot=false"
    ),
    "a wrongly typed option": lambda site: _replace(
        site.file("files/cloudbase-init.conf"), "san_policy=OnlineAll", "san_policy=OnlineSome"
    ),
    "a missing file": lambda site: site.file("files/fetch.cmd").unlink(),
    "no template": lambda site: site.file("windows.pkr.json").write_text("{"),
    "a name in the request": lambda site: _spoil_json(
        site.file("files/request.json"),
        lambda request: request["recipe"]["identity"].update(name="win-01"),
    ),
}


@pytest.mark.parametrize("change", SPOILED.values(), ids=SPOILED)
def test_a_spoiled_folder_is_told(site, change):
    site.render(platform="vsphere")
    change(site)
    code, report = site.validate()
    assert code == 1
    assert report["mistakes"]


def test_every_mistake_is_told_at_once(site):
    site.render(platform="vsphere")
    for change in list(SPOILED.values())[:6]:
        change(site)
    assert len(site.validate()[1]["mistakes"]) >= 6


def test_a_folder_that_is_not_there_is_told(site, capsys):
    assert main(["image", "validate", str(site.folder / "nothing")]) == 2
    assert "transom image render" in capsys.readouterr().err


def test_what_is_judged_is_said_in_words(site, capsys):
    site.render()
    shutil.copy(site.file("README.md"), site.folder / "README.md")
    assert main(["image", "validate", str(site.folder / "image")]) == 0
    out = capsys.readouterr().out
    assert "NOT JUDGED: the template by packer" in out
    assert "nothing wrong" in out
