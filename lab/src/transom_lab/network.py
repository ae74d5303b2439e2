"""The lab's own network: addresses, and a bridge that exists only inside the ground room.

    10.77.0.1   the ground room, on the bridge
    10.77.0.2   the control plane
    10.77.0.11  the first Windows host, and so on

Every lab uses the same addresses: two labs never see each other.
"""

from ipaddress import IPv4Address, IPv4Network

from transom_lab.namespaces import Room

SUBNET = IPv4Network("10.77.0.0/24")
GROUND = SUBNET[1]
CONTROL_PLANE = SUBNET[2]
POD_SUBNET = "10.244.0.0/16"
SERVICE_SUBNET = "10.96.0.0/12"
MAX_HOSTS = 200

_FIRST_HOST = 11
_TIMEOUT_S = 60.0


def host_address(number: int) -> IPv4Address:
    """The address of the n-th Windows host, counted from 1."""
    return SUBNET[_FIRST_HOST + number - 1]


def bridge_port(name: str) -> str:
    """The bridge's end of a room's cable."""
    return f"v-{name}"[:15]


def make_bridge(ground: Room) -> None:
    """Make the bridge in the ground room."""
    for command in (
        "link add br0 type bridge",
        f"addr add {GROUND}/{SUBNET.prefixlen} dev br0",
        "link set br0 up",
    ):
        ground.call(["ip", *command.split()], timeout_s=_TIMEOUT_S)


def connect(ground: Room, room: Room, *, name: str, address: IPv4Address) -> None:
    """Plug a room into the bridge: its end is `eth0`, with `address` and a default route."""
    port = bridge_port(name)
    # Entered without its process namespace, because `netns PID` counts as the machine does.
    enter = ["nsenter", "-t", str(ground.init_pid), "-n", "--", "ip"]
    peer = str(room.init_pid)
    ground.outside(
        [*enter, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", peer],
        timeout_s=_TIMEOUT_S,
    )
    ground.call(["ip", "link", "set", port, "master", "br0", "up"], timeout_s=_TIMEOUT_S)
    give_address(room, address)


def give_address(room: Room, address: IPv4Address) -> None:
    """Let `eth0` of a room have its address and a default route, whatever it had."""
    for command in (
        f"addr replace {address}/{SUBNET.prefixlen} dev eth0",
        "link set eth0 up",
        f"route replace default via {GROUND}",
    ):
        room.call(["ip", *command.split()], timeout_s=_TIMEOUT_S)
