"""Services as kube-proxy takes them: whose they are, and which of their endpoints count."""

from datetime import UTC, datetime

from transom.kube.sight import service_sights
from transom.model.sight import ServiceSight

MADE = datetime(2026, 1, 2, tzinfo=UTC)


def service(name, labels=None, **spec):
    made = MADE.strftime("%Y-%m-%dT%H:%M:%SZ")
    metadata = {"namespace": "shop", "name": name, "labels": labels, "creationTimestamp": made}
    return {"kind": "Service", "metadata": metadata, "spec": spec}


def endpoints(name, **ready):
    found = [
        {"addresses": [address.replace("_", ".")[1:]], "conditions": state}
        for address, state in ready.items()
    ]
    labels = {"kubernetes.io/service-name": name}
    metadata = {"namespace": "shop", "name": f"{name}-x", "labels": labels}
    return {"kind": "EndpointSlice", "metadata": metadata, "endpoints": found}


def test_a_service_has_the_endpoints_that_are_ready():
    """Where nothing is said of one, it is ready."""
    slices = [
        endpoints("web", a10_0_0_1={"ready": True}, a10_0_0_2=None),
        endpoints("web", a10_0_0_3={"ready": False}, a10_0_0_4={}),
        endpoints("other", a10_0_0_5=None),
    ]
    found = service_sights(
        [service("web", clusterIP="10.96.0.9", clusterIPs=["10.96.0.9"])], slices
    )
    assert found == (
        ServiceSight(
            namespace="shop",
            name="web",
            addresses=("10.96.0.9",),
            backends=("10.0.0.1", "10.0.0.2", "10.0.0.4"),
            created=int(MADE.timestamp()),
        ),
    )


def test_what_kube_proxy_does_not_serve_on_every_node_is_left_out():
    proxied = {"service.kubernetes.io/service-proxy-name": "mesh"}
    found = service_sights(
        [
            service("headless", clusterIP="None", clusterIPs=["None"]),
            service("named", externalName="a.example", type="ExternalName"),
            service("mesh", labels=proxied, clusterIP="10.96.0.8"),
            service("near", clusterIP="10.96.0.7", internalTrafficPolicy="Local"),
            service("old", clusterIP="10.96.0.6"),
        ],
        [],
    )
    assert [(item.name, item.addresses) for item in found] == [("old", ("10.96.0.6",))]
