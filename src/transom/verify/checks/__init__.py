"""Every check, by suite: one file each. A check that is not in `CHECKS` is not run."""

from transom.errors import UsageError
from transom.verify.check import Check, Suite
from transom.verify.checks.network import (
    across_nodes,
    across_systems,
    cluster_dns,
    dns_through_cni,
    egress,
    node_to_pod_http,
    node_to_pod_udp,
    pod_to_pod_http,
    pod_to_pod_udp,
    service_cluster_ip,
    service_load_balancer,
    service_node_port,
    within_pod_http,
    within_pod_udp,
)
from transom.verify.checks.readiness import (
    enforce_node_allocatable,
    image_match,
    image_pull,
    metrics,
    node_ready,
    node_reserves,
    node_stats,
    pod_stats,
)
from transom.verify.checks.scale import density, kube_proxy_many_endpoints, start_up
from transom.verify.checks.storage import (
    config_map,
    empty_dir,
    host_path,
    mounted_update,
    secret,
)
from transom.verify.checks.workload import (
    exec_,
    gmsa,
    graceful_shutdown,
    host_process,
    hyperv_isolation,
    logs,
    memory_limit,
    port_forward,
    probes,
    reboot,
    user_name,
    user_sid,
)

CHECKS: tuple[Check, ...] = (
    enforce_node_allocatable.CHECK,
    image_match.CHECK,
    image_pull.CHECK,
    metrics.CHECK,
    node_ready.CHECK,
    node_reserves.CHECK,
    node_stats.CHECK,
    pod_stats.CHECK,
    across_nodes.CHECK,
    across_systems.CHECK,
    cluster_dns.CHECK,
    dns_through_cni.CHECK,
    egress.CHECK,
    node_to_pod_http.CHECK,
    node_to_pod_udp.CHECK,
    pod_to_pod_http.CHECK,
    pod_to_pod_udp.CHECK,
    service_cluster_ip.CHECK,
    service_load_balancer.CHECK,
    service_node_port.CHECK,
    within_pod_http.CHECK,
    within_pod_udp.CHECK,
    config_map.CHECK,
    empty_dir.CHECK,
    host_path.CHECK,
    mounted_update.CHECK,
    secret.CHECK,
    exec_.CHECK,
    gmsa.CHECK,
    graceful_shutdown.CHECK,
    host_process.CHECK,
    hyperv_isolation.CHECK,
    logs.CHECK,
    memory_limit.CHECK,
    port_forward.CHECK,
    probes.CHECK,
    reboot.CHECK,
    user_name.CHECK,
    user_sid.CHECK,
    density.CHECK,
    kube_proxy_many_endpoints.CHECK,
    start_up.CHECK,
)


def chosen(suites: tuple[str, ...] = (), names: tuple[str, ...] = ()) -> tuple[Check, ...]:
    """The checks of some suites, or of some names, or all; a name that no check has is a mistake."""
    known = {check.name: check for check in CHECKS}
    wrong = [name for name in names if name not in known]
    if wrong:
        raise UsageError(
            f"there is no check {', '.join(wrong)}",
            subject="--check",
            hint=f"known are {', '.join(known)}",
        )
    wanted = {Suite(suite) for suite in suites}
    return tuple(
        check
        for check in CHECKS
        if (not wanted and not names) or check.suite in wanted or check.name in names
    )
