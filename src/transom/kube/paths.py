"""Where a server keeps things: paths and parameters of groups, kinds and objects. Pure."""

from urllib.parse import quote

from transom.errors import InternalError, UsageError
from transom.kube.door import Resource, Selection
from transom.model.manifest import ObjectName


def selecting(selection: Selection) -> list[tuple[str, str]]:
    """The parameters that select among the objects of a kind."""
    return [
        (name, ",".join(f"{key}={value}" for key, value in wanted.items()))
        for name, wanted in (
            ("labelSelector", selection.labels),
            ("fieldSelector", selection.fields),
        )
        if wanted
    ]


def base(version: str) -> str:
    """Where a group in a version stands."""
    return f"/apis/{version}" if "/" in version else f"/api/{version}"


def place_of(resource: Resource, selection: Selection) -> str:
    """Where the objects of a kind stand."""
    inside = resource.namespaced and selection.namespace
    space = f"/namespaces/{_word(selection.namespace)}" if inside else ""
    return f"{base(resource.api_version)}{space}/{resource.plural}"


def path_of(resource: Resource, name: ObjectName, subresource: str = "") -> str:
    """Where an object stands, or a subresource of it."""
    if resource.namespaced and not name.namespace:
        raise InternalError(f"{name} is in no namespace", subject=str(name))
    place = place_of(resource, Selection(namespace=name.namespace))
    below = f"/{subresource}" if subresource else ""
    return f"{place}/{_word(name.name)}{below}"


def _word(text: str) -> str:
    """A name as a part of a path; no object has one that would lead elsewhere."""
    if text in ("", ".", ".."):
        raise UsageError(f"{text!r} is no name of an object", subject=text)
    return quote(text, safe=":")
