"""Families of rules: the parts of the API, each with the rules about it.

Read by whoever selects rules by family, and by the page that lists the differences.
"""

from collections.abc import Iterable
from typing import NamedTuple


class Section(NamedTuple):
    """A part of the API: its family, title, introduction, rules and an example file that works."""

    family: str
    title: str
    text: str
    rules: tuple[str, ...]
    example: str = ""


def _span(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"WIN{number:03}" for number in range(first, last + 1))


SECTIONS = (
    Section(
        "volumes",
        "Volumes",
        "Volumes are directories of the node or shares, mounted by the kubelet without mount "
        "namespaces. Single files, POSIX modes, tmpfs and block devices do not exist. A path is "
        "`C:\\dir`, `C:/dir` or `/dir`; mapped volumes can be read-only.",
        (*_span(120, 130), *_span(133, 146)),
    ),
    Section(
        "host-paths",
        "hostPath and named pipes",
        "A pod reaches a service of the node through a named pipe, as it would through a socket on "
        "Linux: mount `\\\\.\\pipe\\name` by hostPath, without a type.",
        ("WIN061", "WIN131", "WIN132", "WIN147"),
        "named-pipe.yaml",
    ),
    Section(
        "resources",
        "Resources: CPU count and percentage, memory",
        "Windows schedules by a share of all processors. The kubelet turns a CPU limit into "
        "`cpuMaximum`, in hundredths of a percent: 10 x milliCPU / processors of the node, at least "
        "1 and at most 10000. A limit of 500m on a node with 4 processors is 1250: 12.5 %. It is a "
        "hard cap. Requests only place pods; nothing reserves them, and no OOM killer frees memory.",
        ("WIN016", "WIN086", "WIN089", *_span(100, 109)),
    ),
    Section(
        "networking",
        "Networking: DNS policy, host network, names",
        "Pods have their own network; HostProcess pods have that of the host. DNS is set through "
        "the network plugin, and one suffix is all that short names get.",
        (
            "WIN080",
            "WIN081",
            "WIN082",
            "WIN083",
            "WIN084",
            "WIN094",
            "WIN175",
            "WIN176",
            "WIN177",
            "WIN179",
        ),
    ),
    Section(
        "namespaces",
        "IPC and PID",
        "Windows containers share nothing but the network: no process or IPC namespace of the "
        "host, and none among containers.",
        ("WIN001", "WIN002", "WIN004", "WIN088"),
    ),
    Section(
        "security",
        "Security",
        "Capabilities, SELinux, seccomp and AppArmor have no equivalent, and the root file system "
        "cannot be read-only. With `os.name: windows` the API server refuses these fields; without "
        "it they do nothing.",
        (
            *("WIN003", "WIN005", "WIN006", "WIN007", "WIN010", "WIN015", "WIN017"),
            *("WIN020", "WIN021", "WIN022", "WIN023", "WIN024", "WIN025", "WIN026", "WIN027"),
            *("WIN031", "WIN063", "WIN064"),
        ),
    ),
    Section(
        "users",
        "Users",
        "A user is a name, not a number: `securityContext.windowsOptions.runAsUserName`. Groups "
        "and the ownership of volumes are not changed.",
        (
            *("WIN008", "WIN009", "WIN011", "WIN012", "WIN013", "WIN014", "WIN028", "WIN029"),
            *("WIN055", "WIN056", "WIN057", "WIN058", "WIN060", "WIN066", "WIN093"),
        ),
        "run-as-user.yaml",
    ),
    Section(
        "hostprocess",
        "HostProcess containers",
        "The counterpart of privileged containers: processes of the host, in the host's network, "
        "as a user of the host.",
        ("WIN050", "WIN051", "WIN052", "WIN053", "WIN054", "WIN059", "WIN062", "WIN065"),
    ),
    Section(
        "placement",
        "Placement",
        "The scheduler looks at neither os.name nor images: selectors, taints and RuntimeClasses "
        "keep Linux and Windows apart. `transom place` writes them.",
        (*_span(40, 45), *_span(70, 79)),
    ),
    Section(
        "processes",
        "Processes: commands, environment, signals",
        "There is no shell by default, names of variables have no case, and a process is told to "
        "stop by a console event instead of a signal.",
        ("WIN030", "WIN085", "WIN087", "WIN090", "WIN091", "WIN092", "WIN095", "WIN096"),
    ),
    Section(
        "services",
        "Services",
        "kube-proxy programs the Host Networking Service; what that cannot do, a Service cannot.",
        (*_span(160, 174), "WIN178"),
    ),
    Section(
        "images",
        "Images",
        "A container's base image must fit the build of the node.",
        (*_span(200, 205), "WIN215"),
    ),
    Section(
        "clusters",
        "Workloads and nodes",
        "What old samples and old clusters stumble over.",
        (*_span(206, 214),),
    ),
)
# About documents of kubeadm, not of the API server.
ELSEWHERE = frozenset({"WIN220", "WIN221"})
_KUBEADM = "kubeadm"


def family_of(rule: str) -> str:
    """The family that a rule belongs to, empty where no rule has the id."""
    if rule in ELSEWHERE:
        return _KUBEADM
    return next((section.family for section in SECTIONS if rule in section.rules), "")


def meant_by(written: Iterable[str], known: frozenset[str]) -> tuple[frozenset[str], list[str]]:
    """The ids that names mean, and the names that mean none.

    A name is an id, the beginning of some (`WIN05`), or a family (`hostprocess`).
    """
    found: set[str] = set()
    unknown: list[str] = []
    for name in dict.fromkeys(written):
        ids = {rule for rule in known if rule.startswith(name.upper())} if name else set()
        ids = ids or {rule for rule in known if family_of(rule) == name.lower()}
        found |= ids
        if not ids:
            unknown.append(name)
    return frozenset(found), unknown
