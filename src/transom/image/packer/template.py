"""The template itself: variables, source and what is done on the machine, as HCL2 in JSON.

A restart is a command and a wait, because packer's own provisioner for it needs PowerShell.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from transom.facts import rows
from transom.facts.imaging import BuildTool, Installer
from transom.facts.rows import At
from transom.image.packer.plan import BUILD, FOLDER, ImagePlan, Variable
from transom.image.packer.sources import Source
from transom.model.places import HOME

UPLOADED = ("fetch.cmd", "cloudbase-init.conf", "cloudbase-init-unattend.conf", "unattend.xml")
FINISH = r"C:\Windows\Temp\transom-finish.cmd"
_SCRIPT = r"C:\Windows\Temp\transom-step.cmd"
_PASSWORD = {"administrator_password": {"expression": "${uuidv4()}", "sensitive": True}}
REBOOT = 4
"""The node program's exit code where a restart has to come first."""


def template(plan: ImagePlan, source: Source) -> bytes:
    """The whole file."""
    builder = plan.builder
    plugin = rows.one(BuildTool, f"packer-{builder.plugin}", At())
    packer = rows.one(BuildTool, "packer", At())
    required = {builder.plugin: {"version": f"= {plugin.version}", "source": plugin.address}}
    document: dict[str, Any] = {
        "packer": {"required_version": f">= {packer.version}", "required_plugins": required},
        "variable": {item.name: item.declared() for item in _declared(plan, source)},
        "locals": _locals(plan),
        **({"local": _PASSWORD} if builder.base == "iso" else {}),
        "source": {builder.type: {"windows": source.settings}},
        "build": {
            "name": plan.name,
            "sources": [f"source.{builder.type}.windows"],
            "provisioner": [*_provisioners(plan)],
        },
    }
    return (json.dumps(document, indent=2) + "\n").encode()


def _declared(plan: ImagePlan, source: Source) -> Iterator[Variable]:
    """All variables; what is fetched has its values in a file of its own."""
    for item in fetched(plan):
        yield replace(item, value=None)
    yield from source.variables


def fetched(plan: ImagePlan) -> Iterator[Variable]:
    """A variable for every address and every sum, with the lock's values."""
    for artifact in plan.request.recipe.artifacts:
        title = f"{artifact.id} {artifact.version}"
        name = artifact.id.replace("-", "_")
        yield Variable(name=f"{name}_url", description=f"where {title} is", value=artifact.url)
        yield Variable(
            name=f"{name}_sha256", description=f"the SHA-256 of {title}", value=artifact.sha256
        )
    if all(artifact.id != "python" for artifact in plan.request.recipe.artifacts):
        yield Variable(name="python_url", description="where Python is", value=plan.python.url)
        yield Variable(
            name="python_sha256", description="the SHA-256 of Python", value=plan.python.sha256
        )
    if plan.cloudbase_init is not None:
        version = rows.one(Installer, "cloudbase-init-installer", At()).version
        title = f"cloudbase-init {version}"
        yield Variable(
            name="cloudbase_init_url",
            description=f"where the installer of {title} is",
            value=plan.cloudbase_init.url,
        )
        yield Variable(
            name="cloudbase_init_sha256",
            description=f"the SHA-256 of the installer of {title}",
            value=plan.cloudbase_init.sha256,
        )
    yield Variable(name="restart_pause", description="what a restart takes at least", value="60s")


def _locals(plan: ImagePlan) -> Mapping[str, Any]:
    """The request with the addresses and sums of the variables in place of its own."""
    names = {
        artifact.id: artifact.id.replace("-", "_") for artifact in plan.request.recipe.artifacts
    }
    brought = {
        artifact: {"url": f"${{var.{name}_url}}", "sha256": f"${{var.{name}_sha256}}"}
        for artifact, name in names.items()
    }
    artifacts = "[for item in local.given.recipe.artifacts : merge(item, local.brought[item.id])]"
    recipe = f"merge(local.given.recipe, {{artifacts = {artifacts}}})"
    return {
        "given": f'${{jsondecode(file("${{path.root}}/{FOLDER}/request.json"))}}',
        "brought": brought,
        "program_sha256": hashlib.sha256(plan.program).hexdigest(),
        # Packer takes {{ for a template of its own; inside a JSON string this is the same.
        "request": "${replace(jsonencode(merge(local.given, {recipe = "
        + recipe
        + '})), "{{", "{\\\\u007b")}',
    }


def _provisioners(plan: ImagePlan) -> Iterator[Mapping[str, Any]]:
    yield _commands(f"if not exist {BUILD} mkdir {BUILD}", f"if not exist {HOME} mkdir {HOME}")
    yield _upload(UPLOADED, f"{_forward(BUILD)}/")
    yield _upload(("node.pyz",), f"{_forward(HOME)}/")
    yield {
        "file": {"content": "${local.request}", "destination": f"{_forward(BUILD)}/request.json"}
    }
    yield _script("bring.cmd", environment_vars=_brought(plan))
    yield _script("policy.cmd")
    if plan.updates:
        yield _script("updates.cmd")
        yield from _restarted()
    yield _script(
        "prepare.cmd", valid_exit_codes=[0, REBOOT], **(_AFTER_RESTART if plan.updates else {})
    )
    yield from _restarted()
    yield _script("prepare.cmd", **_AFTER_RESTART)
    yield _script("check.cmd")
    if plan.builder.ends == "quit":
        yield _script("finish.cmd")
    else:
        yield _upload(("finish.cmd",), _forward(FINISH))


def _brought(plan: ImagePlan) -> list[str]:
    found = [
        "PROGRAM_SHA256=${local.program_sha256}",
        "PYTHON_URL=${var.python_url}",
        "PYTHON_SHA256=${var.python_sha256}",
    ]
    if plan.cloudbase_init is not None:
        found.append("CLOUDBASE_INIT_URL=${var.cloudbase_init_url}")
        found.append("CLOUDBASE_INIT_SHA256=${var.cloudbase_init_sha256}")
    return found


def _restarted() -> Iterator[Mapping[str, Any]]:
    yield _commands("shutdown.exe /r /f /t 5")


_AFTER_RESTART = {"pause_before": "${var.restart_pause}", "start_retry_timeout": "30m"}


def _script(name: str, **more: Any) -> Mapping[str, Any]:
    return {"windows-shell": {"script": f"${{path.root}}/{FOLDER}/{name}", **_PLACE, **more}}


def _commands(*lines: str) -> Mapping[str, Any]:
    return {"windows-shell": {"inline": ["@echo off", *lines], **_PLACE}}


_PLACE = {
    "remote_path": _SCRIPT.replace("\\", "/"),
    # Packer ends a command with a line's end, which would belong to its last word.
    "execute_command": "{{.Vars}}cmd.exe /c " + _SCRIPT + " -",
}


def _upload(names: tuple[str, ...], to: str) -> Mapping[str, Any]:
    return {
        "file": {
            "sources": [f"${{path.root}}/{FOLDER}/{name}" for name in names],
            "destination": to,
        }
    }


def _forward(path: str) -> str:
    return path.replace("\\", "/")
