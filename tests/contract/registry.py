"""A container registry on this machine: the distribution protocol as far as pulling and pushing go.

It asks for a token first, as public registries do, refuses an upload whose digest is wrong, and an
index or manifest that names what it does not have.
"""

import hashlib
import json
import re
from urllib.parse import parse_qs, urlsplit

from tests.contract.web import Exchange, Server

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
TOKEN = "t0ken"


def digest_of(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


class RegistryExchange(Exchange):
    """One request to the registry."""

    server: "Registry"

    def do_GET(self):  # noqa: N802 - the library's name
        url = urlsplit(self.path)
        self.server.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
        if url.path == "/token":
            scope = parse_qs(url.query).get("scope", [""])[0]
            self.answer(200, json.dumps({"token": f"{TOKEN}:{scope}"}).encode())
            return
        if not self._is_known():
            return
        if url.path in self.server.uploads:
            self._uploading(204, url.path, self.server.uploads[url.path])
            return
        found = re.fullmatch(r"/v2/(.+)/(manifests|blobs)/([^/]+)", url.path)
        assert found, self.path
        repository, _, reference = found.groups()
        digest = self.server.tags.get((repository, reference), reference)
        content = self.server.blobs.get((repository, digest))
        if content is None:
            self.answer(404)
            return
        media = self.server.types.get(digest, "application/octet-stream")
        start = int(self.headers.get("Range", "bytes=0-")[6:-1])
        limit = self.server.breaks.pop(digest, None)
        headers = {"Content-Type": media, "Content-Length": str(len(content) - start)}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self.send_response(206 if start else 200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content[start:limit] if limit else content[start:])
            self.close_connection = limit is not None

    do_HEAD = do_GET  # noqa: N815 - the library's name

    def do_POST(self):  # noqa: N802 - the library's name
        if self._is_known():
            number = len(self.server.uploads) + 1
            self._uploading(202, f"{urlsplit(self.path).path}{number}", b"")

    def do_PATCH(self):  # noqa: N802 - the library's name
        if not self._is_known():
            return
        place, there = urlsplit(self.path).path, self.server.uploads[urlsplit(self.path).path]
        begins = int(self.headers.get("Content-Range", "0-").partition("-")[0])
        self.server.begun.append(begins)
        if begins != len(there):
            self.answer(416)
            return
        size = int(self.headers["Content-Length"])
        if self.server.upload_breaks and size > self.server.upload_breaks[0]:
            self.server.uploads[place] = there + self.rfile.read(self.server.upload_breaks.pop(0))
            self.close_connection = True
            return
        self._uploading(202, place, there + self.rfile.read(size))

    def _uploading(self, status, place, content):
        """An upload's place and how far it is, which for one without a byte is 0-0 as well."""
        self.server.uploads[place] = content
        last = max(len(content) - 1, 0)
        self.answer(status, headers={"Location": f"{place}?state=x", "Range": f"0-{last}"})

    def do_PUT(self):  # noqa: N802 - the library's name
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if not self._is_known():
            return
        url = urlsplit(self.path)
        if "/blobs/uploads/" in url.path:
            content = self.server.uploads.pop(url.path) + content
            repository = url.path.removeprefix("/v2/").partition("/blobs/")[0]
            (digest,) = parse_qs(url.query)["digest"]
            if digest_of(content) != digest:
                self.answer(400, b"digest invalid")
                return
        else:
            path, _, reference = url.path.removeprefix("/v2/").partition("/manifests/")
            repository, digest = path, digest_of(content)
            if not all((repository, d) in self.server.blobs for d in _named(content)):
                self.answer(400, b"manifest blob unknown")
                return
            self.server.types[digest] = self.headers["Content-Type"]
            self.server.tags[repository, reference] = digest
        self.server.blobs[repository, digest] = content
        self.server.pushed.append(digest)
        self.answer(201)

    def _is_known(self):
        if f"Bearer {TOKEN}" in self.headers.get("Authorization", ""):
            return True
        realm = f'Bearer realm="{self.server.url}/token",service="r",scope="repository:x:pull"'
        self.answer(401, headers={"WWW-Authenticate": realm})
        return False


def _named(content):
    document = json.loads(content)
    if "manifests" in document:
        return [entry["digest"] for entry in document["manifests"]]
    return [document["config"]["digest"], *(layer["digest"] for layer in document["layers"])]


class Registry(Server):
    """The server, and what it holds."""

    def __init__(self, context):
        super().__init__(context)
        self.RequestHandlerClass = RegistryExchange
        self.blobs: dict[tuple[str, str], bytes] = {}
        self.tags: dict[tuple[str, str], str] = {}
        self.types: dict[str, str] = {}
        self.breaks: dict[str, int] = {}
        self.pushed: list[str] = []
        self.uploads: dict[str, bytes] = {}
        self.upload_breaks: list[int] = []
        self.begun: list[int] = []

    def add_image(self, repository, tag, *, builds, size=100_000):
        """An image with one layer for each Windows build."""
        manifests = []
        for build in builds:
            layer = f"layer of {repository} {build} ".encode() * (size // 20)
            config = json.dumps({"os": "windows", "build": build}).encode()
            manifest = json.dumps(
                {
                    "schemaVersion": 2,
                    "mediaType": MANIFEST,
                    "config": self._blob(repository, config, "application/json"),
                    "layers": [self._blob(repository, layer, "application/layer")],
                }
            ).encode()
            described = self._blob(repository, manifest, MANIFEST)
            described["platform"] = {
                "os": "windows",
                "architecture": "amd64",
                "os.version": f"10.0.{build}.1",
            }
            manifests.append(described)
        index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests}
        described = self._blob(repository, json.dumps(index).encode(), INDEX)
        self.tags[repository, tag] = described["digest"]
        return described["digest"]

    def _blob(self, repository, content, media):
        digest = digest_of(content)
        self.blobs[repository, digest] = content
        self.types[digest] = media
        return {"mediaType": media, "digest": digest, "size": len(content)}
