"""What holds for a host: the settings that defaults, pools and hosts share, and what is one host's own."""

from collections.abc import Mapping
from typing import Any

from transom.model import fleet, taint
from transom.spec import syntax
from transom.spec.shape import Free, Items, Number, Object, Shape, Table, Text, Union
from transom.spec.shapes.runtime import RUNTIME

_LARGEST_PORT = 2**16 - 1

_WINDOWS = Object(
    title="Windows",
    about="What the host runs.",
    make=fleet.WindowsSpec,
    required=("release",),
    keys={
        "release": Text(
            about='The Windows Server release, as Microsoft tags its images; `"1809"` and the like in quotes.',
            syntax=syntax.RELEASE,
            examples=("ltsc2022", "ltsc2025"),
        )
    },
)

_USER = Text(
    about="Who to log in as.",
    default="`Administrator`; for SSH what `~/.ssh/config` says",
    syntax=syntax.TEXT,
    examples=("Administrator",),
)
_SERVER = Text(
    about="Where one host is reached, where that is not its address; for SSH also an alias.",
    default="the host's `address`",
    syntax=syntax.HOST,
    examples=("win-01.mgmt.corp",),
)
_PORT = Number(
    about="The port.",
    default="the usual one",
    minimum=1,
    maximum=_LARGEST_PORT,
    examples=(2222,),
)

_SSH = Object(
    title="SSH",
    about="Settings of SSH; what is left out comes from `~/.ssh/config`.",
    keys={
        "host": _SERVER,
        "user": _USER,
        "port": _PORT,
        "jump": Text(
            about="The host to go through: [USER@]HOST[:PORT].",
            syntax=syntax.JUMP,
            examples=("bastion",),
        ),
    },
)

_WINRM = Object(
    title="WinRM",
    about="Settings of WinRM.",
    keys={"host": _SERVER, "user": _USER, "port": _PORT},
)

TRANSPORTS = {"SSH": fleet.Transport.SSH, "WinRM": fleet.Transport.WINRM}


def _connection(
    *,
    type: str | None = None,  # noqa: A002 - the document's key
    ssh: dict[str, Any] | None = None,
    winrm: dict[str, Any] | None = None,
    credential_name: str | None = None,
) -> dict[str, Any]:
    transport = TRANSPORTS[type or ("WinRM" if winrm is not None else "SSH")]
    return {"transport": transport, "credential_name": credential_name, **(ssh or winrm or {})}


CONNECTION = Object(
    title="Connection",
    about="How the host is reached.",
    make=_connection,
    default="SSH to its address",
    union=Union(members={"SSH": "ssh", "WinRM": "winrm"}, inferred=True),
    keys={
        "type": Text(
            about="The way.",
            choices=tuple(TRANSPORTS),
            default="the one whose settings are given, else `SSH`",
        ),
        "ssh": _SSH,
        "winrm": _WINRM,
        "credentialName": Text(
            about="The credential, by its name in the Client document.",
            default="the SSH agent's keys and those in `~/.ssh`",
            syntax=syntax.CREDENTIAL_NAME,
            examples=("admins",),
        ),
    },
)

_ARGUMENT = Object(
    title="KubeletArgument",
    about="A flag of the kubelet.",
    required=("name", "value"),
    keys={
        "name": Text(
            about="The flag without its dashes.", syntax=syntax.FLAG_NAME, examples=("v",)
        ),
        "value": Text(about="Its value, as text.", examples=("2",)),
    },
)


def _kubelet(
    *, extra_args: tuple[dict[str, str], ...] = (), config: Mapping[str, Any] | None = None
) -> fleet.KubeletSpec:
    arguments = {each["name"]: each["value"] for each in extra_args}
    return fleet.KubeletSpec(extra_args=arguments, config=config or {})


_KUBELET = Object(
    title="Kubelet",
    about="What the kubelet gets beyond what the facts say.",
    make=_kubelet,
    keys={
        "extraArgs": Items(
            about="More flags. Those that Transom sets itself are refused.",
            of=_ARGUMENT,
            by=("name",),
            examples=([{"name": "v", "value": "2"}],),
        ),
        "config": Free(
            about="Fields of KubeletConfiguration, as Kubernetes spells them.",
            examples=({"maxPods": 110},),
        ),
    },
)

_TAINT = Object(
    title="Taint",
    about="A taint the node registers with.",
    make=taint.Taint,
    required=("key", "effect"),
    keys={
        "key": Text(about="The taint's key.", syntax=syntax.QUALIFIED_NAME, examples=("os",)),
        "value": Text(
            about="The taint's value.",
            default="an empty one",
            syntax=syntax.LABEL_VALUE,
            examples=("windows",),
        ),
        "effect": Text(
            about="What it does to pods that do not tolerate it.",
            choices=tuple(effect.value for effect in taint.TaintEffect),
            make=taint.TaintEffect,
        ),
    },
)


def _folder(about: str, example: str) -> Text:
    return Text(
        about=about, default="the facts' one", syntax=syntax.WINDOWS_PATH, examples=(example,)
    )


_DIRECTORIES = Object(
    title="Directories",
    about="Folders on the host that are not to be where they usually are.",
    make=fleet.Directories,
    keys={
        "install": _folder("Kubernetes' programs. The journal stays in C:\\k\\transom.", "C:\\k"),
        "containerdRoot": _folder("containerd's images and snapshots.", "D:\\containerd"),
        "containerdState": _folder("containerd's running state.", "D:\\containerd-state"),
        "logs": _folder("The logs of services.", "D:\\logs"),
    },
)

_LONG_NAME = Object(
    title="LongName",
    about=(
        "Keep a computer name over 15 characters. Programs that ask Windows for the NetBIOS name then "
        "see only its first 15."
    ),
    make=fleet.LongName,
    required=("dnsSuffix",),
    keys={
        "dnsSuffix": Text(
            about="The DNS suffix that completes the host's name.",
            syntax=syntax.DNS_NAME,
            examples=("corp.example",),
        )
    },
)

_NAME_POLICIES = {"Keep": False, "Rename": True}
_REBOOT_POLICIES = {"IfNeeded": fleet.Reboot.ALLOWED, "Never": fleet.Reboot.REFUSED}
_ISOLATIONS = {"Process": fleet.Isolation.PROCESS, "HyperV": fleet.Isolation.HYPERV}

_SETTINGS: Mapping[str, Shape] = {
    "windows": _WINDOWS,
    "connection": CONNECTION,
    "runtime": RUNTIME,
    "kubelet": _KUBELET,
    "labels": Table(
        about="Labels of the node. Those that Kubernetes, the kubelet or Transom set are refused.",
        keys=syntax.QUALIFIED_NAME,
        of=Text(about="The label's value.", syntax=syntax.LABEL_VALUE),
        examples=({"example.com/tier": "web"},),
    ),
    "taints": Items(
        about="Taints the node registers with.",
        of=_TAINT,
        by=("key", "effect"),
        examples=([{"key": "os", "value": "windows", "effect": "NoSchedule"}],),
    ),
    "directories": _DIRECTORIES,
    "computerNamePolicy": Text(
        about="Whether the computer may be renamed to the host's `computerName`.",
        choices=tuple(_NAME_POLICIES),
        default="`Keep`",
        make=_NAME_POLICIES.__getitem__,
    ),
    "longName": _LONG_NAME,
    "rebootPolicy": Text(
        about="Whether Transom may reboot the host where a step needs it.",
        choices=tuple(_REBOOT_POLICIES),
        default="`IfNeeded`",
        make=_REBOOT_POLICIES.__getitem__,
    ),
    "isolation": Text(
        about="What separates containers from the host: `Process`, or `HyperV` where it exists.",
        choices=tuple(_ISOLATIONS),
        default="`Process`",
        make=_ISOLATIONS.__getitem__,
    ),
}

DEFAULTS = Object(
    title="HostSettings",
    about="What holds for every host, unless its pool or the host itself says otherwise.",
    keys=_SETTINGS,
)

SETTINGS = Object(
    title="HostOverrides",
    about="What differs from the level above; maps merge, lists and single values replace.",
    keys={
        **_SETTINGS,
        "unset": Items(
            about="Keys that are inherited and shall not be, as JSON pointers: `/` is written `~1`, `~` is `~0`.",
            of=Text(about="One key.", syntax=syntax.POINTER, examples=("/labels/tier",)),
            examples=(["/labels/example.com~1tier"],),
        ),
    },
)

NAME = Text(
    about="The host's name, in lower case: what `--host` takes.",
    syntax=syntax.OBJECT_NAME,
    examples=("win-01",),
)

# What is one host's own, in a WindowsHost as in an entry of a Fleet's `hosts`.
OWN: Mapping[str, Shape] = {
    "poolName": Text(
        about="The pool it belongs to.", default="none", syntax=syntax.NAME, examples=("web",)
    ),
    "address": Text(
        about="How it is reached: an IP address or a DNS name.",
        default="its name",
        syntax=syntax.HOST,
        examples=("10.0.0.21",),
    ),
    "computerName": Text(
        about="What Windows calls the machine.",
        default="its name",
        syntax=syntax.HOST_NAME,
        examples=("WIN-01",),
    ),
    "nodeName": Text(
        about="What its Node is called.",
        default="`computerName` in lower case",
        syntax=syntax.OBJECT_NAME,
        examples=("win-01.corp.example",),
    ),
    "nodeIP": Text(
        about="The address of the node in the cluster.",
        default="found on the host",
        syntax=syntax.ADDRESS,
        examples=("10.1.0.21",),
    ),
    "sshHostKeys": Items(
        about="The host's public keys or their fingerprints; a host that shows another is refused.",
        of=Text(about="One key.", syntax=syntax.HOST_KEY, examples=("ssh-ed25519 AAAA...",)),
        default="known_hosts, or confirmed by you",
        least=1,
        examples=(["ssh-ed25519 AAAA..."],),
    ),
    "host": SETTINGS,
}

ENTRY = Object(
    title="FleetHost",
    about="One Windows machine: its name, and every key of a WindowsHost's `spec` but `fleetName`.",
    required=("name",),
    keys={"name": NAME, **OWN},
)
