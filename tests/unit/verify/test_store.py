"""Results are kept whole or not at all, and never twice."""

import sqlite3

import pytest

from transom.errors import TemporaryError, UsageError
from transom.verify import store as module
from transom.verify.results import Case, Outcome, Results, RunResults, Variant
from transom.verify.store import open_store


def results(build="1", *cases, **more):
    return RunResults(
        **{
            "job": "job", "build": build, "started": int(build), "variant": Variant(kb="KB1"),
            "results": Results.of(cases or (Case("a", Outcome.PASSED, 1500),)), "source": "x", **more,
        }
    )  # fmt: skip


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "results.db"


@pytest.fixture
def store(path):
    with open_store(path, create=True) as opened:
        yield opened


def rows(store):
    runs = store.runs()
    names, columns = store.names(), store.outcomes(runs)
    return {name: bytes(column[at] for column in columns) for at, name in enumerate(names)}


def test_runs_come_back_as_they_were(store, path):
    failed = Case("b", Outcome.FAILED, 7, "no route")
    assert store.add(results("2", Case("a", Outcome.PASSED, 1500), failed))
    assert store.add(results("1", Case("c", Outcome.SKIPPED), Case("a", Outcome.FLAKY, 3, "once")))
    with open_store(path) as again:
        assert [run.build for run in again.runs()] == ["1", "2"]
        assert rows(again) == {"a": b"\3\1", "b": b"\0\2", "c": b"\4\0"}
        first, second = again.runs()
        assert list(again.milliseconds(second)) == [1500, 7]
        assert sorted(again.told([first, second])) == [
            (second.number, 1, "no route"),
            (first.number, 0, "once"),
        ]
        assert first.variant == Variant(kb="KB1")


def test_a_known_run_is_not_kept_twice_and_gives_way_only_when_asked(store):
    assert store.add(results())
    assert not store.add(results("1", Case("a", Outcome.FAILED)))
    assert rows(store) == {"a": b"\1"}
    assert store.add(results("1", Case("a", Outcome.FAILED, 0, "now")), replace=True)
    assert rows(store) == {"a": b"\2"}
    assert [text for _, _, text in store.told(store.runs())] == ["now"]


def test_a_run_that_cannot_be_kept_leaves_nothing(store):
    """A name that no text can be would be an error of ours; the store stays as it was."""
    with pytest.raises(UnicodeEncodeError):
        store.add(results("1", Case("a", Outcome.PASSED), Case("\ud800", Outcome.PASSED)))
    assert (store.runs(), store.names()) == ([], [])
    assert store.add(results())


def test_two_writers_do_not_give_one_number_to_two_tests(store, path):
    with open_store(path) as other:
        assert store.add(results("1", Case("a", Outcome.PASSED)))
        assert other.add(results("2", Case("b", Outcome.FAILED), Case("a", Outcome.PASSED)))
        assert rows(other) == {"a": b"\1\1", "b": b"\0\2"}


def test_a_writer_in_the_way_is_a_reason_to_try_again(store, path, monkeypatch):
    monkeypatch.setattr(module, "_BUSY_S", 0.0)
    with open_store(path) as other:
        store._db.execute("BEGIN IMMEDIATE")
        with pytest.raises(TemporaryError, match="another program is writing"):
            other.add(results())
        store._db.execute("ROLLBACK")


def test_an_absent_store_is_made_only_by_an_import(path):
    with pytest.raises(UsageError, match="no store of results") as error:
        open_store(path)
    assert "verify import" in error.value.hint
    assert not path.exists()


def test_other_files_are_no_store(tmp_path):
    (tmp_path / "text").write_text("hello" * 1000)
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE t (x)")
    other.commit()
    for name, reason in {"text": "cannot open", "other.db": "no store of results"}.items():
        with pytest.raises(UsageError, match=reason):
            open_store(tmp_path / name)


def test_a_store_of_a_newer_release_says_so(store, path):
    store._db.execute("PRAGMA user_version = 9")
    with pytest.raises(UsageError, match="format 9") as error:
        open_store(path)
    assert "newer Transom" in error.value.hint
