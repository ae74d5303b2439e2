"""containerd's configuration file for a host, in the shape its version reads.

The keys come from the facts; the file says only what differs from containerd's own defaults.
"""

from urllib.parse import urlsplit

from transom.facts import rows
from transom.facts.containerd import ContainerdShape
from transom.model.fleet import Isolation
from transom.model.recipe import File
from transom.recipe.case import Case
from transom.recipe.toml import Value, literal, section


def containerd_files(case: Case) -> list[File]:
    """config.toml, and one hosts.toml for each registry that has mirrors."""
    shape = rows.one(ContainerdShape, "containerd-config", case.at)
    files = [
        File(
            path=f"{case.places['containerd']}\\config.toml",
            content=_config(case, shape),
            acl="",
            why=shape.id,
        )
    ]
    runtime = case.fleet.runtime
    mirrors = runtime.containerd.mirrors if runtime and runtime.containerd else {}
    return files + [
        File(
            path=f"{case.places['containerd_certs']}\\{_folder(registry)}\\hosts.toml",
            content=_hosts(registry, mirrors[registry]),
            acl="",
            why="fleet runtime.containerd.mirrors",
        )
        for registry in sorted(mirrors)
    ]


def _config(case: Case, shape: ContainerdShape) -> str:
    places = case.places
    images, runtime = shape.images_plugin, shape.runtime_plugin
    bins = [places["cni_bin"]] if shape.cni_bin_key == "bin_dirs" else places["cni_bin"]
    pause = case.words["pause"]
    nested = shape.sandbox_key.split(".")
    roots = {"root": places["containerd_root"], "state": places["containerd_state"]}
    settings: dict[str, Value] = {} if len(nested) > 1 else {shape.sandbox_key: pause}
    if shape.pull_progress_timeout:
        settings["image_pull_progress_timeout"] = shape.pull_progress_timeout
    head = [f"version = {shape.config_version}", *(f"{k} = {literal(v)}" for k, v in roots.items())]
    parts = [
        "\n".join(head) + "\n",
        section(["plugins", images], settings),
    ]
    if len(nested) > 1:
        parts.append(section(["plugins", images, nested[0]], {nested[1]: pause}))
    parts += [
        section(["plugins", images, "registry"], {"config_path": places["containerd_certs"]}),
        section(["plugins", runtime, "containerd"], {"default_runtime_name": _default(case)}),
        section(
            ["plugins", runtime, "cni"],
            {shape.cni_bin_key: bins, "conf_dir": places["cni_conf"]},
        ),
    ]
    return "\n".join(part for part in parts if part)


def _default(case: Case) -> str:
    # Both handlers are in containerd's defaults; which one pods get by default is the host's.
    hyperv = case.host.isolation is Isolation.HYPERV
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
