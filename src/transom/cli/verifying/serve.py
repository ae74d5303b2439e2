"""`transom verify serve`: the grid over HTTP, for one's own browser or behind a proxy."""

import time
from argparse import Namespace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from transom.cli import console
from transom.cli.verifying import store_path
from transom.cli.verifying.grid import look_of
from transom.errors import UsageError
from transom.verify import page
from transom.verify.grid import Look, tabs
from transom.verify.store import open_store


def run(args: Namespace) -> int:
    """Serve until interrupted."""
    server = serve(args.listen, store_path(args.store), look_of(args), args.title)
    host, port = server.server_address[:2]
    console.note(f"http://{host!s}:{port}/ shows the grid; Ctrl-C ends it")
    with server:
        server.serve_forever()
    return 0


def serve(listen: str, store: Path, look: Look, title: str) -> ThreadingHTTPServer:
    """A server of the page, its badge and its summary, not yet serving."""
    open_store(store).__exit__()  # a store that is no store is said before anyone waits for a page
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit():
        raise UsageError(f"{listen!r} is no address", subject="--listen", hint="write ADDRESS:PORT")

    class Handler(BaseHTTPRequestHandler):
        """Answers three paths; everything else is 404."""

        timeout = 30

        def do_GET(self) -> None:
            with open_store(store) as opened:
                made = tabs(opened, now=int(time.time()), look=look)
            if self.path == "/":
                self._answer("text/html; charset=utf-8", page.html(made, title=title))
            elif self.path == "/badge.svg":
                self._answer("image/svg+xml", page.badge(page.worst(made), "windows"))
            else:
                self.send_error(404)

        def _answer(self, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing: a request is of no interest, and its text is foreign."""

    try:
        return ThreadingHTTPServer((host, int(port)), Handler)
    except (OSError, OverflowError) as error:
        raise UsageError("cannot listen there", subject=listen) from error
