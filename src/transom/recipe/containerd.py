"""containerd's configuration file for a host, in the form its version reads.

The keys come from the facts; the file says only what differs from containerd's own defaults.
"""

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
            content=_config(shape, form),
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
