"""`node.pyz kubelet`: starts the kubelet with what kubeadm wrote for it, and with the node's own address.

Stands in the command line of the kubelet's service. That line is fixed, and nothing in Windows reads
`kubeadm-flags.env`: so the file is read here at each start, whoever joined the host. The kubelet itself
answers the service manager, as it does below kube-log-runner. It has half a minute for that, so this
module imports little.
"""

import ipaddress
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple, TextIO

from transom.errors import PermanentError, TransomError, UsageError
from transom.node.host.starting import Starter, ThisHost
from transom.node.kubernetes.kubelet_flags import flag_name, merged_words, parse_flags_file

VERB = "kubelet"
FLAGS_FILE, WITHOUT, ADDRESS = "--flags-file=", "--without=", "--address="
# kubeadm writes a few hundred bytes, and Windows takes 32,767 characters in a command line.
_FILE_BYTES = 64 << 10
# Windows PowerShell writes UTF-16 with a mark by default; kubeadm writes UTF-8 without one.
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# Together with the kubelet's own start this has to stay below the service manager's 30 seconds.
_ROUTE_WAIT_S = 10.0
_POLL_S = 0.5

Say = Callable[[str], None]


class Order(NamedTuple):
    """The words of the service's command line, read."""

    flags_file: str
    without: frozenset[str]
    address: str
    command: tuple[str, ...]


def main(words: Sequence[str], *, host: Starter | None = None, log: TextIO | None = None) -> int:
    """Start the kubelet and stay until it ends; give its exit code."""

    def say(text: str) -> None:
        out = log or sys.stderr
        if out is not None:  # a service without kube-log-runner has no streams
            out.write(f"transom: {text}\n")
            out.flush()

    try:
        order = read_order(words)
        here = host or ThisHost()
        return here.hand_over(kubelet_words(here, order, say))
    except TransomError as error:
        say(f"{error.message}. {error.hint}".rstrip())
        return error.exit_code


def read_order(words: Sequence[str]) -> Order:
    """Read this program's own options, and the command behind them."""
    given = {FLAGS_FILE: "", WITHOUT: "", ADDRESS: ""}
    rest = list(words)
    while rest and rest[0].startswith("--"):
        option = next((name for name in given if rest[0].startswith(name)), "")
        if not option:
            raise UsageError(f"cannot start the kubelet: unknown option {rest[0]}")
        given[option] = rest.pop(0).removeprefix(option)
    if not rest:
        raise UsageError("cannot start the kubelet: the command line does not name its program")
    without = frozenset(filter(None, given[WITHOUT].split(",")))
    return Order(given[FLAGS_FILE], without, given[ADDRESS], tuple(rest))


def kubelet_words(host: Starter, order: Order, say: Say) -> tuple[str, ...]:
    """Put kubeadm's flags and the node's address on the kubelet's command line."""
    flags = _flags(host, order.flags_file)
    gone = [flag for flag in flags if flag_name(flag) in order.without]
    if gone:
        say(f"left out what this kubelet does not have any more: {' '.join(gone)}")
    argv = merged_words(order.command, tuple(flag for flag in flags if flag not in gone))
    names = {flag_name(word): word for word in argv[1:]}
    # A cloud's own controller sets the addresses, and takes a node's for a wish it must fulfil.
    in_cloud = names.get("cloud-provider", "").partition("=")[2]
    if "node-ip" not in names and not in_cloud:
        address = _own_address(host, order.address)
        if address:
            argv = (*argv, f"--node-ip={address}")
        else:
            say("no default route and not the fleet's address: the kubelet looks for its own")
    say(f"starting {' '.join(argv)}")
    return argv


def _flags(host: Starter, path: str) -> tuple[str, ...]:
    content = host.beginning(path, _FILE_BYTES + 1) if path else None
    if content is None:  # before the join
        return ()
    if len(content) > _FILE_BYTES:
        raise _unreadable(path, f"it has more than {_FILE_BYTES} bytes")
    mark, code = next(((m, c) for m, c in _MARKS if content.startswith(m)), (b"", "utf-8"))
    try:
        text = content[len(mark) :].decode(code)
    except UnicodeDecodeError:
        raise _unreadable(path, f"it is not {code} text") from None
    if "\0" in text:
        raise _unreadable(path, "it has a zero byte")
    return parse_flags_file(text)


def _unreadable(path: str, why: str) -> PermanentError:
    return PermanentError(
        f"cannot read the kubelet's flags in {path}: {why}",
        subject=path,
        hint='Write it again as kubeadm does: KUBELET_KUBEADM_ARGS="--name=value".',
    )


def _own_address(host: Starter, wanted: str) -> str:
    """The fleet's address where this host has it, else the one that the default route leaves from.

    After a boot there may be no route yet. One address only: without this flag the kubelet has one too.
    """
    deadline = host.monotonic() + _ROUTE_WAIT_S
    while True:
        if _is_usable(wanted) and host.has_address(wanted):
            return wanted
        routed = host.routed_address()
        if _is_usable(routed):
            return routed
        if host.monotonic() >= deadline:
            return ""
        host.sleep(_POLL_S)


def _is_usable(address: str) -> bool:
    """Whether a node may have it: Windows nodes are reached by IPv4."""
    try:
        found = ipaddress.IPv4Address(address)
    except ValueError:
        return False
    return not (found.is_loopback or found.is_link_local or found.is_unspecified)
