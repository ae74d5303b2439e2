"""What every door to a cluster's objects promises; run on the twin here and on a real server in the lab."""

import pytest

from transom.errors import PermanentError
from transom.kube.objects import Objects
from transom.model.manifest import ObjectName, name_of

SPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "contract"}}


def config_map(**data: str):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "words", "namespace": "contract", "labels": {"of": "contract"}},
        "data": data,
    }


# Somebody else made this one before, with {"mine": "1", "shared": "theirs"}.
FOREIGN = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "foreign", "namespace": "default"},
    "data": {"mine": "1", "shared": "theirs"},
}


async def keeps_its_promises(objects: Objects) -> None:
    """Walk through every call."""
    words = name_of(config_map())
    assert await objects.serves("v1", "ConfigMap")
    assert not await objects.serves("nobody.example/v1", "Nothing")
    assert await objects.list("nobody.example/v1", "Nothing") == ()
    assert await objects.get(words) is None
    assert await objects.delete(words) is False
    with pytest.raises(PermanentError, match='namespaces "contract" not found'):
        await objects.apply(config_map(a="1"))
    with pytest.raises(PermanentError, match="no kind Nothing"):
        await objects.apply({**SPACE, "apiVersion": "nobody.example/v1", "kind": "Nothing"})

    await objects.apply(SPACE)
    assert await objects.get(words) is None
    await objects.apply(config_map(a="1"), dry_run=True)
    assert await objects.get(words) is None

    first = await objects.apply(config_map(a="1", b="2"))
    again = await objects.apply(config_map(a="1", b="2"))
    assert first["metadata"]["resourceVersion"] == again["metadata"]["resourceVersion"]
    dropped = await objects.apply(config_map(a="3"), dry_run=True)
    assert dropped["data"] == {"a": "3"}
    kept = await objects.get(words)
    assert kept is not None
    assert kept["data"] == {"a": "1", "b": "2"}
    changed = await objects.apply(config_map(a="3"))
    assert changed["data"] == {"a": "3"}

    listed = await objects.list("v1", "ConfigMap", labels={"of": "contract"})
    assert [item["metadata"]["name"] for item in listed] == ["words"]
    assert {(item["apiVersion"], item["kind"]) for item in listed} == {("v1", "ConfigMap")}
    assert await objects.list("v1", "ConfigMap", labels={"of": "nobody"}) == ()

    ours = {**FOREIGN, "data": {"shared": "ours"}}
    with pytest.raises(PermanentError, match="Apply failed with 1 conflict"):
        await objects.apply(ours)
    taken = await objects.apply(ours, force=True)
    assert taken["data"] == {"mine": "1", "shared": "ours"}

    assert await objects.delete(words) is True
    assert await objects.get(words) is None
    await objects.delete(ObjectName("v1", "Namespace", "", "contract"))
