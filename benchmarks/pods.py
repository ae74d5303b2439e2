"""Pods made by chance: valid ones, changed in the fields that matter on Windows.

Everything follows from the seed alone.
What the API server refuses on every system is left out, so that a refusal has a Windows reason.
"""

import random
from collections.abc import Iterator
from typing import Any

SEED = 20261116

_WINDOWS_IMAGE = "mcr.microsoft.com/windows/servercore:ltsc2022"
_IMAGES = (_WINDOWS_IMAGE, "mcr.microsoft.com/windows/nanoserver:ltsc2025", "example.com/app:1")

# Fields of the pod's spec, of its security context, of containers and of theirs, with values that
# are valid on some system.
_SPEC: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("hostPID", (True, False)),
    ("hostIPC", (True, False)),
    ("hostUsers", (True,)),
    ("shareProcessNamespace", (True, False)),
    ("hostNetwork", (True, False)),
    ("dnsPolicy", ("ClusterFirst", "ClusterFirstWithHostNet", "Default")),
    ("terminationGracePeriodSeconds", (0, 5, 60)),
    ("hostAliases", ([], [{"ip": "10.0.0.1", "hostnames": ["db"]}])),
    ("nodeSelector", ({"kubernetes.io/os": "windows"}, {"beta.kubernetes.io/os": "windows"})),
    ("tolerations", ([{"key": "os", "value": "windows", "effect": "NoSchedule"}],)),
    ("resources", ({"limits": {"cpu": "2", "memory": "1Gi"}},)),
    ("setHostnameAsFQDN", (True, False)),
)
_POD_SECURITY: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("seLinuxOptions", ({"level": "s0:c1,c2"}, {})),
    ("seccompProfile", ({"type": "RuntimeDefault"}, {"type": "Unconfined"})),
    ("appArmorProfile", ({"type": "RuntimeDefault"},)),
    ("fsGroup", (0, 2000)),
    ("fsGroupChangePolicy", ("OnRootMismatch", "Always")),
    ("sysctls", ([], [{"name": "kernel.shm_rmid_forced", "value": "1"}])),
    ("runAsUser", (0, 1000)),
    ("runAsGroup", (0, 3000)),
    ("runAsNonRoot", (True, False)),
    ("supplementalGroups", ([], [4000])),
    ("supplementalGroupsPolicy", ("Merge", "Strict")),
    ("seLinuxChangePolicy", ("Recursive", "MountOption")),
)
_SECURITY: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("seLinuxOptions", ({"level": "s0:c1,c2"},)),
    ("seccompProfile", ({"type": "RuntimeDefault"},)),
    ("appArmorProfile", ({"type": "Unconfined"},)),
    ("capabilities", ({}, {"drop": ["ALL"]}, {"add": ["NET_ADMIN"]})),
    ("readOnlyRootFilesystem", (True, False)),
    ("privileged", (True, False)),
    ("allowPrivilegeEscalation", (True,)),
    ("procMount", ("Default",)),
    ("runAsUser", (0, 1000)),
    ("runAsGroup", (0, 3000)),
    ("runAsNonRoot", (True, False)),
)
_USERS = (
    *("ContainerUser", "ContainerAdministrator", "NT AUTHORITY\\SYSTEM", "CORP\\svc", "a.b c"),
    *("", "a\\b\\c", "who?", "...", "x" * 104, "x" * 105, "corp.example.com\\svc", "\\svc"),
    *("CORP\\", "a:b", "user@corp", "-corp\\svc", "tab\there"),
)
_CREDENTIALS = ("web", "web.corp", "Web", "", "web_1", "-web")
_CREDENTIAL_SPECS = ("{}", "", "x" * 65536, "x" * 65537)


def pods(number: int, *, seed: int = SEED) -> Iterator[dict[str, Any]]:
    """So many pods."""
    chance = random.Random(seed)  # noqa: S311 - repeatable on purpose
    for count in range(number):
        yield _pod(chance, f"pod-{count}")


def _pod(chance: random.Random, name: str) -> dict[str, Any]:
    spec: dict[str, Any] = {}
    system = chance.choices(("windows", "linux", "", "plan9", None), (12, 3, 5, 0.2, 0.2))[0]
    if system != "":
        spec["os"] = {} if system is None else {"name": system}
    image = chance.choice(_IMAGES) if system != "linux" else "example.com/app:1"
    spec["containers"] = [
        _container(chance, f"c{number}", image) for number in range(chance.choice((1, 1, 2)))
    ]
    if chance.random() < 0.2:  # noqa: PLR2004 - one pod in five
        spec["initContainers"] = [_container(chance, "init", image)]
    _choose(chance, _SPEC, spec, share=0.07)
    security: dict[str, Any] = {}
    _choose(chance, _POD_SECURITY, security, share=0.04)
    options = _windows_options(chance, share=0.1)
    if options is not None:
        security["windowsOptions"] = options
    if system != "linux" and chance.random() < 0.08:  # noqa: PLR2004 - one in twelve
        _make_host_process(chance, spec, security)
    if security or chance.random() < 0.2:  # noqa: PLR2004 - an empty one now and then
        spec["securityContext"] = security
    _settle(spec)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def _container(chance: random.Random, name: str, image: str) -> dict[str, Any]:
    container: dict[str, Any] = {"name": name, "image": image}
    security: dict[str, Any] = {}
    _choose(chance, _SECURITY, security, share=0.03)
    options = _windows_options(chance, share=0.08)
    if options is not None:
        security["windowsOptions"] = options
    if security:
        container["securityContext"] = security
    if chance.random() < 0.1:  # noqa: PLR2004 - one in ten
        container["env"] = [{"name": chance.choice(("PATH", "Logging:Level", "a.b"))}]
    if chance.random() < 0.2:  # noqa: PLR2004 - one in five
        container["resources"] = {"limits": {"cpu": "500m", "memory": chance.choice(("1Gi", "8m"))}}
    return container


def _windows_options(chance: random.Random, *, share: float) -> dict[str, Any] | None:
    if chance.random() > share:
        return None
    options: dict[str, Any] = {}
    if chance.random() < 0.5:  # noqa: PLR2004 - half of them
        options["runAsUserName"] = chance.choice(_USERS)
    if chance.random() < 0.4:  # noqa: PLR2004 - two in five
        options["hostProcess"] = chance.choice((True, True, False))
    if chance.random() < 0.2:  # noqa: PLR2004 - one in five
        options["gmsaCredentialSpecName"] = chance.choice(_CREDENTIALS)
    if chance.random() < 0.1:  # noqa: PLR2004 - one in ten
        options["gmsaCredentialSpec"] = chance.choice(_CREDENTIAL_SPECS)
    return options


def _make_host_process(
    chance: random.Random, spec: dict[str, Any], security: dict[str, Any]
) -> None:
    """HostProcess said at the pod, at containers or both, now and then with a contradiction."""
    spec["hostNetwork"] = chance.random() < 0.8  # noqa: PLR2004 - mostly as it must be
    for holder in (spec, *spec["containers"], *spec.get("initContainers", ())):
        if chance.random() < 0.7:  # noqa: PLR2004 - most of them
            context = security if holder is spec else holder.setdefault("securityContext", {})
            options = context.setdefault("windowsOptions", {})
            options["hostProcess"] = chance.random() < 0.8  # noqa: PLR2004 - mostly true


def _choose(
    chance: random.Random,
    fields: tuple[tuple[str, tuple[Any, ...]], ...],
    holder: dict[str, Any],
    *,
    share: float,
) -> None:
    for name, values in fields:
        if chance.random() < share:
            holder[name] = chance.choice(values)


def _settle(spec: dict[str, Any]) -> None:
    """Take away what the API server refuses on every system."""
    if spec.get("hostPID") is True and spec.get("shareProcessNamespace") is True:
        del spec["hostPID"]
    sysctls = spec.get("securityContext", {}).get("sysctls")
    if sysctls and (spec.get("hostIPC") or spec.get("hostNetwork")):
        spec["securityContext"]["sysctls"] = []
    if "resources" in spec:
        for container in (*spec["containers"], *spec.get("initContainers", ())):
            container.pop("resources", None)
