"""What a host promises about files, folders, links, access and locks."""

import hashlib
import threading

from transom.errors import TemporaryError
from transom.model import sddl
from transom.model.sddl import CLOSED_FILE, CLOSED_FOLDER
from transom.node.host.access import same_access
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.verbs.contract.promise import Promise, folder, refuses

_READ_ONLY = "O:BAG:SYD:PAI(A;;0x1200a9;;;SY)(A;;0x1200a9;;;BA)"
_HELD_S = 0.3


def _write(machine: Machine) -> bool:
    with folder(machine) as place:
        path = place + r"\file"
        machine.files.write(path, b"one")
        machine.files.write(path, [b"t", b"wo"])
        machine.disk.flush(path)
        return machine.files.read(path) == b"two" and machine.files.entries(place) == ("file",)


def _parts(machine: Machine) -> bool:
    with folder(machine) as place:
        content = bytes(range(256)) * 300
        machine.files.write(place + r"\file", content)
        with machine.files.open(place + r"\file") as stream:
            stream.seek(len(content) - 2)
            end = stream.read(10)
        return (
            end == content[-2:]
            and machine.files.size(place + r"\file") == len(content)
            and machine.files.sha256(place + r"\file") == hashlib.sha256(content).hexdigest()
        )


def _append(machine: Machine) -> bool:
    with folder(machine) as place:
        machine.files.append(place + r"\part", b"ab")
        machine.files.append(place + r"\part", b"c")
        machine.files.move(place + r"\part", place + r"\whole")
        return (
            machine.files.size(place + r"\whole") == len(b"abc")
            and machine.files.kind(place + r"\part") is PathKind.ABSENT
        )


def _held(machine: Machine) -> bool:
    with folder(machine) as place:
        path = place + r"\held"
        machine.files.write(path, b"one")
        reader = machine.files.open(path)
        letting_go = threading.Timer(_HELD_S, reader.close)
        letting_go.start()
        try:
            machine.files.write(path, b"two")
        finally:
            letting_go.join()
        return machine.files.read(path) == b"two"


def _tree(machine: Machine) -> bool:
    with folder(machine) as place:
        machine.files.make_directory(place + r"\a\b")
        machine.files.write(place + r"\a\b\file", b"")
        machine.files.remove_tree(place + r"\a")
        machine.files.remove_tree(place + r"\a")  # what is not there is removed already
        return machine.files.entries(place) == ()


def _protected(machine: Machine) -> bool:
    with folder(machine) as place:
        machine.files.make_directory(place + r"\layer\a")
        machine.files.write(place + r"\layer\a\file", b"")
        for path in (r"\layer\a\file", r"\layer\a", r"\layer"):
            machine.files.set_acl(place + path, _READ_ONLY)
        machine.files.remove_tree(place + r"\layer")
        return machine.files.entries(place) == ()


def _listing(machine: Machine) -> bool:
    with folder(machine) as place:
        machine.files.write(place + r"\file", b"")
        missing, file = (place + name for name in (r"\missing", r"\file"))
        return refuses(lambda: machine.files.entries(missing)) and (
            refuses(lambda: machine.files.entries(file))
        )


def _missing(machine: Machine) -> bool:
    with folder(machine) as place:
        files, path = machine.files, place + r"\missing"
        files.remove(path)  # what is not there is removed already
        return (
            files.kind(path) is PathKind.ABSENT
            and refuses(lambda: files.read(path))
            and refuses(lambda: files.open(path))
            and refuses(lambda: files.sha256(path))
            and refuses(lambda: files.size(path))
            and refuses(lambda: files.acl(path))
            and refuses(lambda: files.flush(path))
            and refuses(lambda: files.move(path, place + r"\other"))
            and refuses(lambda: files.set_acl(path, CLOSED_FILE))
        )


def _orphan(machine: Machine) -> bool:
    with folder(machine) as place:
        path = place + r"\no\such\file"
        return (
            refuses(lambda: machine.files.write(path, b"x"))
            and refuses(lambda: machine.files.append(path, b"x"))
            and refuses(lambda: machine.disk.make_directory(path))
        )


def _again(machine: Machine) -> bool:
    with folder(machine) as place:
        machine.files.write(place + r"\file", b"x")
        machine.files.make_directory(place)  # it is there, with something in it
        return machine.files.read(place + r"\FILE") == b"x" and (
            refuses(lambda: machine.disk.make_directory(place))
            and refuses(lambda: machine.disk.remove_directory(place))
        )


def _replaced(machine: Machine) -> bool:
    with folder(machine) as place:
        machine.files.write(place + r"\new", b"new")
        machine.files.write(place + r"\old", b"old", acl=CLOSED_FILE)
        machine.files.move(place + r"\new", place + r"\old")
        return (
            machine.files.entries(place) == ("old",)
            and machine.files.read(place + r"\old") == b"new"
            and not same_access(machine.files.acl(place + r"\old"), CLOSED_FILE)
        )


def _folder_stays(machine: Machine) -> bool:
    with folder(machine) as place:
        machine.files.make_directory(place + r"\taken")
        machine.files.write(place + r"\new", b"new")
        return refuses(lambda: machine.files.move(place + r"\new", place + r"\taken")) and (
            machine.files.kind(place + r"\taken") is PathKind.DIRECTORY
        )


def _link(machine: Machine) -> bool:
    with folder(machine) as place:
        machine.files.write(place + r"\dated", b"kept")
        machine.files.link(place + r"\current", place + r"\dated")
        led = machine.files.read(place + r"\current") == b"kept" and (
            machine.files.kind(place + r"\current") is PathKind.LINK
        )
        machine.files.remove(place + r"\current")
        return led and machine.files.read(place + r"\dated") == b"kept"


def _link_below(machine: Machine) -> bool:
    with folder(machine) as place:
        machine.files.write(place + r"\dated", b"kept")
        machine.files.make_directory(place + r"\tree")
        machine.files.link(place + r"\tree\current", place + r"\dated")
        machine.files.remove_tree(place + r"\tree")
        return machine.files.entries(place) == ("dated",)


def _access(machine: Machine) -> bool:
    with folder(machine) as place:
        machine.files.write(place + r"\secret", b"x", acl=CLOSED_FILE)
        machine.files.make_directory(place + r"\closed")
        machine.files.set_acl(place + r"\closed", CLOSED_FOLDER)
        found = machine.files.acl(place + r"\closed")
        return (
            same_access(machine.files.acl(place + r"\secret"), CLOSED_FILE)
            and same_access(found, CLOSED_FOLDER)
            and sddl.owner_of(found) == sddl.ADMINISTRATORS
        )


def _owner(machine: Machine) -> bool:
    with folder(machine) as place:
        return sddl.owner_of(machine.files.acl(place)) in sddl.TRUSTED_OWNERS


def _lock(machine: Machine) -> bool:
    with folder(machine) as place:
        with machine.disk.lock(place + r"\lock", "the first"):
            try:
                with machine.disk.lock(place + r"\lock", "the second"):
                    return False
            except TemporaryError as error:
                named = "the first" in error.message
        with machine.disk.lock(place + r"\lock", "the third"):
            return named


PROMISES: dict[str, Promise] = {
    "files are written whole": _write,
    "a file is read from any place of it": _parts,
    "a part is continued and moved": _append,
    "a file that somebody holds for a moment is replaced": _held,
    "a tree is removed": _tree,
    "a tree is removed whatever its access says": _protected,
    "only a folder that is there can be listed": _listing,
    "what is not there cannot be read, and can be removed": _missing,
    "a file needs its folder": _orphan,
    "a folder that is there stays as it is, and names have no case": _again,
    "a finished file replaces another, and keeps its own access": _replaced,
    "no file takes the name of a folder": _folder_stays,
    "a link leads to its file and goes without it": _link,
    "a tree is removed without what links in it lead to": _link_below,
    "access is set and read back": _access,
    "what is made belongs to administrators": _owner,
    "a lock keeps others out, names its holder and ends": _lock,
}
