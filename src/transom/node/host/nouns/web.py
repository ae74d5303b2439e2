"""What is asked over HTTP: the API server, downloads, single calls."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from transom.model.request import SourceAccess
from transom.node.host.values import (
    ClusterNode,
    NodeHealth,
    WebAnswer,
)


class Cluster(Protocol):
    """The API server, asked with the kubelet's own credential."""

    def node(self, kubeconfig: str, node: str) -> ClusterNode | None:
        """Give a Node, None where there is none; TemporaryError where no server answers.

        Args:
            kubeconfig: The path of the kubelet's kubeconfig.
            node: The name of the Node.
        """

    def health(self, kubeconfig: str, node: str) -> NodeHealth | None:
        """Give how a Node is, None where there is none; TemporaryError where none answers.

        Args:
            kubeconfig: The path of the kubelet's kubeconfig.
            node: The name of the Node.
        """


class Roots(Protocol):
    """The root certificates of this machine, of which some come only on demand."""

    def fetch(self, chain: Sequence[bytes], host: str) -> str:
        """Have the root of a chain in the store; say why it is not trusted, empty where it is.

        Args:
            chain: The certificates the server showed, DER, its own first.
            host: Whose they are, for messages.
        """


class Source(Protocol):
    """Where downloads come from."""

    def open(
        self, url: str, *, offset: int, access: SourceAccess
    ) -> AbstractContextManager[tuple[bool, Iterator[bytes]]]:
        """Give whether the offset was honoured, and the bytes from there; TemporaryError on loss."""


class WebCalls(Protocol):
    """Single calls over HTTP."""

    def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        direct: bool = False,
    ) -> WebAnswer:
        """Give the answer, whatever its status; TemporaryError where there is none.

        Args:
            method: GET, PUT, POST or DELETE.
            url: The address.
            headers: Sent with it.
            body: Sent with it, where there is one.
            direct: Never through a proxy, as for the metadata of this very machine.
        """
