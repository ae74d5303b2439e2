"""Reasons that concern the fleet as a whole: address ranges, DNS, names that collide or mean nothing."""

import ipaddress
from collections.abc import Iterator

from transom.facts import rows
from transom.facts.install import ArtifactRow
from transom.facts.join import Limit
from transom.facts.names import netbios_name
from transom.facts.rows import At
from transom.model.fleet import Fleet
from transom.model.problem import Refusal
from transom.recipe.refusals.because import because


def overlapping_ranges(fleet: Fleet) -> Iterator[Refusal]:
    """Ranges of pods and Services that share addresses."""
    named = [("podCIDRs", cidr) for cidr in fleet.network.pod_cidrs]
    named += [("serviceCIDRs", cidr) for cidr in fleet.network.service_cidrs]
    networks = [(key, ipaddress.ip_network(cidr, strict=False)) for key, cidr in named]
    for index, (key, one) in enumerate(networks):
        for other_key, other in networks[index + 1 :]:
            if one.version == other.version and one.overlaps(other):
                yield Refusal(
                    id="overlapping-ranges",
                    subject=f"network.{key}",
                    found=f"{one} overlaps {other} in {other_key}",
                    reason="a packet to an address in both has two places to go",
                    fix="Give pods and Services ranges of their own.",
                    source="kubernetes.io concepts/cluster-administration/networking",
                )


def hosts_inside_ranges(fleet: Fleet) -> Iterator[Refusal]:
    """Hosts whose own address lies in a range of pods or Services."""
    ranges = (*fleet.network.pod_cidrs, *fleet.network.service_cidrs)
    for host in fleet.hosts:
        try:
            address = ipaddress.ip_address(host.address)
        except ValueError:
            continue  # a name: nothing to compare
        for cidr in ranges:
            if address in ipaddress.ip_network(cidr, strict=False):
                yield Refusal(
                    id="overlapping-ranges",
                    subject=f"hosts[{host.name}].address",
                    found=f"{address} lies in {cidr}",
                    reason="the host could not be told from a pod or a Service",
                    fix="Use ranges that no host is in.",
                    source="kubernetes.io concepts/cluster-administration/networking",
                )


def dns_outside_services(fleet: Fleet) -> Iterator[Refusal]:
    """A cluster DNS that is no Service address."""
    services = [ipaddress.ip_network(c, strict=False) for c in fleet.network.service_cidrs]
    for dns in fleet.network.cluster_dns:
        if not any(ipaddress.ip_address(dns) in network for network in services):
            yield Refusal(
                id="dns-outside-services",
                subject="network.clusterDNS",
                found=f"{dns} is in none of {', '.join(fleet.network.service_cidrs)}",
                reason="the cluster's DNS is a Service and has a Service's address",
                fix="Use the ClusterIP of Service kube-dns in kube-system.",
                source="kubernetes/kubernetes@v1.37.1 cmd/kubeadm/app/constants (GetDNSIP)",
            )


def unknown_artifacts(fleet: Fleet) -> Iterator[Refusal]:
    """Overrides and demands for what no host ever gets: a slip of the pen must not weaken them."""
    names = sorted({row.name for row in rows.read(ArtifactRow) if not row.reference})
    wanted = [(f"overrides.{name}", name) for name in fleet.source.overrides]
    wanted += [
        (f"verify[{index}].artifact", entry.artifact)
        for index, entry in enumerate(fleet.source.verify)
    ]
    for key, name in wanted:
        if name not in names:
            yield Refusal(
                id="unknown-artifact",
                subject=f"source.{key}",
                found=name,
                reason="there is no such artifact, so this would be done to nothing",
                fix=f"Artifacts are {', '.join(names)}.",
                source="the artifacts in Transom's facts",
            )


def colliding_names(fleet: Fleet) -> Iterator[Refusal]:
    """Hosts that NetBIOS cannot tell apart."""
    limit = rows.one(Limit, "limit-computer-name", At())
    seen: dict[str, str] = {}
    for host in fleet.hosts:
        short = netbios_name(host.computer_name).lower()
        if short in seen:
            yield because(
                limit,
                f"hosts[{host.name}].name",
                f"{host.name} and {seen[short]} are both {short} to NetBIOS",
                limit.text,
                "Make the first 15 characters differ.",
            )
        seen.setdefault(short, host.name)
