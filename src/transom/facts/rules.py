"""What does not work on Windows, or does something else there: the rules WIN001 and on, as data.

Read by everything that checks workloads and configuration, and by `explain`. Rows whose `op` is
not `custom` can be run as they are: one operator on the values at `paths`.
"""

from typing import ClassVar

from transom.facts.rows import Row


class Rule(Row):
    """One rule. The row's range of Kubernetes minors is where the behaviour exists at all.

    `kinds`: a Pod stands for every kind with a pod template too. `paths` are dotted; `[*]` is
    every item of a list, `*` any key and `['a.b/c']` a key with dots. `scope` are conditions that
    must all hold: `windows` (the pod is known to be for Windows), `os-name-windows` and
    `os-name-linux` (spec.os.name says so), `host-process`, `no-host-process`.

    `op` with `value`: set, absent, non_empty, equals, not_equals, equals_ci, in, not_in, prefix,
    prefix_any, suffix, contains, gt, length_outside [least, most], first_word_in (with `*`),
    regex_violation, or custom, of which `match` tells in words and `value` a limit, if any. Only absent and not_equals are
    also true of a value that is not there.

    `effective_since` is the first minor that behaves so with default gates, empty where none
    does. A `gate` makes the behaviour, or with `gate_lifts` ends it. `when_os_name_unset` is the
    behaviour without spec.os.name, where it differs; `enforced_since` is the first minor in which
    `enforced_by` does what `behaviour` says, where Windows never had the field before either: until
    then it behaves as without spec.os.name. `missing` marks a custom rule about something that is
    not there, which is not said of patches and fragments. `effect` says what happens where the
    behaviour is `different`. `elsewhere` says why no object can offend it,
    of a rule that lint does not check.
    """

    subject: ClassVar[str] = "rules"
    table: ClassVar[str] = "rule"

    title: str
    kinds: tuple[str, ...]
    paths: tuple[str, ...]
    match: str
    op: str
    behaviour: str
    enforced_by: str
    severity: str
    fix: str
    scope: tuple[str, ...] = ()
    value: object = None
    effective_since: str = ""
    gate: str = ""
    gate_lifts: bool = False
    when_os_name_unset: str = ""
    enforced_since: str = ""
    missing: bool = False
    effect: str = ""
    elsewhere: str = ""
