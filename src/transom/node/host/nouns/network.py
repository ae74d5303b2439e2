"""The host's network, and the host network service."""

from typing import Protocol

from transom.node.host.values import (
    Adapter,
    HnsState,
)


class ReadNetwork(Protocol):
    """Routes, DNS suffixes, adapters and HNS networks, for looking."""

    def adapters(self) -> tuple[Adapter, ...]:
        """Give the adapters that are up."""

    def dns_suffixes(self) -> tuple[str, ...]:
        """Give the DNS suffix search list."""

    def has_route(self, prefix: str) -> bool:
        """Say whether a route is in use now."""

    def persistent_route(self, prefix: str) -> str | None:
        """Give the gateway of a persistent route, None where there is none."""

    def hns_network(self, name: str) -> bool:
        """Say whether the host network service has a network of that name."""

    def reaches(self, host: str, port: int) -> bool:
        """Say whether a TCP connection succeeds within a few seconds."""

    def distrust(self, host: str, port: int, *, authorities: str) -> str:
        """Say why an HTTPS server's certificate is refused; empty where it is not, or none answers.

        Args:
            host: Its name or address.
            port: Its port.
            authorities: PEM of authorities to trust beside those of the machine.
        """

    def gateways(self) -> tuple[str, ...]:
        """Give the addresses of the default gateways."""

    def answers(self, address: str) -> bool:
        """Say whether an address answers an echo request within a few seconds."""

    def is_free(self, port: int) -> bool:
        """Say whether nobody listens on a TCP port of this host."""

    def time_at(self, host: str, port: int) -> float | None:
        """Give the clock of an HTTPS server in seconds since the epoch, None where it is silent."""


class Network(ReadNetwork, Protocol):
    """The same, for changing."""

    def add_dns_suffix(self, suffix: str) -> None:
        """Add a suffix at the end of the search list, unless it is there."""

    def put_route(self, prefix: str, gateway: str | None) -> None:
        """Set a persistent route; None deletes it."""


class UndoNetwork(Network, Protocol):
    """The same, with what only an undo may do."""

    def remove_dns_suffix(self, suffix: str) -> None:
        """Remove a suffix from the search list."""

    def delete_hns_network(self, name: str) -> None:
        """Delete a network with its endpoints and the balancers that name them, if there."""


class Hns(Protocol):
    """The host network service, for whoever keeps what a program left there in order."""

    def state(self) -> HnsState:
        """Give everything it has; raise a TransomError where it does not answer."""

    def network(self, name: str) -> str:
        """Give the identity of the network of that name, empty where there is none."""

    def delete_endpoint(self, identity: str) -> None:
        """Delete an endpoint, if it is there."""

    def delete_balancer(self, identity: str) -> None:
        """Delete a balancer, if it is there."""
