"""The page about the API on Windows: field by field what differs, since when, and what to do.

Called by `tools/generate.py`, which writes docs/api-differences.md. Everything but the order and
the short introductions comes from the rules; a rule that is in no section is a mistake.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from transom.facts.rows import read
from transom.facts.rules import Rule as Row
from transom.workload.remedy import REMEDIES, safety

_BEHAVIOURS = {
    "deprecated": "deprecated",
    "different": "works differently",
    "fails": "fails",
    "ignored": "has no effect",
    "recommended": "recommended",
    "rejected": "refused",
    "required": "needed",
    "unsupported": "not supported",
    "unverified": "not verified",
}
_JUDGES = {
    "apiserver": "the API server",
    "kubelet": "the kubelet",
    "kube-proxy": "kube-proxy",
    "kubeadm": "kubeadm",
    "pod-security": "Pod Security admission",
    "runtime": "the runtime",
    "scheduler": "the scheduler",
}
_FIXES = {"yes": "`transom fix`", "no": "`transom fix --unsafe`", "depends": "`transom fix`"}

_HEAD = """\
# The Kubernetes API on Windows

What is different for pods on Windows nodes, API by API: what happens, since which Kubernetes minor,
and what to do. Lines with a link are checked by `transom lint`; the others only a request or a
running node can offend. What the API server is said to refuse is tested against a real one.

<!-- generated from the rules by tools/generate.py; edit nothing -->
"""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the API: its title, an introduction, its rules and an example file that works."""

    title: str
    text: str
    rules: tuple[str, ...]
    example: str = ""


def _span(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"WIN{number:03}" for number in range(first, last + 1))


SECTIONS = (
    Section(
        "Volumes",
        "Volumes are directories of the node or shares, mounted by the kubelet without mount "
        "namespaces. Single files, POSIX modes, tmpfs and block devices do not exist. A path is "
        "`C:\\dir`, `C:/dir` or `/dir`; mapped volumes can be read-only.",
        (*_span(120, 130), *_span(133, 146)),
    ),
    Section(
        "hostPath and named pipes",
        "A pod reaches a service of the node through a named pipe, as it would through a socket on "
        "Linux: mount `\\\\.\\pipe\\name` by hostPath, without a type.",
        ("WIN061", "WIN131", "WIN132", "WIN147"),
        "named-pipe.yaml",
    ),
    Section(
        "Resources: CPU count and percentage, memory",
        "Windows schedules by a share of all processors. The kubelet turns a CPU limit into "
        "`cpuMaximum`, in hundredths of a percent: 10 x milliCPU / processors of the node, at least "
        "1 and at most 10000. A limit of 500m on a node with 4 processors is 1250: 12.5 %. It is a "
        "hard cap. Requests only place pods; nothing reserves them, and no OOM killer frees memory.",
        ("WIN016", "WIN086", "WIN089", *_span(100, 109)),
    ),
    Section(
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
        "IPC and PID",
        "Windows containers share nothing but the network: no process or IPC namespace of the "
        "host, and none among containers.",
        ("WIN001", "WIN002", "WIN004", "WIN088"),
    ),
    Section(
        "Security",
        "Capabilities, SELinux, seccomp and AppArmor have no equivalent, and the root file system "
        "cannot be read-only. With `os.name: windows` the API server refuses these fields; without "
        "it they do nothing.",
        (
            *("WIN003", "WIN005", "WIN006", "WIN007", "WIN010", "WIN015"),
            *("WIN020", "WIN021", "WIN022", "WIN023", "WIN024", "WIN025", "WIN026", "WIN027"),
            *("WIN031", "WIN063", "WIN064"),
        ),
    ),
    Section(
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
        "HostProcess containers",
        "The counterpart of privileged containers: processes of the host, in the host's network, "
        "as a user of the host.",
        ("WIN050", "WIN051", "WIN052", "WIN053", "WIN054", "WIN059", "WIN062", "WIN065"),
    ),
    Section(
        "Placement",
        "The scheduler looks at neither os.name nor images: selectors, taints and RuntimeClasses "
        "keep Linux and Windows apart. `transom place` writes them.",
        (*_span(40, 45), *_span(70, 79)),
    ),
    Section(
        "Processes: commands, environment, signals",
        "There is no shell by default, names of variables have no case, and a process is told to "
        "stop by a console event instead of a signal.",
        ("WIN030", "WIN085", "WIN087", "WIN090", "WIN091", "WIN092", "WIN095", "WIN096"),
    ),
    Section(
        "Services",
        "kube-proxy programs the Host Networking Service; what that cannot do, a Service cannot.",
        (*_span(160, 174), "WIN178"),
    ),
    Section(
        "Images",
        "A container's base image must fit the build of the node.",
        (*_span(200, 205), "WIN215"),
    ),
    Section(
        "Workloads and nodes",
        "What old samples and old clusters stumble over.",
        (*_span(206, 214),),
    ),
)
# About documents of kubeadm, not of the API server.
ELSEWHERE = frozenset({"WIN220", "WIN221"})


def differences(examples: Mapping[str, str], *, pages: frozenset[str]) -> str:
    """The page; `examples` are the texts of example files, `pages` the rules that have a page."""
    parts = [_HEAD]
    for section in SECTIONS:
        parts.append(f"## {section.title}\n\n{section.text}\n")
        parts.append(_table(section, pages))
        if section.example:
            parts.append(f"```yaml\n{examples[section.example].rstrip()}\n```\n")
    return "\n".join(parts)


def _table(section: Section, pages: frozenset[str]) -> str:
    lines = ["| API | on Windows | since | what to do |", "|---|---|---|---|"]
    lines += (_line(row, pages) for rule in section.rules for row in read(Row) if row.id == rule)
    return "\n".join([*lines, ""])


def _line(row: Row, pages: frozenset[str]) -> str:
    name = f"[{row.id}](rules/{row.id}.md)" if row.id in pages else row.id
    remedy = REMEDIES.get(row.id)
    fix = f" ({_FIXES[safety(remedy)]})" if remedy is not None else ""
    cells = (f"{_apis(row)}<br>{name}", _what(row), _since(row), f"{row.fix}{fix}")
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _apis(row: Row) -> str:
    """The fields, those of init and ephemeral containers left out where containers are named."""
    paths: Sequence[str] = row.paths
    if any(".containers[*]" in path for path in paths):
        paths = [path for path in paths if "nitContainers" not in path and "ephemeralC" not in path]
    return f"{', '.join(row.kinds)}: {', '.join(f'`{path}`' for path in paths)}"


def _what(row: Row) -> str:
    by = f" by {_JUDGES[row.enforced_by]}" if row.enforced_by in _JUDGES else ""
    text = f"{row.title}: {_BEHAVIOURS[row.behaviour]}{by if row.behaviour == 'rejected' else ''}"
    if row.when_os_name_unset and row.when_os_name_unset != row.behaviour:
        text += f"; without os.name {_BEHAVIOURS[row.when_os_name_unset]}"
    return text


def _since(row: Row) -> str:
    since = row.effective_since or (f"with gate {row.gate}" if row.gate else "always")
    if row.enforced_since:
        since += f", enforced from {row.enforced_since}"
    until = row.kubernetes.partition("<")[2]
    return f"{since}, until {until}" if until else since
