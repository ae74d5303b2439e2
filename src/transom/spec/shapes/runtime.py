"""The container runtime of a host."""

from typing import Any

from transom.model.fleet import ContainerdSpec, DockerSpec, Runtime
from transom.spec import syntax
from transom.spec.shape import Items, Object, Text, Union

_MIRROR = Object(
    title="RegistryMirror",
    about="A mirror of a registry.",
    required=("url",),
    keys={
        "url": Text(
            about="Where it is. One with /v2/ in its path is asked there, others at /v2 behind their path.",
            syntax=syntax.URL,
            examples=("https://registry.corp/k8s",),
        )
    },
)

_REGISTRY = Object(
    title="Registry",
    about="A registry, and the mirrors that are asked before it.",
    required=("host", "mirrors"),
    keys={
        "host": Text(
            about="The registry's host, with a port where it has one.",
            syntax=syntax.REGISTRY,
            examples=("registry.k8s.io",),
        ),
        "mirrors": Items(about="Its mirrors, in the order they are asked.", of=_MIRROR, least=1),
    },
)


def _containerd(*, registries: tuple[dict[str, Any], ...] = (), **parts: Any) -> ContainerdSpec:
    mirrors = {
        registry["host"]: tuple(mirror["url"] for mirror in registry["mirrors"])
        for registry in registries
    }
    return ContainerdSpec(mirrors=mirrors, **parts)


_CONTAINERD = Object(
    title="Containerd",
    about="Settings of containerd.",
    make=_containerd,
    keys={
        "version": Text(
            about="Its version.",
            default="the newest that the facts know for these hosts",
            syntax=syntax.VERSION,
            examples=("2.3.7",),
        ),
        "registries": Items(
            about="Registries that have mirrors.",
            of=_REGISTRY,
            by=("host",),
            examples=(
                [{"host": "registry.k8s.io", "mirrors": [{"url": "https://registry.corp/k8s"}]}],
            ),
        ),
        "pauseImage": Text(
            about="A pause image in place of the facts'; it must have the builds of all hosts.",
            default="the facts' image for this version of Kubernetes",
            syntax=syntax.TEXT,
            examples=("registry.corp/pause:3.10.2-ltsc2025",),
        ),
        "configPatch": Text(
            about=(
                "More settings for containerd's `config.toml`, as TOML. Tables that Transom writes are "
                "refused."
            ),
            examples=("[debug]\nlevel = 'info'\n",),
        ),
    },
)

_DOCKER = Object(
    title="Docker",
    about="Settings of Docker with dockershim: legacy, for the Kubernetes versions that had it.",
    make=DockerSpec,
    keys={
        "version": Text(
            about="Its version.",
            default="the newest that the facts know",
            syntax=syntax.VERSION,
            examples=("20.10.9",),
        )
    },
)


def _runtime(
    *,
    type: str = "Containerd",  # noqa: A002 - the document's key
    containerd: ContainerdSpec | None = None,
    docker: DockerSpec | None = None,
) -> Runtime:
    if type == "Docker" or docker is not None:
        return Runtime(docker=docker or DockerSpec())
    return Runtime(containerd=containerd or ContainerdSpec())


RUNTIME = Object(
    title="Runtime",
    about="The container runtime.",
    make=_runtime,
    default="the one found on the host, else containerd",
    union=Union(members={"Containerd": "containerd", "Docker": "docker"}, inferred=True),
    keys={
        "type": Text(
            about="Which runtime.",
            choices=("Containerd", "Docker"),
            default="the one whose settings are given, else `Containerd`",
        ),
        "containerd": _CONTAINERD,
        "docker": _DOCKER,
    },
)
