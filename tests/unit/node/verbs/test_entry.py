"""A run that a person starts on the host: from files, with the token from a prompt or kubeadm's file."""

import io
import json
from dataclasses import replace

import pytest
from tests.support.node_verbs_boot import CONFIGURATION, TOKEN

from transom.model.codec import encode
from transom.model.entry import BroughtFile, NodeEntry
from transom.model.journal import Owner
from transom.model.request import Verb
from transom.model.sddl import ADMINISTRATORS_ONLY
from transom.node.engine.journal import Journal
from transom.node.layout import Layout
from transom.node.verbs.program import main

PIN = "sha256:" + "a" * 64
FOLDER = r"C:\site"
FILES = ("--recipe", FOLDER + r"\recipe.json", "--entry", FOLDER + r"\node.json")
_FILE = BroughtFile(file="f", url="", sha256="0" * 64)
ENTRY = NodeEntry(
    python=_FILE,
    program=_FILE,
    owner=Owner(cluster="", fleet="shop", who="script"),
    endpoint="10.0.0.4:6443",
    ca_hashes=(PIN,),
)


@pytest.fixture
def site(make_host, recipe):
    """Give a function that runs a verb in words on a host that has the folder."""
    host = make_host()
    host.files.make_directory(FOLDER)
    host.files.write(FILES[1], json.dumps(encode(recipe)).encode())
    host.files.write(FILES[3], json.dumps(encode(ENTRY)).encode())

    runs = iter("abc")

    def run(*argv, stdin=""):
        out = io.StringIO()
        words = (*argv, "--foreground", "--run", next(runs), "-o", "text")
        code = main(words, machine=host, stdin=io.StringIO(stdin), stdout=out)
        return code, out.getvalue()

    run.host = host  # type: ignore[attr-defined]
    return run


def test_prepare_and_then_join_with_a_token_that_is_shown_nowhere(site):
    code, said = site("prepare", *FILES, "--kubernetes-version", "v1.37.1", "--hostname", "WIN-01")
    assert code == 0
    assert "win-01: prepare done" in said
    code, again = site("prepare", *FILES)
    assert (code, "changed" in again.replace("unchanged", "")) == (0, False)
    code, joined = site("join", *FILES, stdin=f"\ufeff{TOKEN}\r\n")
    assert code == 0, joined
    assert "win-01: join done" in joined
    assert TOKEN not in said + joined
    assert PIN.encode() in site.host.disk.read(Layout().journal)


def test_a_join_configuration_is_closed_and_read_and_left(site):
    path = FOLDER + r"\join.yaml"
    site.host.files.write(path, CONFIGURATION.encode())
    code, said = site("join", *FILES, "--join-config", path)
    assert code == 0, said
    assert TOKEN not in said
    assert site.host.files.acl(path) == ADMINISTRATORS_ONLY


@pytest.mark.parametrize("known", [True, False], ids=["listed second", "gone"])
def test_the_journal_names_an_authority_that_the_join_configuration_pins(site, known):
    first, other = "sha256:" + "b" * 64, "sha256:" + "c" * 64
    pins = [first, other]
    owner = replace(ENTRY.owner, cluster=other if known else PIN)
    site.host.files.write(FILES[3], json.dumps(encode(replace(ENTRY, owner=owner))).encode())
    path = FOLDER + r"\join.yaml"
    listed = "\n    - ".join(pins)
    text = CONFIGURATION.replace(PIN, listed)
    site.host.files.write(path, text.encode())
    code, said = site("join", *FILES, "--join-config", path)
    assert code == 0, said
    journal = Journal.look(site.host.disk, Layout().journal)
    assert journal is not None
    assert journal.owner.cluster == (other if known else first)


def test_every_disagreement_with_the_recipe_is_told_and_nothing_is_touched(site):
    before = site.host.snapshot()
    code, said = site("prepare", *FILES, "--kubernetes-version", "1.30.0", "--hostname", "other")
    assert code == 2
    assert "1.30.0 is asked for, the recipe is for 1.37.1" in said
    assert "other is asked for, the recipe is for win-01" in said
    assert site.host.snapshot() == before


@pytest.mark.parametrize(
    ("argv", "stdin", "complaint"),
    [
        (("prepare", *FILES[:2]), "", "belong together"),
        (("prepare", *FILES[:3], r"C:\none.json"), "", r"there is no C:\none.json"),
        (("prepare", *FILES[:3], FILES[1]), "", "mistake"),
        (("join", *FILES), "no token\n", "no bootstrap token"),
        (("join", *FILES, "--join-config", r"C:\none"), "", r"there is no C:\none"),
    ],
)
def test_what_cannot_be_used_is_a_mistake_told_in_words(site, argv, stdin, complaint):
    code, said = site(*argv, stdin=stdin)
    assert code == 2
    assert said.startswith("error: ")
    assert complaint in said
    assert stdin.strip() not in said or not stdin


def test_a_document_of_another_kind_is_refused(site):
    site.host.files.write(FILES[3], json.dumps(encode(ENTRY) | {"kind": "Other"}).encode())
    code, said = site("prepare", *FILES)
    assert code == 2
    assert "NodeEntry is a node.transom.dev/v1alpha1 Other, not a NodeEntry" in said


def test_a_token_alone_needs_to_know_where_to_join(site):
    lost = encode(ENTRY) | {"endpoint": "", "caHashes": []}
    site.host.files.write(FILES[3], json.dumps(lost).encode())
    code, said = site("join", *FILES, stdin=TOKEN)
    assert code == 2
    assert "--join-config" in said


def test_what_stands_in_the_way_and_a_restart_are_told_in_words(site):
    site.host.system.admin = False
    code, said = site("prepare", *FILES)
    assert code == 3
    assert "next: Start again as administrator." in said
    site.host.system.admin = True
    site.host.features.need_reboot.add("Containers")
    code, said = site("prepare", *FILES)
    assert code == 4
    assert "restarted first" in said


def test_a_request_on_standard_input_goes_its_old_way(site, request_for):
    code, said = site("prepare", stdin=json.dumps(encode(request_for(Verb.PREPARE))))
    assert code == 0
    assert "prepare done" in said
