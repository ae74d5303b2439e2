"""What every lister of a cluster promises; run on the twin here and on a real server in the lab."""

from transom.kube.listing import Lister


async def lists_what_is_there(lister: Lister, *, version: str, namespace: str) -> None:
    """Walk through every call; `namespace` holds exactly one Service called web."""
    assert await lister.version() == version
    assert await lister.resources(["NoSuchKind"]) == []
    (services,) = await lister.resources(["Service"])
    assert services.api_version == "v1"
    assert services.namespaced
    inside = [item async for item in lister.objects(services, namespace=namespace)]
    assert [(item["kind"], item["metadata"]["name"]) for item in inside] == [("Service", "web")]
    everywhere = [item async for item in lister.objects(services)]
    assert "web" in {item["metadata"]["name"] for item in everywhere}
    (namespaces,) = await lister.resources(["Namespace"])
    assert not namespaces.namespaced
    names = {item["metadata"]["name"] async for item in lister.objects(namespaces)}
    assert namespace in names
