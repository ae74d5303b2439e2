"""What a host promises about itself: its name, room, adapters and trust."""

import base64

from transom.node.host.protocols import Machine
from transom.node.verbs.contract.promise import Promise

_DRIVE = "C:\\"
# A certificate that nobody but itself vouches for; its key was thrown away.
_STRANGER = (
    "MIIBJDCBy6ADAgECAgEBMAoGCCqGSM49BAMCMBsxGTAXBgNVBAMMEHN0cmFuZ2VyLmludmFsaWQwIBcNMjAwMTAx"
    "MDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBsxGTAXBgNVBAMMEHN0cmFuZ2VyLmludmFsaWQwWTATBgcqhkjOPQIB"
    "BggqhkjOPQMBBwNCAASiEaWiRz9+vs6ZnYv0G+VEQo4W4P7U7RIsSOFHenWQNGHsskcsv6LhjwO71rjMsiRnxZEp"
    "Oly3K3RCD1RdgG0zMAoGCCqGSM49BAMCA0gAMEUCIQCCA5Kh3PuzZ3hSojaetNgpsdT+4BwL6cn4MX3jCm9cSwIg"
    "Fk56re8OMJ2LHzM18lPK3Zt0w/lFFwXdnHqaIS/fOYo="
)


def _system(machine: Machine) -> bool:
    system = machine.system
    system.domain()  # a workgroup has none, which is an answer too
    volumes = system.volumes()
    return bool(system.computer_name() and system.edition()) and any(
        root.upper() == _DRIVE and volume.total >= volume.free for root, volume in volumes.items()
    )


def _adapters(machine: Machine) -> bool:
    return any(adapter.addresses for adapter in machine.network.adapters())


def _roots(machine: Machine) -> bool:
    return bool(machine.roots.fetch([base64.b64decode(_STRANGER)], "stranger.invalid"))


def _flush(machine: Machine) -> bool:
    machine.flush()
    return True


PROMISES: dict[str, Promise] = {
    "the machine tells its name, edition, domain and volumes": _system,
    "adapters are told with their addresses": _adapters,
    "a certificate that nobody vouches for is refused": _roots,
    "everything can be flushed": _flush,
}
