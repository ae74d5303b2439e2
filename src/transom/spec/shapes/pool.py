"""A pool: hosts that share settings and change together, in waves."""

from typing import Any

from transom.model import fleet
from transom.spec import syntax
from transom.spec.shape import Count, Number, Object, Text
from transom.spec.shapes.cluster import KUBERNETES
from transom.spec.shapes.host import SETTINGS
from transom.spec.shapes.source import PROXY

_LONGEST_S = 7 * 24 * 3600
_POLICIES = {"Refuse": False, "Delete": True}


def _drain(
    *,
    timeout_seconds: int | None = None,
    grace_period_seconds: int | None = None,
    empty_dir_policy: bool = False,
    unmanaged_pod_policy: bool = False,
) -> fleet.Drain:
    timeout: dict[str, Any] = {} if timeout_seconds is None else {"timeout_s": timeout_seconds}
    return fleet.Drain(
        grace_period_s=grace_period_seconds,
        delete_empty_dir_data=empty_dir_policy,
        force=unmanaged_pod_policy,
        **timeout,
    )


_DRAIN = Object(
    title="Drain",
    about="How pods leave a node before it is disturbed.",
    make=_drain,
    keys={
        "timeoutSeconds": Number(
            about="How long a node may take to empty.",
            default="600",
            minimum=1,
            maximum=_LONGEST_S,
            examples=(600,),
        ),
        "gracePeriodSeconds": Number(
            about="How long each pod gets to end.",
            default="the pod's own",
            minimum=0,
            maximum=_LONGEST_S,
            examples=(30,),
        ),
        "emptyDirPolicy": Text(
            about="What happens to pods that lose the data of an emptyDir volume by leaving.",
            choices=tuple(_POLICIES),
            default="`Refuse`",
            make=_POLICIES.__getitem__,
        ),
        "unmanagedPodPolicy": Text(
            about="What happens to pods that no controller will replace.",
            choices=tuple(_POLICIES),
            default="`Refuse`",
            make=_POLICIES.__getitem__,
        ),
    },
)


def _rollout(*, pause_seconds: int = 0, **parts: Any) -> fleet.Upgrade:
    return fleet.Upgrade(pause_s=pause_seconds, **parts)


ROLLOUT = Object(
    title="Rollout",
    about="How `apply`, `upgrade` and `maintain` change nodes in use, in waves.",
    make=_rollout,
    keys={
        "maxUnavailable": Count(
            about="How many nodes of the pool may be away at once, whoever took them (NotReady, cordoned and"
            " missing ones count): a count, or a percentage (rounded down, at least one).",
            default="1",
            examples=(1, "25%"),
        ),
        "pauseSeconds": Number(
            about="How long to wait between two waves, with the nodes of the last one Ready.",
            default="0",
            minimum=0,
            maximum=_LONGEST_S,
            examples=(300,),
        ),
        "drain": _DRAIN,
    },
)

POOL = Object(
    title="Pool",
    about="Hosts that share settings and change together.",
    required=("name",),
    keys={
        "name": Text(about="The pool's name.", syntax=syntax.NAME, examples=("web",)),
        "kubernetes": KUBERNETES,
        "proxy": PROXY,
        "rollout": ROLLOUT,
        "host": SETTINGS,
    },
)
