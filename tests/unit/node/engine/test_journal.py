"""The journal survives a cut at any byte and tells a torn tail from damage."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom import __version__
from transom.errors import PermanentError, UsageError
from transom.model.api_versions import KINDS
from transom.model.codec import encode
from transom.model.journal import Intent, Owner, Receipt
from transom.node.engine.journal import Journal, _line
from transom.testing.faults import Fault
from transom.testing.simulated_host import SimulatedHost

PATH = r"C:\journal"
OWNER = Owner(cluster="", fleet="shop", who="cli")

intents = st.builds(
    Intent,
    step=st.sampled_from(["files", "services"]),
    act=st.just("file"),
    subject=st.text(),
    before=st.none() | st.dictionaries(st.text(), st.text() | st.integers() | st.booleans()),
)


changes_made = st.tuples(
    st.sampled_from(["file", "service-state", "service"]),
    st.sampled_from(["a", "A", "b", "c"]),
    st.booleans(),
)


def opened(host):
    journal = Journal.open(host.disk, PATH)
    assert journal is not None
    return journal


def written(entries):
    host = SimulatedHost()
    journal = Journal.create(host.disk, PATH, OWNER)
    lengths = [len(host.disk.read(PATH))]
    for entry in entries:
        journal.intend(entry)
        lengths.append(len(host.disk.read(PATH)))
    return host, journal, lengths


@given(st.lists(intents, max_size=5))
def test_what_was_appended_is_read_back(entries):
    host, journal, _ = written(entries)
    assert opened(host).contents == journal.contents
    assert list(journal.contents.intents) == entries


@settings(max_examples=30)
@given(st.lists(intents, min_size=1, max_size=3), st.data())
def test_a_cut_at_any_byte_loses_only_the_record_it_tore(entries, data):
    host, _, lengths = written(entries)
    whole = host.disk.read(PATH)
    cut = data.draw(st.integers(0, len(whole)))
    host.disk.create(PATH)
    host.disk.append(PATH, whole[:cut])
    kept = sum(1 for length in lengths if length <= cut)
    if kept == 0:
        assert Journal.look(host.disk, PATH) is None
        assert Journal.open(host.disk, PATH) is None
        return
    torn = host.disk.read(PATH)
    looked = Journal.look(host.disk, PATH)
    assert host.disk.read(PATH) == torn
    journal = opened(host)
    assert looked == journal.contents
    assert list(journal.contents.intents) == entries[: kept - 1]
    journal.intend(entries[0])
    assert list(opened(host).contents.intents) == [
        *entries[: kept - 1],
        entries[0],
    ]


@given(st.lists(intents, min_size=2, max_size=3), st.data())
def test_a_changed_byte_before_the_last_record_is_refused(entries, data):
    host, _, lengths = written(entries)
    whole = bytearray(host.disk.read(PATH))
    at = data.draw(st.integers(0, lengths[-2] - 2))
    whole[at] ^= 1
    host.disk.create(PATH)
    host.disk.append(PATH, bytes(whole))
    with pytest.raises(PermanentError, match="is damaged in line"):
        Journal.open(host.disk, PATH)


def test_undoing_takes_intents_off_the_end_and_is_remembered():
    entries = [Intent(step, "file", str(n), None) for n, step in enumerate("aabba")]
    host, journal, _ = written(entries)
    journal.settle()
    last = journal.contents.last_receipt(after=0)
    assert last == Receipt("a", (entries[4],))
    journal.pop(last)
    again = opened(host).contents
    assert again == journal.contents
    assert again.intents == tuple(entries[:4])
    assert again.settled == 4
    assert again.last_receipt(after=3) == Receipt("b", (entries[3],))
    assert again.last_receipt(after=4) is None


def test_settling_twice_writes_once():
    host, journal, lengths = written([])
    journal.settle()
    assert len(host.disk.read(PATH)) == lengths[-1]


def test_a_record_of_a_newer_version_is_refused_and_not_guessed_at():
    host, journal, _ = written([])
    journal._append({"record": "teleported"})
    with pytest.raises(UsageError, match="'teleported' this version does not know"):
        Journal.open(host.disk, PATH)


def test_a_host_without_a_journal_has_none():
    assert Journal.open(SimulatedHost().disk, PATH) is None


@given(st.lists(changes_made, max_size=30))
def test_a_condensed_journal_is_read_back_and_takes_things_to_the_same_place(changes):
    """Of every thing the oldest record stays, in order; settled, and never longer than before."""
    host = SimulatedHost()
    journal = Journal.create(host.disk, PATH, OWNER)
    for step, (act, subject, running) in enumerate(changes):
        before = {"running": running, "number": step}
        journal.intend(Intent(f"step{step}", act, subject, before))
    journal.settle()
    whole = journal.contents.intents
    journal.condense()
    again = opened(host)
    assert again.contents == journal.contents
    assert again.contents.settled == len(again.contents.intents) <= len(whole)
    assert oldest(again.contents.intents) == oldest(whole)
    size = len(host.disk.read(PATH))
    again.condense()
    assert len(host.disk.read(PATH)) == size
    again.intend(Intent("later", "file", "x", None))
    assert opened(host).contents == again.contents


def oldest(intents):
    """What was there before anything, by thing."""
    return {(i.act, i.subject.lower()): i.before for i in reversed(intents)}


@pytest.mark.parametrize("call", [1, 2], ids=["nothing was written", "all was written"])
def test_a_journal_goes_on_after_an_append_that_failed(call):
    """A full disk fails the append or the flush after it; what follows must not look like damage."""
    first, second, third = (Intent("files", "file", name, None) for name in "abc")
    host, journal, _ = written([first])
    host.calls.inject(Fault.ERROR, at=call)
    with pytest.raises(PermanentError, match="injected"):
        journal.intend(second)
    host.calls.clear()
    journal.intend(third)
    assert opened(host).contents == journal.contents
    assert [item.subject for item in journal.contents.intents] == (
        ["a", "c"] if call == 1 else ["a", "b", "c"]
    )


def test_a_journal_says_its_version_and_who_wrote_it():
    host, _, _ = written([])
    header = json.loads(host.disk.read(PATH).partition(b" ")[2])
    assert header["apiVersion"] == KINDS["Journal"].written
    assert header["transom"] == __version__


def of_version(version, **more):
    """A host whose journal says that it is of a version, with sums that are right."""
    header = {"apiVersion": version, "kind": "Journal", "record": "owner", **more}
    line, _ = _line("", header | {"owner": encode(OWNER)})
    host = SimulatedHost()
    host.disk.create(PATH)
    host.disk.append(PATH, line)
    return host


def test_a_journal_of_the_first_version_is_read():
    host = of_version("transom.dev/v1alpha1")
    assert opened(host).contents.owner == OWNER


@pytest.mark.parametrize("look", [Journal.open, Journal.look])
def test_a_newer_journal_is_neither_read_nor_changed(look):
    host = of_version("node.transom.dev/v1beta1", transom="0.7.2")
    before = host.disk.read(PATH)
    with pytest.raises(UsageError) as caught:
        look(host.disk, PATH)
    assert caught.value.message == (
        rf"the journal {PATH} was written by a newer Transom (node.transom.dev/v1beta1); "
        "this one reads node.transom.dev/v1alpha1 and transom.dev/v1alpha1; "
        "install Transom 0.7.2 or newer"
    )
    assert host.disk.read(PATH) == before
