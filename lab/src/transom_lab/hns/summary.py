"""What is programmed in an HNS, one line per thing, for people and for tests that wait for it."""

from collections.abc import Iterator

from transom_lab.hns.schema import is_remote, subnets
from transom_lab.hns.store import Json, Kind


def summary(state: Json) -> list[str]:
    """Networks with their policies, endpoints and load balancers of a `Store.snapshot`."""
    shown = ((Kind.NETWORK, _network), (Kind.ENDPOINT, _endpoint), (Kind.LOAD_BALANCER, _balancer))
    return [
        line
        for kind, lines in shown
        for entry in state["objects"][kind].values()
        for line in lines(entry["document"], entry["private"])
    ]


def _network(document: Json, private: Json) -> Iterator[str]:
    prefixes = ",".join(subnet["IpAddressPrefix"] for subnet in subnets(document))
    yield (
        f"network {document['Name']} {document['Type']} {prefixes} "
        f"management={private.get('management', '')} drmac={private.get('dr_mac', '')} "
        f"flags={document.get('Flags', 0)}"
    )
    for policy in document["Policies"]:
        settings = policy.get("Settings") or {}
        text = " ".join(f"{key}={value}" for key, value in sorted(settings.items()))
        yield f"  policy {policy['Type']} {text}".rstrip()


def _endpoint(document: Json, private: Json) -> Iterator[str]:
    addresses = ",".join(c["IpAddress"] for c in document["IpConfigurations"])
    provider = ",".join(
        str((policy.get("Settings") or {}).get("ProviderAddress"))
        for policy in document["Policies"]
        if policy["Type"] == "ProviderAddress"
    )
    yield (
        f"endpoint {document['ID'][:8]} {addresses} {document['MacAddress']} "
        f"{'remote' if is_remote(document) else 'local'} provider={provider} "
        f"name={document.get('Name', '')} interface={private.get('interface', '')} "
        f"namespace={(document.get('HostComputeNamespace') or '')[:8]}"
    )


def _balancer(document: Json, _: Json) -> Iterator[str]:
    vips = ",".join(document.get("FrontendVIPs") or [])
    targets = ",".join(target[:8] for target in document.get("HostComputeEndpoints") or [])
    for mapping in document["PortMappings"]:
        ports = f"{mapping.get('ExternalPort')}->{mapping.get('InternalPort')}"
        yield (
            f"balancer {document['ID'][:8]} vip={vips} protocol={mapping.get('Protocol')} {ports} "
            f"sourcevip={document.get('SourceVIP', '')} flags={document.get('Flags', 0)} "
            f"mappingflags={mapping.get('Flags', 0)} "
            f"distribution={mapping.get('DistributionType', 0)} endpoints={targets}"
        )
