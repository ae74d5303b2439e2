"""What the end of a service's log says about why the service ended; the words are the programs' own.

The kubelet and kube-proxy of every supported version end with one of a few lines; whatever stands
after the last sign of a good start counts.
"""

import re

from transom.model.records import dataclass
from transom.node.doctor.observation import RUNNING, LogSeen, Observation

_FAILURES = (
    re.compile(r'"command failed" err="(?P<said>(?:[^"\\]|\\.)*)"'),
    re.compile(
        r'"(?P<lead>Failed to (?:run kubelet|parse kubelet flag|load kubelet config file))" '
        r'err="(?P<said>(?:[^"\\]|\\.)*)"'
    ),
    re.compile(r'"Failed to listen and serve" err="(?P<said>(?:[^"\\]|\\.)*)"'),
    re.compile(r"^(?:Error|error): (?P<said>.+)$"),
    re.compile(
        r"level=fatal msg=\"(?P<said>(?:[^\"\\]|\\.)*)\""
        r"(?:.*? error=(?:\"(?P<why>(?:[^\"\\]|\\.)*)\"|(?P<word>[^\"\s]+)))?"
    ),
    re.compile(r"^containerd(?:\.exe)?: (?P<said>.+)$"),
    re.compile(r"^F\d{4} [^\]]*\] (?P<said>.+)$"),
    re.compile(r"^panic: (?P<said>.+)$"),
    re.compile(r"^E\d{4} [^\]]*main\.go:\d+\] (?P<said>.+)$"),
)
_STARTED = re.compile(
    r'"Started kubelet"|"Starting kubelet main sync loop"|containerd successfully booted'
    r'|"Starting node config controller"|Running backend\.|serving on \\\\\.\\pipe'
)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a service ended, in its own words, and how often the log has that ending."""

    service: str
    path: str
    line: str
    said: str
    times: int


def ending_of(observation: Observation, service: str) -> Ending | None:
    """The last failure in a service's log, unless a good start came after it."""
    log = observation.log(service)
    return _ending(log) if log is not None else None


def endings(observation: Observation) -> list[Ending]:
    """The failures of every service that does not run, or whose log ends with one."""
    found = []
    for service in observation.services:
        ending = ending_of(observation, service.name)
        if ending is not None and (service.state != RUNNING or ending.times > 1):
            found.append(ending)
    return found


def _ending(log: LogSeen) -> Ending | None:
    last: tuple[str, str] | None = None
    times = 0
    for line in log.lines:
        if _STARTED.search(line):
            last, times = None, 0
            continue
        for pattern in _FAILURES:
            match = pattern.search(line)
            if match is not None:
                last, times = (line.strip(), _words(match)), times + 1
                break
    if last is None:
        return None
    return Ending(log.service, log.path, last[0], last[1].strip(), times)


def _words(match: re.Match[str]) -> str:
    """What was said, with the error that containerd writes beside it."""
    found = match.groupdict()
    parts = (found["said"], found.get("why") or found.get("word") or "")
    return ": ".join(part for part in parts if part).replace('\\"', '"').replace("\\\\", "\\")
