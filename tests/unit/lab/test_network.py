"""The lab's addresses."""

from transom_lab.network import CONTROL_PLANE, GROUND, MAX_HOSTS, SUBNET, bridge_port, host_address


def test_every_host_has_an_address_of_its_own_in_the_subnet():
    addresses = {host_address(number) for number in range(1, MAX_HOSTS + 1)}
    assert len(addresses) == MAX_HOSTS
    assert all(address in SUBNET for address in addresses)
    assert not addresses & {GROUND, CONTROL_PLANE, SUBNET.broadcast_address}


def test_a_port_fits_into_the_kernels_fifteen_characters():
    assert bridge_port("win1") == "v-win1"
    assert len(bridge_port("a-very-long-host-name")) == 15
