"""Boot data that makes a machine a node: the node program by its hash, the recipe, and the join.

Pure: what it carries is given. The forms differ in what they can tell: only multi-part data can
report a failure to the platform.
"""

import base64
import gzip
import json
import ntpath
from collections.abc import Iterator, Mapping
from dataclasses import field
from importlib.resources import files
from typing import Any

from transom.errors import UsageError
from transom.model.codec import encode
from transom.model.kubeadm import join_configuration
from transom.model.places import HOME, JOIN_CONFIGURATION
from transom.model.recipe import JoinPlan
from transom.model.records import dataclass
from transom.model.request import JoinSecrets, Request
from transom.model.sddl import ICACLS_CLOSED_FOLDER
from transom.model.secret import SecretPlace

FORMATS = ("cloud-config", "multipart", "script")
FOLDER = HOME + r"\boot"
COMMAND = rf"{FOLDER}\boot.cmd"
_PLACEHOLDER = r"C:\run\cluster-api\placeholder"
_BOUNDARY = "==transom-boot-data=="
_PUT = (
    "function Put($path, $text) {",
    "  $packed = New-Object IO.MemoryStream(, [Convert]::FromBase64String($text))",
    "  $open = New-Object IO.Compression.GZipStream($packed, [IO.Compression.CompressionMode]::Decompress)",
    "  $file = [IO.File]::Create($path)",
    "  try { $open.CopyTo($file) } finally { $file.Dispose() }",
    "}",
)
CLOSE = f"icacls {ntpath.dirname(JOIN_CONFIGURATION)} {ICACLS_CLOSED_FOLDER}"
"""The command that closes the join configuration to everybody but administrators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """Something the machine fetches by its hash; without a URL it must be there already."""

    sha256: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Somebody who may log in by an SSH key; the password is random and known to nobody."""

    name: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BootPlan:
    """What boot data is made of.

    `program` are the node program's bytes where it is embedded, else it is fetched. Without
    `join` somebody else, as Cluster API, writes the join configuration; with a `secret` the machine
    fetches it from there.
    """

    request: Request
    python: Fetched
    program: Fetched
    embedded: bytes = field(default=b"", repr=False)
    join: JoinSecrets | None = None
    secret: SecretPlace | None = None
    users: tuple[User, ...] = ()


@dataclass(frozen=True, slots=True)
class BootFile:
    """A file that boot data writes."""

    path: str
    content: bytes = field(repr=False)


def compile_boot_data(plan: BootPlan, form: str) -> bytes:
    """The boot data in one of the formats."""
    if form == "cloud-config":
        return b"#cloud-config\n" + _cloud_config(plan)
    if form == "multipart":
        return _multipart(plan)
    if plan.users:
        raise UsageError(
            "a script makes no users", subject="--format script", hint="use cloud-config"
        )
    return _script(plan)


def boot_files(plan: BootPlan) -> list[BootFile]:
    """Every file that boot data brings, in the order it is written."""
    return [*_files(plan)]


def _files(plan: BootPlan) -> Iterator[BootFile]:
    if plan.request.join is not None:
        raise UsageError("a recipe for boot data has no secrets", subject="the request")
    arguments = ["--request", rf"{FOLDER}\request.json"]
    if plan.secret is not None:
        arguments += ["--secret", rf"{FOLDER}\secret.json"]
    wanted = {
        "python": encode(plan.python),
        "program": encode(plan.program),
        "close": [ntpath.dirname(JOIN_CONFIGURATION)],
        "arguments": arguments,
    }
    yield BootFile(rf"{FOLDER}\boot.json", _json(wanted))
    bring = carried("bring.py").replace(b"{owners}", carried("owners.ps1").strip())
    yield BootFile(rf"{FOLDER}\bring.py", bring)
    yield BootFile(COMMAND, carried("boot.cmd").replace(b"\n", b"\r\n"))
    yield BootFile(rf"{FOLDER}\request.json", _json(encode(plan.request)))
    if plan.secret is not None:
        yield BootFile(rf"{FOLDER}\secret.json", _json(encode(plan.secret)))
    if plan.embedded:
        yield BootFile(rf"{HOME}\node.pyz", plan.embedded)
    if plan.join is not None and plan.secret is None:
        yield BootFile(JOIN_CONFIGURATION, secret_content(plan))
    yield BootFile(_PLACEHOLDER, b"")


def secret_content(plan: BootPlan) -> bytes:
    """The join configuration with its token: a file of boot data, or what its store keeps."""
    assert plan.join is not None
    return _json(carried_configuration(plan.request.recipe.join, plan.join))


def carried(name: str) -> bytes:
    """A file of `windows/` as it goes to machines, with plain line ends."""
    text = (files("transom.bootstrap.windows") / name).read_bytes()
    return text.replace(b"\r\n", b"\n")


def owners_command() -> str:
    """The script that refuses folders of others, as PowerShell's `-EncodedCommand` takes it."""
    return base64.b64encode(carried("owners.ps1").decode().encode("utf-16-le")).decode()


def carried_configuration(plan: JoinPlan, secrets: JoinSecrets) -> dict[str, Any]:
    """The JoinConfiguration that boot data carries: the machine names itself, so its name is not in it."""
    taints = [encode(taint) for taint in plan.taints]
    return join_configuration(plan, secrets, {"criSocket": plan.cri_socket, "taints": taints})


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def _cloud_config(plan: BootPlan) -> bytes:
    """The sections; YAML's scalars as JSON strings, which nobody reads differently."""
    lines = ["write_files:"]
    for file in _files(plan):
        lines += [f"- path: {json.dumps(file.path)}", "  permissions: '0600'"]
        packed = gzip.compress(file.content, mtime=0)
        if len(packed) < len(file.content):
            lines += ["  encoding: gz+b64", f"  content: {base64.b64encode(packed).decode()}"]
        else:
            encoded = base64.b64encode(file.content).decode()
            lines += ["  encoding: b64", f"  content: {json.dumps(encoded)}"]
    if plan.users:
        lines.append("users:")
    for user in plan.users:
        lines += [f"- name: {json.dumps(user.name)}", "  groups: [Administrators]"]
        lines += ["  ssh_authorized_keys:", *(f"  - {json.dumps(key)}" for key in user.keys)]
    lines += ["runcmd:", *(f"- {json.dumps(command)}" for command in commands())]
    return ("\n".join(lines) + "\n").encode()


def commands(*, prepare: bool = False) -> tuple[str, ...]:
    """What cmd.exe is told: close the join configuration, start, and pass the exit code on.

    With `prepare` the commands that follow join the node; the script ends where this fails, also
    for a restart.
    """
    # Not `call`, and no bare `exit`: both lose the exit code in Wine's cmd.exe.
    start = f"cmd /c {COMMAND}"
    if prepare:
        return CLOSE, f"{start} --prepare", "if errorlevel 1 exit %ERRORLEVEL%"
    return CLOSE, start, "exit %ERRORLEVEL%"


def _multipart(plan: BootPlan) -> bytes:
    parts = (
        ("text/part-handler", "transom-handler.py", carried("handler.py")),
        ("text/cloud-config", "transom.yaml", _cloud_config(plan)),
    )
    lines = ["MIME-Version: 1.0", f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"', ""]
    for kind, name, content in parts:
        # Base64 around what is base64 for the most part would cost a third, and platforms take little.
        lines += [
            f"--{_BOUNDARY}",
            f"Content-Type: {kind}",
            f'Content-Disposition: attachment; filename="{name}"',
            "Content-Transfer-Encoding: 7bit",
            "",
            content.decode("ascii"),
        ]
    lines += [f"--{_BOUNDARY}--", ""]
    return "\n".join(lines).encode()


def _script(plan: BootPlan) -> bytes:
    """A PowerShell script: folders are closed before anything is written into them."""
    found = boot_files(plan)
    folders = dict.fromkeys(file.path.rpartition("\\")[0] for file in found)
    lines = ["#ps1_sysnative", "$ErrorActionPreference = 'Stop'"]
    for folder in folders:
        lines.append(f"New-Item -ItemType Directory -Force -Path '{folder}' | Out-Null")
        if not folder.endswith("cluster-api"):
            # PowerShell would read the parentheses of a grant.
            words = (f"'{word}'" if "(" in word else word for word in ICACLS_CLOSED_FOLDER.split())
            lines.append(f"icacls '{folder}' {' '.join(words)} | Out-Null")
            # Nothing is written into a folder that others may look into: the token comes next.
            said = f"icacls could not close {folder} and ended with $LASTEXITCODE"
            lines.append(f'if ($LASTEXITCODE -ne 0) {{ throw "{said}" }}')
    lines += _PUT
    for file in found:
        encoded = base64.b64encode(gzip.compress(file.content, mtime=0)).decode()
        lines.append(f"Put '{file.path}' '{encoded}'")
    lines += [f"& cmd.exe /c '{COMMAND}'", "exit $LASTEXITCODE", ""]
    return "\r\n".join(lines).encode()
