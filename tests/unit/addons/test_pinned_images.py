"""Images of add-ons by the digests of a lock."""

from transom.addons.pinned_images import by_digest
from transom.model.lock import Lock, LockEntry, SumFrom

IMAGE = "registry.corp/base:v1"
MANIFEST = {
    "kind": "DaemonSet",
    "metadata": {"name": "image", "labels": {"image": "registry.corp/other:v1"}},
    "spec": {
        "template": {
            "spec": {"initContainers": [{"image": IMAGE}], "containers": ({"image": "x"},)}
        }
    },
}


def lock(kind="image"):
    entry = LockEntry(
        id=kind, version=IMAGE, url="u", sha256="a" * 64, size=1, sum_from=SumFrom.FIRST_USE
    )
    return Lock((entry,))


def test_an_image_of_the_lock_is_named_by_its_digest_and_nothing_else_changes():
    (found,) = by_digest([MANIFEST], lock())
    spec = found["spec"]["template"]["spec"]
    assert spec["initContainers"] == [{"image": f"{IMAGE}@sha256:{'a' * 64}"}]
    assert spec["containers"] == [{"image": "x"}]
    assert found["metadata"] == MANIFEST["metadata"]


def test_only_images_are_images():
    assert IMAGE in str(by_digest([MANIFEST], lock("kubelet")))
    assert "sha256" not in str(by_digest([MANIFEST], lock("kubelet")))
