"""What is done to a host, phase by phase: the whole order on one page.

Each phase looks first, does one thing, may be turned again, and says what it waits for; `turning` turns them. Its
value, with when it is left out, how long it has and what a failure of it leaves, stands below its turn in `work*.py`.
"""

from transom.fleet.turning import Phase
from transom.fleet.work.change import (
    APPROVE,
    KEEP_LABELS,
    KEEP_SCHEDULABLE,
    LABEL,
    LEAVE,
    READY_NOW,
    REBOOT,
    REBOOTS,
    RUN,
    TOKEN,
    UPLOAD,
    ChangeWork,
    KeepWork,
)
from transom.fleet.work.host import BRING, CONNECT, CORDON, DRAIN, READY, UNCORDON
from transom.fleet.work.maintain import COMMAND, LOOK_AGAIN, MARK_DONE, REACH, MaintenanceWork
from transom.fleet.work.maintain import REBOOT as REBOOT_AFTER
from transom.fleet.work.reset import (
    DELETE_NODE,
    FIND,
    GIVE_BACK,
    IDENTIFY,
    REMOVE,
    SHOW,
    UNDO,
    UNLABEL,
    ResetWork,
)

# A join, an upgrade or an adoption: the request says which.
CHANGE: tuple[Phase[ChangeWork], ...] = (
    CONNECT,  # a session with the host
    BRING,  # this version's node program and its Python
    UPLOAD,  # artifacts that the host cannot fetch itself
    CORDON,  # where pods would feel the change
    DRAIN,
    *((TOKEN, RUN, REBOOT) * (REBOOTS + 1)),  # until Windows asks for no more reboot
    LEAVE,  # uploads go, what was not applied is looked at again, the session ends
    READY,
    LABEL,  # what a kubelet may not give its Node
    APPROVE,  # the serving certificate of a node that has just joined
    UNCORDON,  # only what is ours to take back
)

# A host that is as planned: its Node is looked after.
KEEP: tuple[Phase[KeepWork], ...] = (READY_NOW, KEEP_LABELS, KEEP_SCHEDULABLE)

RESET: tuple[Phase[ResetWork], ...] = (
    CONNECT,
    BRING,  # only by force
    FIND,  # a host without the program is left as it is: every other phase is left out
    IDENTIFY,  # whose it is; what becomes of its Node
    SHOW,  # by force: everything that would be taken, to be agreed to
    CORDON,
    DRAIN,
    UNLABEL,  # the add-ons' pods leave; that the Node has to go is written on it
    UNDO,
    DELETE_NODE,
    GIVE_BACK,  # the Node of a host that was adopted, to its maker
    REMOVE,  # the program goes last: where the Node stays, the same command finds it and goes on
)

MAINTAIN: tuple[Phase[MaintenanceWork], ...] = (
    CORDON,
    DRAIN,
    REACH,
    COMMAND,
    REBOOT_AFTER,
    LOOK_AGAIN,  # a Windows that is no longer the recipe's keeps the node cordoned
    READY,
    MARK_DONE,
    UNCORDON,
)
