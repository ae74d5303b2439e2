"""The kubelet ends because of a flag on its command line, and which one it is."""

import re
from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.doctor.service_log import endings
from transom.node.engine.step import Seen

_UNKNOWN = re.compile(r"unknown (?:shorthand )?flag: '?(?P<flag>-{0,2}[\w-]+)'?")
_INVALID = re.compile(r'invalid argument "(?P<value>[^"]*)" for "(?P<flag>[^"]+)" flag')
_GATE = re.compile(r"unrecognized feature gate: (?P<gate>[\w.]+)")
_LOCKED = re.compile(r"cannot set feature gate (?P<gate>\w+) to \w+, feature is locked")


def _examine(seen: Observation) -> Iterator[Trouble]:
    for ending in endings(seen):
        said = ending.said
        if match := _UNKNOWN.search(said):
            text = f"{ending.service} does not know the flag {match['flag']}"
        elif match := _INVALID.search(said):
            flag = match["flag"].rpartition(" ")[2]
            text = f"{ending.service} does not take {match['value']!r} for {flag}"
        elif match := _GATE.search(said) or _LOCKED.search(said):
            text = f"{ending.service} does not take the feature gate {match['gate']}"
        else:
            continue
        yield Trouble(
            subject=ending.service, message=text, evidence=(ending.line,), file=ending.path
        )


DIAGNOSIS = Diagnosis(
    id="flag-refused",
    title="Flag refused",
    symptom="The service kubelet is stopped or paused right after it starts; a join times out on "
    "the kubelet's health port.",
    cause="The command line has a flag, a value or a feature gate that this version does not take; "
    "flags are removed between minors.",
    remedy=Remedy(
        "Take it off the service's command line, or out of kubeadm-flags.env, and start the "
        "service; `transom explain FLAG` says which versions have it.",
        "Nothing more: the service is not running.",
    ),
    looks_at=("logs", "services"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    hides=("service-stopped", "service-restarting", "node-not-ready"),
)
