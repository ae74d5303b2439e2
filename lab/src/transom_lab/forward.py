"""A TCP forwarder between two networks: `python -m transom_lab.forward`, one process per forwarded port.

It listens in the network it is started in and connects in another, entered after the listening
socket exists. That is how a port of the machine's loopback reaches a room without any route or
bridge on the machine. Knows nothing of what it carries.
"""

import argparse
import asyncio
import socket
import sys

from transom_lab.setns import enter

_CHUNK = 1 << 16
_CONNECT_TIMEOUT_S = 10.0


def listen_on_loopback(port: int) -> socket.socket:
    """Bind a port of 127.0.0.1 in the present network."""
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", port))
    server.listen(64)
    return server


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        writer.close()


async def _serve(server: socket.socket, host: str, port: int) -> None:
    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                far_reader, far_writer = await asyncio.open_connection(host, port)
        except OSError as error:
            sys.stderr.write(f"cannot reach {host}:{port}: {error}\n")
            writer.close()
            return
        await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        far_writer.close()
        writer.close()

    listener = await asyncio.start_server(carry, sock=server)
    async with listener:
        await listener.serve_forever()


def main() -> None:
    """Listen here, connect there, until killed."""
    parser = argparse.ArgumentParser(prog="python -m transom_lab.forward")
    parser.add_argument("--listen", type=int, required=True, help="port of 127.0.0.1 here")
    parser.add_argument(
        "--network-of", type=int, required=True, help="process whose network to use"
    )
    parser.add_argument("--connect", required=True, help="ADDRESS:PORT there")
    args = parser.parse_args()
    server = listen_on_loopback(args.listen)
    enter(args.network_of, ["net"])
    host, _, port = args.connect.rpartition(":")
    asyncio.run(_serve(server, host, int(port)))


if __name__ == "__main__":
    main()
