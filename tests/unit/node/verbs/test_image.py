"""`prepare --image`: a host as its recipe says, with no trace of itself, and safe at every cut."""

import io
import json
import random
from dataclasses import replace

import pytest

from transom.errors import Refused, TransomError
from transom.model.codec import decode, encode
from transom.model.finding import Severity
from transom.model.image import ImageProvenance, content_digest, without_identity
from transom.model.recipe import File, Recipe
from transom.model.request import Verb
from transom.node.doctor.image import examine_image
from transom.node.engine.runner import Ending, Runner
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.node.verbs.image import traces
from transom.node.verbs.program import main
from transom.testing.faults import Fault, PowerCut

LAYOUT = Layout()
SSH = r"C:\ProgramData\ssh"
NAMING = File(path=r"C:\etc\cni\net.d\own.conf", content='{"mine": "10.0.0.21/32"}', acl="", why="")


@pytest.fixture
def image_for(request_for, recipe):
    """The request of an image, of a recipe in which a file names the model's address."""
    named = replace(recipe, files=(*recipe.files, NAMING))
    return lambda **changes: request_for(
        Verb.PREPARE, **{"recipe": named, "image": True, **changes}
    )


@pytest.fixture
def host(make_host):
    """A fresh machine of some other name, with the node program on it."""
    found = make_host()
    found.system.name = "WIN-MODEL"
    found.files.write(LAYOUT.program, b"the program")
    found.flush()
    found.calls.clear()
    return found


def run(host, request, name="r1"):
    return Runner(host, LAYOUT, name).execute(request)


def everything(host):
    return b"".join(entry.data for entry in host.disk._seen.values())


def problems(host):
    return [(item.rule, item.path) for item in examine_image(host, LAYOUT)]


def test_an_image_is_what_the_recipe_says_and_tells_nothing_of_its_model(host, image_for):
    assert run(host, image_for()).ending is Ending.DONE
    assert problems(host) == []
    assert host.services.running("containerd")
    assert not any(host.files.kind(path) is not PathKind.ABSENT for path in traces(LAYOUT))
    kept = everything(host)
    for secret in (b"win-01", b"WIN-MODEL", b"10.0.0.21"):
        assert secret not in kept


def test_its_provenance_names_every_byte(host, image_for, recipe):
    run(host, image_for())
    found = decode(ImageProvenance, json.loads(host.files.read(LAYOUT.provenance)))
    assert [item.sha256 for item in found.artifacts] == [item.sha256 for item in recipe.artifacts]
    assert found.kubernetes == "1.37.1"
    assert found.content == content_digest(image_for().recipe)


def test_a_second_run_writes_nothing_but_its_own_events(host, image_for):
    run(host, image_for())
    before = host.snapshot()
    host.calls.clear()
    assert run(host, image_for(), "r2").changed == ()
    assert host.snapshot() == before
    assert [
        call for call in host.calls.writes if r"\state" not in call and "flush" not in call
    ] == []
    assert [call for call in host.calls.writes if "journal" in call] == []


def test_a_restart_in_between_goes_on_where_it_stopped(host, image_for):
    host.features.need_reboot.add("Containers")
    assert run(host, image_for()).ending is Ending.REBOOT
    assert ("image-journal", LAYOUT.journal) in problems(host)
    host.features.reboot()
    assert run(host, image_for(), "r2").ending is Ending.DONE
    assert problems(host) == []


@pytest.mark.parametrize("verb", [Verb.PREPARE, Verb.JOIN])
def test_a_host_that_was_prepared_or_joined_is_refused_and_kept(make_host, request_for, verb):
    host = make_host()
    run(host, request_for(verb))
    before = host.snapshot()
    with pytest.raises(Refused) as refused:
        run(host, request_for(Verb.PREPARE, image=True), "r2")
    assert [item.id for item in refused.value.refusals] == ["not-an-image"]
    assert host.snapshot() == before


def test_a_node_that_somebody_else_joined_is_refused(host, image_for):
    host.files.make_directory(r"C:\etc\kubernetes")
    host.files.write(r"C:\etc\kubernetes\kubelet.conf", b"x\n")
    with pytest.raises(Refused) as refused:
        run(host, image_for())
    assert [item.id for item in refused.value.refusals] == ["already-joined"]


def test_a_machine_of_the_image_joins_as_any_other(host, image_for, request_for):
    run(host, image_for())
    host.system.name = "win-01"
    recipe = image_for().recipe
    outcome = run(host, request_for(Verb.JOIN, recipe=recipe), "r2")
    assert outcome.ending is Ending.DONE
    assert "artifacts" not in outcome.changed
    assert host.files.read(NAMING.path) == NAMING.content.encode()
    assert notes(host, "r2") == []


def notes(host, name):
    lines = host.disk.read(LAYOUT.events(name)).splitlines()
    found = (json.loads(line) for line in lines)
    return [item["message"] for item in found if "image" in item["message"]]


def test_the_first_run_says_that_the_image_is_of_another_recipe(
    host, image_for, request_for, newer_recipe
):
    run(host, image_for())
    host.system.name = "win-01"
    run(host, request_for(Verb.JOIN, recipe=newer_recipe), "r2")
    (note,) = notes(host, "r2")
    assert "Kubernetes 1.37.1, not 1.37.2" in note


def test_the_first_run_says_what_it_had_to_mend(host, image_for, request_for):
    run(host, image_for())
    host.system.name = "win-01"
    host.files.write(r"C:\k\kubelet.exe", b"somebody else's")
    run(host, request_for(Verb.JOIN, recipe=image_for().recipe), "r2")
    (note,) = notes(host, "r2")
    assert "mended artifacts" in note


def _spoil(host, path, content=b"x\n"):
    host.files.make_directory(path.rpartition("\\")[0])
    host.files.write(path, content)


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (r"C:\k\kubelet.exe", "image-drift"),
        (r"C:\etc\kubernetes\kubelet.conf", "image-joined"),
        (r"C:\etc\kubernetes\bootstrap-kubelet.conf", "image-joined"),
        (r"C:\etc\kubernetes\pki\ca.crt", "image-joined"),
        (r"C:\var\lib\kubelet\pki\kubelet-client.pem", "image-joined"),
        (LAYOUT.recipe, "image-journal"),
        (LAYOUT.program, "image-provenance"),
        (LAYOUT.provenance, "image-provenance"),
        (r"C:\run\kubeadm\kubeadm-join-config.yaml", "image-boot-data"),
    ],
)
def test_the_doctor_finds_what_spoils_an_image(host, image_for, path, rule):
    run(host, image_for())
    _spoil(host, path)
    assert rule in [found for found, _ in problems(host)]
    out = io.StringIO()
    assert main(["doctor", "--image", "-o", "json"], machine=host, stdout=out) == 1
    assert json.loads(out.getvalue())["kind"] == "Findings"


def test_the_doctor_finds_a_pending_reboot_and_a_host_that_is_no_image(host, image_for):
    run(host, image_for())
    host.system.pending = True
    assert problems(host) == [("image-reboot", "Windows")]
    host.files.remove(LAYOUT.provenance)
    assert "image-provenance" in [rule for rule, _ in problems(host)]


def test_what_an_image_build_removes_last_is_a_warning(host, image_for):
    """A build over SSH cannot be without the keys it works with."""
    run(host, image_for())
    for name in (
        "ssh_host_ed25519_key",
        "ssh_host_ed25519_key.pub",
        "administrators_authorized_keys",
    ):
        _spoil(host, rf"{SSH}\{name}")
    found = examine_image(host, LAYOUT)
    assert {item.severity for item in found} == {Severity.WARNING}
    assert len(found) == 3
    out = io.StringIO()
    assert main(["doctor", "--image"], machine=host, stdout=out) == 0
    assert "shutdown" in out.getvalue()


def test_the_command_works_in_this_session_and_says_how_it_ended(host, image_for):
    asked = io.StringIO(json.dumps(encode(replace(image_for(), image=False))))
    out = io.StringIO()
    assert main(["prepare", "--image"], machine=host, stdin=asked, stdout=out) == 0
    result = json.loads(out.getvalue().splitlines()[-1])
    assert (result["kind"], result["ending"]) == ("Result", "done")
    assert problems(host) == []


@pytest.mark.parametrize("fault", list(Fault), ids=lambda fault: fault.value)
def test_whatever_is_cut_a_second_run_finishes_the_image(make_host, image_for, fault):
    """At calls all over the run, and at each of its last, which seal the image."""
    request = image_for()
    host = _fresh(make_host)
    run(host, request)
    count = host.calls.count
    for at in sorted({*range(1, count, 43), *range(count - 24, count + 1)}):
        host = _fresh(make_host)
        host.calls.inject(fault, at=at)
        try:
            run(host, request)
        except PowerCut:
            host.power_cycle(random.Random(at))
        except TransomError:
            pass
        host.calls.clear()
        run(host, request, "again")
        assert problems(host) == [], f"{fault} at call {at}"


def _fresh(make_host):
    host = make_host()
    host.files.write(LAYOUT.program, b"the program")
    host.flush()
    host.calls.clear()
    return host


def test_no_recipe_keeps_its_machine(golden_recipes):
    for name, recipe in golden_recipes.items():
        bare = json.dumps(encode(without_identity(recipe)))
        assert recipe.identity.address not in bare, name
        assert f'"{recipe.identity.name}"' not in bare, name


@pytest.fixture
def golden_recipes(pytestconfig):
    folder = pytestconfig.rootpath / "tests" / "data" / "recipes"
    return {
        path.name: decode(Recipe, json.loads(path.read_text("utf-8")))
        for path in sorted(folder.glob("*.json"))
    }
