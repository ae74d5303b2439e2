"""What Azure asks of a network, once a cluster's nodes say that they are there. Pure."""

from collections.abc import Iterable, Iterator

from transom.addons.setting import Setting
from transom.facts import rows
from transom.facts.network import MtuRow, PluginRow
from transom.model.manifest import Manifest
from transom.model.problem import Refusal

_PROVIDER = "azure://"


def azure_reasons(setting: Setting, nodes: Iterable[Manifest]) -> Iterator[Refusal]:
    """Every reason why this network does not suit where the nodes are."""
    providers = [(node.get("spec") or {}).get("providerID") or "" for node in nodes]
    there = [provider.startswith(_PROVIDER) for provider in providers]
    network = setting.network
    if network.plugin == "azureCNI" and there and not any(there):
        plugin = rows.one(PluginRow, "plugin-azure-cni", setting.at)
        yield Refusal(
            id=plugin.id,
            subject="network.azureCNI",
            found="nodes that are not on Azure",
            reason=f"it needs {plugin.needs}",
            fix="Use another network, or the cluster's cloud provider for Azure.",
            source=plugin.source,
        )
    encapsulated = network.plugin in ("flannel", "calico") and network.mode == "overlay"
    if any(there) and encapsulated:
        row = rows.one(MtuRow, "mtu-azure-overlay", setting.at)
        linux = rows.one(MtuRow, "mtu-azure-linux", setting.at)
        if network.mtu != row.bytes:
            yield Refusal(
                id=row.id,
                subject="network.mtu",
                found=str(network.mtu),
                reason=f"Azure encapsulates too: larger packets of {network.plugin} are lost",
                fix=f"Set mtu: {row.bytes}, and eth0 of Linux nodes to {linux.bytes}.",
                source=row.source,
            )
