"""containerd's configuration file for a host, in the form its version reads.

The keys come from the facts; the file says only what differs from containerd's own defaults.
"""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from transom.facts import rows
from transom.facts.containerd import ContainerdShape
from transom.model.fleet import Isolation
from transom.model.recipe import File
from transom.recipe.shape import Shape
from transom.recipe.toml import Value, literal, section


def containerd_files(shape: Shape) -> list[File]:
    """config.toml, and one hosts.toml for each registry that has mirrors."""
    form = rows.one(ContainerdShape, "containerd-config", shape.at)
    files = [
        File(
            path=f"{shape.places['containerd']}\\config.toml",
            content=patched(_config(shape, form), patch_of(shape)),
            acl="",
            why=form.id,
        )
    ]
    runtime = shape.chosen_runtime
    mirrors = runtime.containerd.mirrors if runtime and runtime.containerd else {}
    return files + [
        File(
            path=f"{shape.places['containerd_certs']}\\{_folder(registry)}\\hosts.toml",
            content=_hosts(registry, mirrors[registry]),
            acl="",
            why="fleet runtime.containerd.mirrors",
        )
        for registry in sorted(mirrors)
    ]


def patch_of(shape: Shape) -> str:
    """What the fleet adds to config.toml."""
    runtime = shape.chosen_runtime
    return runtime.containerd.config_patch if runtime and runtime.containerd else ""


def own_config(shape: Shape) -> str:
    """config.toml without what the fleet adds to it."""
    return _config(shape, rows.one(ContainerdShape, "containerd-config", shape.at))


def patched(config: str, patch: str) -> str:
    """The configuration with more tables; keys of no table come before the first one."""
    if not patch:
        return config
    lines = patch.splitlines()
    first = next((i for i, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    plain, tables = "\n".join(lines[:first]).strip("\n"), "\n".join(lines[first:]).strip("\n")
    head, gap, rest = config.partition("\n\n")
    begin = f"{head}\n{plain}" if plain else head
    return f"{begin}{gap}{rest}" + (f"\n{tables}\n" if tables else "")


def patch_fault(config: str, patch: str) -> str:
    """Why a patch cannot be added; empty where it can."""
    try:
        ours, more = tomllib.loads(config), tomllib.loads(patch)
    except tomllib.TOMLDecodeError as error:
        return f"it is not TOML: {error}"
    tables = {path[:-1] for path in _leaves(ours)} - {()}
    taken = sorted(
        {
            ".".join(path[:-1] if path[:-1] in tables else path)
            for path in _leaves(more)
            if path[:-1] in tables or path in set(_leaves(ours))
        }
    )
    if taken:
        return f"Transom writes {', '.join(taken)} itself"
    try:
        tomllib.loads(patched(config, patch))
    except tomllib.TOMLDecodeError as error:
        return f"it does not go together with Transom's own settings: {error}"
    return ""


def _leaves(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key)


def _config(shape: Shape, form: ContainerdShape) -> str:
    places = shape.places
    images, runtime = form.images_plugin, form.runtime_plugin
    bins = [places["cni_bin"]] if form.cni_bin_key == "bin_dirs" else places["cni_bin"]
    pause = shape.words["pause"]
    nested = form.sandbox_key.split(".")
    roots = {"root": places["containerd_root"], "state": places["containerd_state"]}
    settings: dict[str, Value] = {} if len(nested) > 1 else {form.sandbox_key: pause}
    if form.pull_progress_timeout:
        settings["image_pull_progress_timeout"] = form.pull_progress_timeout
    head = [f"version = {form.config_version}", *(f"{k} = {literal(v)}" for k, v in roots.items())]
    parts = [
        "\n".join(head) + "\n",
        section(["plugins", images], settings),
    ]
    if len(nested) > 1:
        parts.append(section(["plugins", images, nested[0]], {nested[1]: pause}))
    parts += [
        section(["plugins", images, "registry"], {"config_path": places["containerd_certs"]}),
        section(["plugins", runtime, "containerd"], {"default_runtime_name": _default(shape)}),
        section(
            ["plugins", runtime, "cni"],
            {form.cni_bin_key: bins, "conf_dir": places["cni_conf"]},
        ),
    ]
    return "\n".join(part for part in parts if part)


def _default(shape: Shape) -> str:
    # Both handlers are in containerd's defaults; which one pods get by default is the host's.
    hyperv = shape.settings.isolation is Isolation.HYPERV
    return "runhcs-wcow-hypervisor" if hyperv else "runhcs-wcow-process"


def _hosts(registry: str, mirrors: tuple[str, ...]) -> str:
    parts = [f"server = {literal('https://' + registry)}\n"]
    for mirror in mirrors:
        settings: dict[str, Value] = {"capabilities": ["pull", "resolve"]}
        # containerd puts /v2 behind every other path.
        if "/v2/" in urlsplit(mirror).path:
            settings["override_path"] = True
        parts.append(section(["host", mirror], settings))
    return "\n".join(parts)


def _folder(registry: str) -> str:
    # A colon cannot stand in a Windows file name; containerd looks for host_port_ then.
    host, colon, port = registry.partition(":")
    return f"{host}_{port}_" if colon else host
