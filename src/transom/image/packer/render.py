"""Every file of an image's folder, from a plan."""

import json
from collections.abc import Mapping
from importlib.resources import files

from transom.bootstrap.compile import owners_command
from transom.facts import rows
from transom.facts.imaging import Policy
from transom.image.packer import answers
from transom.image.packer.configuration import SERVICE, SPECIALIZE, configuration
from transom.image.packer.plan import EXAMPLE, FOLDER, TEMPLATE, VALUES, ImagePlan, must_agree
from transom.image.packer.readme import readme
from transom.image.packer.sources import example, source_of
from transom.image.packer.template import fetched, template
from transom.model.codec import encode
from transom.model.sddl import ICACLS_CLOSED_FOLDER

_AUTHORIZE = r">C:\ProgramData\ssh\administrators_authorized_keys echo ${authorized_keys}"
_TOKEN = "http://169.254.169.254/latest/api/token"  # noqa: S105 - an address
_FROM_METADATA = (
    f"for /f %%t in ('curl.exe -s -X PUT -H \"X-aws-ec2-metadata-token-ttl-seconds: 300\" {_TOKEN}')"
    ' do curl.exe -s -H "X-aws-ec2-metadata-token: %%t" -o C:\\ProgramData\\ssh\\administrators_authorized_keys'
    " http://169.254.169.254/latest/meta-data/public-keys/0/openssh-key"
)


def render(plan: ImagePlan) -> Mapping[str, bytes]:
    """The files by their names; the same plan gives the same bytes."""
    must_agree(plan)
    source = source_of(plan)
    found = {
        TEMPLATE: template(plan, source),
        VALUES: _values(plan),
        EXAMPLE: example(source.variables),
        "README.md": readme(plan, source.variables),
    }
    inside = {
        "node.pyz": plan.program,
        "request.json": (json.dumps(encode(plan.request), indent=1) + "\n").encode(),
        SERVICE: configuration(plan.platform, specialize=False),
        SPECIALIZE: configuration(plan.platform, specialize=True),
        "unattend.xml": answers.copies(),
        "policy.cmd": _policy(),
        "bring.cmd": _carried("bring.cmd")
        .replace(b"{closed}", ICACLS_CLOSED_FOLDER.encode())
        .replace(b"{owners}", owners_command().encode()),
        "finish.cmd": _finish(plan),
        **{name: _carried(name) for name in ("fetch.cmd", "prepare.cmd", "check.cmd")},
    }
    if plan.builder.base == "iso":
        inside["autounattend.xml"] = answers.installation(plan.builder.firmware)
        inside["setup.cmd"] = _setup(_AUTHORIZE)
    if plan.platform.id == "openstack":
        inside["user-data.txt"] = b"rem cmd\r\n" + _setup(_AUTHORIZE)
    if plan.platform.id == "aws":
        inside["user-data.txt"] = b"<script>\r\n" + _setup(_FROM_METADATA) + b"</script>\r\n"
    if plan.updates:
        inside["updates.cmd"] = _lines("@echo off", " ".join(plan.updates), "exit /b %ERRORLEVEL%")
    found.update((f"{FOLDER}/{name}", content) for name, content in sorted(inside.items()))
    return found


def _values(plan: ImagePlan) -> bytes:
    return (json.dumps({item.name: item.value for item in fetched(plan)}, indent=2) + "\n").encode()


def _carried(name: str) -> bytes:
    """A script as it goes to the machine, with Windows line ends."""
    text = (files("transom.image.packer.windows") / name).read_bytes()
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _setup(authorize: str) -> bytes:
    return _carried("setup.cmd").replace(b"{authorize}", authorize.encode())


def _finish(plan: ImagePlan) -> bytes:
    builder = plan.builder
    last = [*builder.before, *builder.instead]
    if not builder.instead:
        sysprep = _carried("sysprep.cmd").decode().replace("{ends}", builder.ends).rstrip()
        last.append(sysprep)
    if builder.ends == "quit":
        last.append(_carried("generalized.cmd").decode().rstrip())
    return _carried("finish.cmd").replace(b"{generalize}", "\r\n".join(last).encode())


def _policy() -> bytes:
    commands = []
    for row in rows.read(Policy):
        commands.append(f'reg.exe add "{row.key}" /v {row.name} /t REG_DWORD /d {row.value} /f')
        commands.append("if errorlevel 1 exit /b 1")
    return _lines("@echo off", *commands, "exit /b 0")


def _lines(*lines: str) -> bytes:
    return ("\r\n".join(lines) + "\r\n").encode()
