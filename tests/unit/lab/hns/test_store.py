"""What is programmed survives the service."""

from transom_lab.hns.store import Kind, Store


def test_state_is_read_back_as_it_was_saved(tmp_path):
    store = Store(tmp_path / "hns.json")
    store.add(Kind.NETWORK, {"Name": "n"}, private={"adapter": "eth0"})
    store.accelerated_network = {"Mode": "x"}
    store.number()
    store.save()
    again = Store(tmp_path / "hns.json")
    assert again.snapshot() == store.snapshot()
    assert again.number() == 2


def test_objects_are_listed_oldest_first():
    store = Store()
    ids = [store.add(Kind.ENDPOINT, {}).id for _ in range(5)]
    assert [entry.id for entry in store.all(Kind.ENDPOINT)] == ids
