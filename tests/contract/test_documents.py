"""What commands print with `-o json` is one document, valid against the schema that ships."""

import ast
import json
import tomllib
from pathlib import Path

import pytest
from jsonschema_rs import Draft202012Validator
from tests.artifacts import artifact

from transom.cli.commands import lock as lock_command
from transom.cli.main import main
from transom.documents.catalogue import DOCUMENTS
from transom.documents.nodes import JoinResult, ResetResult
from transom.model.codec import encode
from transom.model.event import Event, Level, State
from transom.model.journal import Owner
from transom.model.request import JoinSecrets, Request, Verb
from transom.recipe.lock import PinnableArtifact
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "transom"
EXAMPLES = SOURCE.parents[1] / "examples"
FLEETS = sorted((ROOT / "tests" / "data" / "fleets").glob("k1*.yaml"))
FLEET = ROOT / "tests" / "data" / "fleets" / "k137-2022-containerd-flannel-overlay.yaml"
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {os: {name: windows}, hostIPC: true, containers: [{name: web, image: web}]}
"""


@pytest.fixture
def schema(capsys):
    """The schema that `transom schema NAME` prints."""

    def printed(name):
        assert main(["schema", name]) == 0
        return Draft202012Validator(json.loads(capsys.readouterr().out))

    return printed


@pytest.fixture
def printed(capsys, schema):
    """Run a command, check what it prints against a schema, and give exit code and document."""

    def run(name, *arguments):
        code = main([*map(str, arguments), "-o", "json"])
        out = capsys.readouterr().out
        document = json.loads(out)
        schema(name).validate(document)
        return code, document

    return run


@pytest.mark.parametrize("fleet", FLEETS, ids=lambda path: path.stem)
def test_recipes(printed, schema, fleet):
    code, document = printed("recipe-list", "recipe", "-f", fleet)
    assert code == 0
    for recipe in document["items"]:
        schema("recipe").validate(recipe)


def test_facts(printed):
    assert printed("facts-matrix", "facts")[0] == 0


@pytest.mark.parametrize(
    "place",
    [
        ("--kubernetes", "1.37", "--windows", "2022"),
        ("--kubernetes", "1.37", "--windows", "2019"),
        ("--windows", "1809"),
        ("--containerd", "2.2.1"),
    ],
    ids=" ".join,
)
def test_facts_of_a_place(printed, place):
    code, document = printed("facts", "facts", *place)
    assert code == 0
    facts = [fact for group in document["groups"] for fact in group["facts"]]
    assert all("_" not in column for fact in facts for column in fact["columns"])
    (release,) = {fact["id"]: fact for fact in facts if fact["id"] == "2022"}.values() or [None]
    assert release is None or release["columns"]["build"] == 20348


@pytest.mark.parametrize(
    "what", [("WIN024",), ("1.23",), ("gate", "WinDSR"), ("error", "unknown flag: --x")]
)
def test_explanations(printed, what):
    assert printed("explanation", "explain", *what)[0] == 0


def test_what_is_not_known_is_the_same_document(printed):
    assert printed("explanation", "explain", "frobnicate")[0] == 1


def test_findings(printed, tmp_path):
    (tmp_path / "pod.yaml").write_text(POD)
    (tmp_path / "torn.yaml").write_text("apiVersion: v1\nkind: Pod\na: [")
    code, document = printed("findings", "lint", tmp_path / "pod.yaml")
    assert (code, bool(document["findings"])) == (1, True)
    code, document = printed("findings", "lint", tmp_path)
    assert (code, document["summary"]["unreadable"]) == (2, 1)


def test_the_lock_and_its_reports(printed, schema, monkeypatch, tmp_path):
    file = tmp_path / "k.exe"
    file.write_bytes(b"one")
    (tmp_path / "fleet.yaml").write_bytes((EXAMPLES / "small.yaml").read_bytes())

    def wanted(*artifacts):
        pinnables = [PinnableArtifact(artifact=one, directory=str(tmp_path)) for one in artifacts]
        monkeypatch.setattr(lock_command, "wanted_by", lambda _file: pinnables)

    command = ("lock-report", "lock", "-f", tmp_path / "fleet.yaml")
    wanted(artifact(file="k.exe"), artifact("kubeadm"))
    code, document = printed(*command, "--offline")
    assert (code, len(document["added"]), len(document["missing"])) == (1, 1, 1)
    text = (tmp_path / "transom.lock").read_text("utf-8")
    schema("lock").validate(tomllib.loads(text))

    file.write_bytes(b"two")
    wanted(artifact(file="k.exe", sha256="b" * 64))
    code, document = printed(*command, "--offline", "--check")
    assert (code, bool(document["differing"])) == (1, True)
    wanted(artifact(file="k.exe"))
    assert len(printed(*command, "--update")[1]["changed"]) == 1
    wanted()
    assert len(printed(*command, "--update")[1]["removed"]) == 1
    schema("lock").validate(tomllib.loads((tmp_path / "transom.lock").read_text("utf-8")))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["recipe", "-f", "absent.yaml"], 2),
        (["recipe", "-f", "."], 2),
        (["recipe", "-f", "empty.yaml"], 2),
        (["recipe", "-f", "latin.yaml"], 2),
        (["recipe", "-f", "old.yaml"], 3),
        (["recipe", "-f", FLEET, "--host", "nobody"], 2),
        (["recipe", "-f", FLEET, "--lock", "latin.yaml"], 2),
        (["recipe", "-f", FLEET, "--lock", "empty.yaml"], 2),
        (["recipe", "-f", FLEET, "--inventory", "empty.yaml"], 2),
        (["recipe", "-f", FLEET, "--inventory", "latin.yaml"], 2),
        (["lock", "-f", "absent.yaml", "--offline"], 2),
        (["lock", "-f", FLEET, "--offline", "--update"], 2),
        (["facts", "--kubernetes", "1.99"], 3),
        (["facts", "--surprise"], 2),
        (["facts", "-o", "xml"], 2),
        (["explain"], 2),
        (["lint"], 2),
        (["lint", "-o", "xml", "."], 2),
        (["join", "h", "--kubeconfig", "absent"], 2),
        (["join", "a@b@c"], 2),
        (["join", "h", "--mirror", "x"], 2),
        (["reset", "h"], 2),
        (["nosuch"], 2),
    ],
    ids=lambda value: " ".join(Path(x).name for x in value) if isinstance(value, list) else None,
)
def test_errors(printed, monkeypatch, tmp_path, arguments, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.yaml").touch()
    (tmp_path / "latin.yaml").write_bytes(b"a: \xff\n")
    (tmp_path / "old.yaml").write_text(FLEET.read_text("utf-8").replace("2022", "2019"))
    found, document = printed("error", *arguments)
    assert (found, document["exitCode"]) == (code, code)
    assert document["hint"] or document["mistakes"] or document["refused"]


def test_a_defect(printed, monkeypatch):
    def explode(_args):
        raise RuntimeError("boom")

    monkeypatch.setattr("transom.cli.commands.facts.run", explode)
    assert printed("error", "facts")[0] == 70


def test_nodes(schema):
    joined = JoinResult(
        node="win-01",
        ready=True,
        kubernetes="1.37.1",
        windows="2022",
        runtime="containerd 2.2.1",
        changed=("join",),
        not_applied=(),
        notes=(),
        elapsed_ms=1,
    )
    schema("join-result").validate(encode(joined))
    reset = ResetResult(node="win-01", undone=("join",), node_deleted=True, elapsed_ms=1)
    schema("reset-result").validate(encode(reset))


def test_what_the_node_program_reads_and_writes(schema):
    (fleet,) = read_fleets(FLEET.read_bytes(), name=FLEET.name)
    (recipe,) = resolve(fleet)
    owner = Owner(cluster="", fleet="shop", who="cli")
    secrets = JoinSecrets(endpoint="10.0.0.1:6443", token="a", ca_hashes=())
    request = Request(verb=Verb.JOIN, recipe=recipe, owner=owner, join=secrets)
    schema("request").validate(encode(request))
    event = Event(
        time="2026-01-01T00:00:00Z",
        run="r1",
        seq=1,
        host="win-01",
        step="",
        state=State.STARTED,
        level=Level.INFO,
        message="",
        done=0,
        total=1,
        error="",
    )
    schema("event").validate(encode(event))


def test_every_shipped_schema_belongs_to_a_document_and_each_has_one():
    shipped = {path.name.rpartition("-v")[0] for path in (SOURCE / "schemas").iterdir()}
    assert shipped == {"fleet", *(document.name for document in DOCUMENTS)}


def kinds():
    """Every `kind` that is declared or written where documents are made."""
    folders = ("cli", "documents", "report")
    for path in (path for folder in folders for path in (SOURCE / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.AnnAssign(target=ast.Name(id="kind"), value=ast.Constant(value=kind)):
                    yield kind
                case ast.Assign(targets=[ast.Name(id="KIND")], value=ast.Constant(value=kind)):
                    yield kind
                case ast.Dict(keys=keys, values=values):
                    pairs = zip(keys, values, strict=True)
                    head = {key.value: value for key, value in pairs if type(key) is ast.Constant}
                    # Ours is a constant's name; what is written out is Kubernetes' own, such as a List.
                    ours = isinstance(head.get("apiVersion"), ast.Name)
                    if ours and isinstance(head["kind"], ast.Constant):
                        yield head["kind"].value


def test_every_kind_that_the_command_line_prints_has_a_schema():
    files = (SOURCE / "schemas").iterdir()
    titles = {json.loads(path.read_text("utf-8"))["title"] for path in files}
    found = set(kinds())
    assert found >= {"Error", "Facts", "Findings", "LockReport"}
    assert found <= titles
