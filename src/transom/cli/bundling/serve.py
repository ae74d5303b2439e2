"""`transom bundle serve`: a mirror for hosts, and a registry to pull from, over HTTPS."""

import socket
import sys
import tempfile
from argparse import Namespace
from pathlib import Path

from transom.errors import UsageError
from transom.image.bundle.archive import Bundle
from transom.image.bundle.mirror import BundleSite
from transom.remote.serve import Site, make_certificate, site_context

_LAST_PORT = 65535


def run(args: Namespace) -> int:
    """Serve until interrupted."""
    host, _, port = args.listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > _LAST_PORT:
        raise UsageError(
            f"cannot listen on {args.listen}", hint=f"write ADDRESS:PORT, a port up to {_LAST_PORT}"
        )
    if bool(args.cert) != bool(args.cert_key):
        raise UsageError("--cert and --cert-key belong together", hint="give both or neither")
    bundle = Bundle(Path(args.bundle))
    bundle.refuse_damage()
    site = BundleSite(bundle)
    names = args.name or [socket.gethostname() if host in ("0.0.0.0", "::") else host]  # noqa: S104 - told apart
    with tempfile.TemporaryDirectory(prefix="transom-serve-") as folder:
        if args.cert:
            context, authority = site_context(Path(args.cert), Path(args.cert_key)), ""
        else:
            certificate, key = make_certificate(names, Path(folder))
            context = site_context(certificate, key)
            kept = Path(f"{args.bundle}.ca.pem")
            kept.write_bytes(certificate.read_bytes())
            authority = str(kept)
        server = Site((host.strip("[]"), int(port)), context, find=site, seen=_tell)
    _explain(f"https://{names[0]}:{server.server_port}", site.hosts(), authority)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    finally:
        server.server_close()
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _explain(address: str, hosts: list[str], authority: str) -> None:
    """What a fleet must say to use this mirror."""
    print("source:\n  mirrors:")
    for host in hosts:
        if host != "file":
            print(f'    "https://{host}": {address}/{host}')
    if authority:
        print(f"# its certificate is its own authority: --ca-file {authority}")
    sys.stdout.flush()
