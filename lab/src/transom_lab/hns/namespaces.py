"""Namespaces: the compartments that endpoints of pods are put into."""

from transom_lab.hns.errors import Code, HnsFailureError
from transom_lab.hns.store import SCHEMA_V2, Entry, Json, Kind, Store

HOST_DEFAULT = "HostDefault"


class Namespaces:
    """Makes and fills namespaces in a store; the host's own always exists."""

    def __init__(self, store: Store) -> None:
        self._store = store
        if not any(n.document["Type"] == HOST_DEFAULT for n in store.all(Kind.NAMESPACE)):
            document = {"Type": HOST_DEFAULT, "NamespaceId": 1, "SchemaVersion": SCHEMA_V2}
            store.add(Kind.NAMESPACE, {**document, "Resources": []})

    def create(self, document: Json, wanted: str = "") -> Entry:
        """Store a namespace and give it its number."""
        number = document.get("NamespaceId") or self._store.number() + 1
        made = {
            **document,
            "Type": document.get("Type") or "Host",
            "NamespaceId": number,
            "Resources": [],
        }
        return self._store.add(Kind.NAMESPACE, made, wanted=wanted)

    def modify(self, namespace: Entry, request: Json) -> None:
        """Put an endpoint into a namespace or take it out."""
        if request.get("ResourceType") != "Endpoint":
            raise HnsFailureError(Code.UNSUPPORTED)
        settings = request.get("Settings") or {}
        endpoint = self._store.get(Kind.ENDPOINT, settings.get("EndpointId") or "")
        resource = {"Type": "Endpoint", "Data": {"Id": endpoint.id}}
        resources = namespace.document["Resources"]
        if request.get("RequestType") == "Add":
            if endpoint.document.get("HostComputeNamespace"):
                raise HnsFailureError(Code.IN_A_NAMESPACE)
            resources.append(resource)
            endpoint.document["HostComputeNamespace"] = namespace.id
        elif resource in resources:
            resources.remove(resource)
            endpoint.document.pop("HostComputeNamespace", None)
        else:
            raise HnsFailureError(Code.NOT_FOUND)

    def delete(self, namespace: Entry) -> None:
        """Remove a namespace; its endpoints live on outside it."""
        for endpoint in self._store.all(Kind.ENDPOINT):
            if endpoint.document.get("HostComputeNamespace") == namespace.id:
                del endpoint.document["HostComputeNamespace"]
        self._store.remove(Kind.NAMESPACE, namespace)
