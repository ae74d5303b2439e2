"""A host, and the shape that defaults, pools and hosts share."""

from collections.abc import Mapping

from transom.spec import syntax
from transom.spec.shape import Flag, Free, Items, Number, Object, Shape, Table, Text
from transom.spec.v1alpha1.credential import CREDENTIAL, SSH_CREDENTIAL

_LARGEST_PORT = 2**16 - 1
_LONGEST_GRACE_S = 7 * 24 * 3600

_WINDOWS = Object(
    title="Windows",
    about="What the host runs.",
    required=("release",),
    keys={
        "release": Text(
            about="The Windows Server release; needs no quotes.",
            syntax=syntax.LOOSE_RELEASE,
            examples=("2022", "2025"),
            numeric=True,
        )
    },
)

_USER = Text(
    about="Who to log in as.", syntax=syntax.TEXT, examples=("Administrator",), numeric=True
)
_SERVER = Text(
    about="Where it is reached, where that is not the host's address; for SSH also an alias.",
    syntax=syntax.HOST,
    examples=("win-01.mgmt.corp",),
)
_PORT = Number(about="The port, where it is not the usual one.", minimum=1, maximum=_LARGEST_PORT)

_SSH = Object(
    title="SSH",
    about="Reached over SSH.",
    keys={
        "host": _SERVER,
        "user": _USER,
        "port": _PORT,
        "jump": Text(
            about="The host to go through: [USER@]HOST[:PORT].",
            syntax=syntax.JUMP,
            examples=("bastion",),
        ),
        "hostKey": Text(
            about="The host's public key or its fingerprint; a host that shows another is refused.",
            syntax=syntax.HOST_KEY,
            examples=("ssh-ed25519 AAAA...",),
        ),
        "credential": SSH_CREDENTIAL,
    },
)

_WINRM = Object(
    title="WinRM",
    about="Reached over WinRM.",
    keys={"host": _SERVER, "user": _USER, "port": _PORT, "credential": CREDENTIAL},
)

_LOCAL = Object(
    title="Local",
    about="The host is the machine that Transom itself runs on; it is not rebooted then.",
    keys={},
)


_CONNECTION = Object(
    title="Connection",
    about="How the host is reached: exactly one of `ssh`, `winrm` and `local`.",
    exactly_one=("ssh", "winrm", "local"),
    keys={"ssh": _SSH, "winrm": _WINRM, "local": _LOCAL},
)

_KUBELET = Object(
    title="Kubelet",
    about="What the kubelet gets beyond what the facts say.",
    keys={
        "extraArgs": Table(
            about="Flags, without their dashes.",
            keys=syntax.FLAG_NAME,
            of=Text(about="The flag's value, as text.", numeric=True),
            examples=({"v": "2"},),
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
    required=("key", "effect"),
    keys={
        "key": Text(about="The taint's key.", syntax=syntax.QUALIFIED_NAME, examples=("os",)),
        "value": Text(
            about="The taint's value.",
            syntax=syntax.LABEL_VALUE,
            examples=("windows",),
            numeric=True,
        ),
        "effect": Text(
            about="What it does to pods that do not tolerate it.",
            choices=("NoSchedule", "PreferNoSchedule", "NoExecute"),
        ),
    },
)


def _folder(about: str, example: str) -> Text:
    return Text(about=about, syntax=syntax.WINDOWS_PATH, examples=(example,))


_DIRECTORIES = Object(
    title="Directories",
    about="Folders on the host that are not to be where they usually are.",
    keys={
        "install": _folder("Kubernetes' and Transom's programs.", "C:\\k"),
        "containerdRoot": _folder("containerd's images and snapshots.", "D:\\containerd"),
        "containerdState": _folder("containerd's running state.", "D:\\containerd-state"),
        "logs": _folder("The logs of services.", "D:\\logs"),
    },
)

_LONG_NAME = Object(
    title="LongName",
    about=(
        "Keep a name over 15 characters. Programs that ask Windows for the NetBIOS name then see "
        "only its first 15."
    ),
    required=("dnsSuffix",),
    keys={
        "dnsSuffix": Text(
            about="The DNS suffix that completes the host's name.",
            syntax=syntax.DNS_NAME,
            examples=("corp.example",),
        )
    },
)


_DRAIN = Object(
    title="Drain",
    about="How pods leave a node before it is disturbed.",
    keys={
        "timeout": Text(
            about="How long a node may take to empty; 10m where it is left out.",
            syntax=syntax.DURATION,
            examples=("10m",),
        ),
        "gracePeriod": Number(
            about="Seconds each pod gets to end, instead of its own.",
            minimum=0,
            maximum=_LONGEST_GRACE_S,
            examples=(30,),
        ),
        "deleteEmptyDirData": Flag(
            about="Also evict pods that lose the data of an emptyDir volume by it."
        ),
        "force": Flag(about="Also delete pods that no controller will replace."),
    },
)


_UPGRADE = Object(
    title="Upgrade",
    about="How nodes are upgraded and maintained, in waves.",
    keys={
        "maxUnavailable": Text(
            about="How many nodes of the pool may be away at once, whoever took them (NotReady, cordoned and"
            " missing ones count): a count, or a percentage (rounded down, at least one).",
            syntax=syntax.COUNT,
            examples=("1", "25%"),
            numeric=True,
        ),
        "drain": _DRAIN,
    },
)

_SHARED: Mapping[str, Shape] = {
    "windows": _WINDOWS,
    "connection": _CONNECTION,
    "kubelet": _KUBELET,
    "taints": Items(
        about="Taints the node registers with.",
        of=_TAINT,
        examples=([{"key": "os", "value": "windows", "effect": "NoSchedule"}],),
    ),
    "labels": Table(
        about="Labels the node registers with.",
        keys=syntax.QUALIFIED_NAME,
        of=Text(about="The label's value.", syntax=syntax.LABEL_VALUE, numeric=True),
        examples=({"pool": "web"},),
    ),
    "directories": _DIRECTORIES,
    "reboot": Text(
        about="Whether Transom may reboot the host where a step needs it; `allowed` if left out.",
        choices=("allowed", "refused"),
    ),
    "rename": Flag(about="Whether the computer may be renamed to the host's name."),
    "longName": _LONG_NAME,
    "role": Text(
        about="What the node is; Kubernetes runs on Windows as `worker` only.",
        choices=("worker", "control-plane"),
    ),
    "upgrade": _UPGRADE,
    "isolation": Text(
        about="What separates containers from the host: `process`, or `hyperv` where it exists.",
        choices=("process", "hyperv"),
    ),
}

DEFAULTS = Object(
    title="Defaults",
    about="What holds for every host, unless its pool or the host itself says otherwise.",
    keys=_SHARED,
)

POOL = Object(
    title="Pool",
    about="Hosts that share settings and are upgraded together.",
    required=("name",),
    keys={
        "name": Text(about="The pool's name.", syntax=syntax.NAME, examples=("web",), numeric=True),
        **_SHARED,
    },
)


HOST = Object(
    title="Host",
    about="One Windows machine.",
    required=("name",),
    keys={
        "name": Text(
            about="The computer's and the node's name.",
            syntax=syntax.HOST_NAME,
            examples=("win-01",),
            numeric=True,
        ),
        "address": Text(
            about="Its address or DNS name; its own name where this is left out.",
            syntax=syntax.HOST,
            examples=("10.0.0.21",),
        ),
        "pool": Text(
            about="The pool it belongs to.", syntax=syntax.NAME, examples=("web",), numeric=True
        ),
        **_SHARED,
    },
)
