"""`transom.lock` says the same to everybody: sorted, stable, and every mistake with its line."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.errors import InvalidDocument
from transom.model.lock import Default, FleetSection, Lock, LockEntry, SumFrom
from transom.recipe.lock_document import read_lock, write_lock

KUBELET = LockEntry(
    id="kubelet",
    version="1.37.1",
    url="https://dl.example/kubelet.exe",
    sha256="a" * 64,
    size=52_000_000,
    sum_from=SumFrom.PUBLISHED,
    sum_url="https://dl.example/kubelet.exe.sha256",
)
FLANNEL = LockEntry(
    id="flannel",
    version="0.28.0",
    url=r"file:D:\our \"own\"\flanneld.exe",
    sha256="b" * 64,
    size=0,
    sum_from=SumFrom.FIRST_USE,
)
TEXT = rf"""# The exact bytes this fleet installs. Written by `transom lock`; commit it beside the fleet.
# Change it with `transom lock --update [NAME]`, never by hand.

apiVersion = "transom.dev/v1alpha2"
kind = "Lock"

[[artifact]]
id = "flannel"
version = "0.28.0"
url = "file:D:\\our \\\"own\\\"\\flanneld.exe"
sha256 = "{"b" * 64}"
size = 0
sumFrom = "first-use"

[[artifact]]
id = "kubelet"
version = "1.37.1"
url = "https://dl.example/kubelet.exe"
sha256 = "{"a" * 64}"
size = 52000000
sumFrom = "published"
sumUrl = "https://dl.example/kubelet.exe.sha256"
"""

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
entries = st.builds(
    LockEntry,
    id=texts,
    version=texts,
    url=st.builds("file:{}".format, texts),
    sha256=st.text("0123456789abcdef", min_size=64, max_size=64),
    size=st.integers(0, 2**62),
    sum_from=st.sampled_from([SumFrom.OVERRIDE, SumFrom.FIRST_USE]),
)
locks = st.builds(Lock, st.lists(entries, max_size=6).map(tuple))


def mistakes(text):
    with pytest.raises(InvalidDocument) as caught:
        read_lock(text, file="transom.lock")
    return [(mistake.line, mistake.path, mistake.message) for mistake in caught.value.mistakes]


def test_a_lock_is_written_sorted_and_plain():
    assert write_lock(Lock((KUBELET, FLANNEL))) == TEXT


def test_what_was_written_is_read():
    assert read_lock(TEXT, file="transom.lock") == Lock((FLANNEL, KUBELET))


@given(locks)
def test_every_lock_survives_the_round_trip(lock):
    assert read_lock(write_lock(lock), file="transom.lock") == lock


@given(locks.flatmap(lambda lock: st.tuples(st.just(lock), st.permutations(lock.entries))))
def test_the_order_of_entries_does_not_change_the_text(pair):
    lock, shuffled = pair
    assert write_lock(Lock(tuple(shuffled))) == write_lock(lock)


@given(st.integers(0, len(TEXT)), st.integers(0, 40), st.text(max_size=20))
def test_a_damaged_lock_is_read_or_refused_with_its_mistakes(start, length, damage):
    with suppress(InvalidDocument):
        read = read_lock(TEXT[:start] + damage + TEXT[start + length :], file="transom.lock")
        assert len(read.entries) <= 2


@pytest.mark.parametrize(
    ("old", "new", "line", "path", "said"),
    [
        ("/v1alpha2", "/v0", 4, "apiVersion", "and is 'transom.dev/v0'"),
        ("/v1alpha2", "/v2", 4, "apiVersion", "written by a newer Transom (transom.dev/v2)"),
        ('kind = "Lock"', "", 1, "kind", "and is missing"),
        ('kind = "Lock"', 'kind = "Lock"\nextra = 1', 6, "extra", "unknown key extra"),
        ("size = 0", "size = -1", 12, "artifact[0].size", "not be negative"),
        ("size = 0", 'size = "0"', 12, "artifact[0].size", "a whole number, not str"),
        ("size = 0", "size = true", 12, "artifact[0].size", "a whole number, not bool"),
        ("size = 0", "", 7, "artifact[0].size", "size is missing"),
        ("a" * 64, "A" * 64, 19, "artifact[1].sha256", "64 lower-case"),
        ('"1.37.1"', '""', 17, "artifact[1].version", "version is empty"),
        ('"first-use"', '"hearsay"', 13, "artifact[0].sumFrom", "not 'hearsay'"),
        ("sumUrl", "sumURL", 15, "artifact[1].sumUrl", "sumUrl is missing"),
        ("sumUrl", "sumURL", 22, "artifact[1].sumURL", "unknown key sumURL"),
        ('"file:D', '"http://D', 10, "artifact[0].url", "begin with https:// or file:"),
        ("https://dl", "https://me:pw@dl", 18, "artifact[1].url", "carries credentials"),
        ("https://dl", "https://[dl", 18, "artifact[1].url", "is not a URL"),
        ("kubelet.exe.sha256", "k?sig=abc", 22, "artifact[1].sumUrl", "carries credentials"),
    ],
)
def test_a_mistake_is_told_with_its_line(old, new, line, path, said):
    found = mistakes(TEXT.replace(old, new, 1) if "sha256" not in old else TEXT.replace(old, new))
    assert [(n, p) for n, p, message in found if said in message] == [(line, path)]


def test_all_mistakes_are_told_at_once():
    text = TEXT.replace("size = 0", "size = -1").replace("a" * 64, "short").replace("Lock", "Key")
    assert [line for line, _, _ in mistakes(text)] == [5, 12, 19]


def test_an_entry_written_twice_is_told_with_both_places():
    twice = TEXT + TEXT[TEXT.rindex("[[artifact]]") :]
    assert mistakes(twice) == [
        (23, "artifact", "kubelet 1.37.1 has an entry for the same url at line 15")
    ]


@pytest.mark.parametrize("text", ["artifact = 1", "artifact = [1]", "[artifact]\nid = 'x'"])
def test_artifacts_that_are_no_tables_are_mistakes(text):
    assert any(path.startswith("artifact") for _, path, _ in mistakes(text))


def test_a_merge_conflict_is_called_by_its_name():
    text = TEXT.replace("size = 0", "<<<<<<< ours\nsize = 0\n=======\nsize = 1\n>>>>>>> theirs")
    assert mistakes(text) == [(12, "", "an unresolved merge conflict")]


@pytest.mark.parametrize(("text", "line"), [("kind = \n", 1), ("\n\nid == 1", 3), ('kind = "x', 1)])
def test_what_is_not_toml_is_told_with_its_line(text, line):
    ((found, _, message),) = mistakes(text)
    assert found == line
    assert message.startswith("not TOML: ")
    assert "(at" not in message


def test_the_example_in_the_documentation_is_a_lock():
    page = (Path(__file__).parents[3] / "docs/lock.md").read_text("utf-8")
    example = page.partition("```toml\n")[2].partition("```")[0]
    lock = read_lock(example, file="docs/lock.md")
    assert write_lock(lock).endswith(example)


SECTIONS = Lock(
    (KUBELET,),
    (
        FleetSection(
            "shop",
            (
                Default("containerd", "2.3.7", "version-containerd"),
                Default("network-vni", "4096", "mode-flannel-overlay", "1.37"),
            ),
            ("https://dl.example/kubelet.exe",),
        ),
        FleetSection("till"),
    ),
)


def test_each_fleet_has_a_section_of_its_own():
    text = write_lock(SECTIONS)
    assert read_lock(text, file="transom.lock") == SECTIONS
    assert (
        """\
[[fleet]]
name = "shop"
artifacts = [
  "https://dl.example/kubelet.exe",
]

[[fleet.default]]
name = "containerd"
value = "2.3.7"
why = "version-containerd"
"""
        in text
    )


def test_a_lock_without_sections_as_it_was_first_written_is_read():
    text = TEXT.replace("/v1alpha2", "/v1alpha1")
    assert read_lock(text, file="transom.lock") == Lock((KUBELET, FLANNEL))


@pytest.mark.parametrize(
    ("old", "new", "path", "said"),
    [
        ('name = "shop"', "", "fleet[0].name", "name must be the name of a fleet"),
        ('name = "till"', 'name = "shop"', "fleet[1].name", "has a section already"),
        ('name = "till"', 'name = "till"\nhosts = 3', "fleet[1].hosts", "unknown key hosts"),
        ('value = "2.3.7"', "", "fleet[0].default[0]", "a default has name, value, why"),
        ('value = "2.3.7"', "value = 2", "fleet[0].default[0]", "texts without spaces"),
        ('value = "2.3.7"', 'value = "2.3.7 & calc"', "fleet[0].default[0]", "without spaces"),
        ('kubernetes = "1.37"', 'kubernetes = "1"', "fleet[0].default[1]", "such as 1.37"),
        ('name = "till"', 'name = "till"\nartifacts = 1', "fleet[1].artifacts", "a list"),
        ('name = "till"', 'name = "till"\ndefault = 1', "fleet[1].default", "a list of tables"),
    ],
)
def test_a_mistake_in_a_section_is_told_at_its_fleet(old, new, path, said):
    text = write_lock(SECTIONS).replace(old, new)
    with pytest.raises(InvalidDocument) as caught:
        read_lock(text, file="transom.lock")
    (mistake,) = caught.value.mistakes
    assert mistake.path == path
    assert said in mistake.message
    assert text.splitlines()[mistake.line - 1] == "[[fleet]]"


@pytest.mark.parametrize("fleet", ["fleet = 1", "fleet = [1]"])
def test_sections_that_are_no_tables_are_a_mistake(fleet):
    text = f'apiVersion = "transom.dev/v1alpha2"\nkind = "Lock"\n{fleet}\n'
    with pytest.raises(InvalidDocument):
        read_lock(text, file="transom.lock")
