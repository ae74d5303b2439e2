"""What this machine's sockets can tell of itself and of others: no packet of ours changes anything.

It knows nothing of Windows itself.
"""

import socket
from datetime import UTC, datetime

_TIMEOUT_S = 5.0
_HEAD_BYTES = 4096
# RFC 5737: belongs to nobody, so only the default route leads there. Nothing is sent.
_ELSEWHERE = ("192.0.2.1", 9)
_HTTP_DATE = "%a, %d %b %Y %H:%M:%S GMT"


def reaches(host: str, port: int) -> bool:
    """Whether a TCP connection succeeds within a few seconds."""
    try:
        socket.create_connection((host, port), timeout=_TIMEOUT_S).close()
    except OSError:
        return False
    return True


def is_free(port: int) -> bool:
    """Whether nobody listens on a TCP port."""
    with socket.socket() as probe:
        # Only Windows lets a second socket take a port that is in use, unless it is asked not to.
        if exclusive := getattr(socket, "SO_EXCLUSIVEADDRUSE", 0):
            probe.setsockopt(socket.SOL_SOCKET, exclusive, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def has_address(address: str) -> bool:
    """Whether an IPv4 address is one of this machine's own: only those can be bound."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


def routed_address() -> str:
    """The IPv4 address that the default route leaves from, as the machine itself chooses it.

    Empty where there is no such route.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def time_at(host: str, port: int) -> float | None:
    """The clock of an HTTPS server, from the date of whatever it answers; None where it is silent.

    Its certificate is not verified: with a wrong clock here it could not be, and nothing but the
    date is believed.
    """
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    ask = f"HEAD /version HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    try:
        with (
            socket.create_connection((host, port), timeout=_TIMEOUT_S) as plain,
            context.wrap_socket(plain, server_hostname=host) as stream,
        ):
            stream.sendall(ask.encode())
            head = stream.recv(_HEAD_BYTES)
    except OSError:
        return None
    return _date(head.decode("latin-1"))


def _date(head: str) -> float | None:
    for line in head.splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() == "date":
            try:
                return datetime.strptime(value.strip(), _HTTP_DATE).replace(tzinfo=UTC).timestamp()
            except ValueError:
                return None
    return None
