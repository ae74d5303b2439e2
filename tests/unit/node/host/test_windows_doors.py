"""What the doors to Windows do with its answers that no lab gives: read here, with stand-ins for its libraries."""

import ctypes
import importlib
import ipaddress
import os
import re
import sys
import threading
from contextlib import contextmanager
from ctypes import wintypes
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from transom.errors import InUse, PermanentError, TemporaryError
from transom.node.engine.changes import ACTS
from transom.node.host.values import FeatureState, FirewallPort, HnsState, PathKind

LARGEST = 2**31 - 1
DENIED, NO_MORE_ITEMS = 5, 259


class Library:
    """A library whose functions do nothing until a test says what."""

    def __getattr__(self, name):
        made = SimpleNamespace()
        setattr(self, name, made)
        return made


def error_of_windows(kind, number):
    error = kind(number, "words")
    error.winerror = number
    return error


def format_error(code):
    """As ctypes has it: the number is a signed one."""
    if code > LARGEST:
        raise OverflowError("Python int too large to convert to C long")
    return f"words of {code}"


@pytest.fixture
def door(monkeypatch):
    """Imports a door as Windows would, and forgets it afterwards."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "WinDLL", lambda *_, **__: Library(), raising=False)
    monkeypatch.setattr(ctypes, "WINFUNCTYPE", ctypes.CFUNCTYPE, raising=False)
    monkeypatch.setattr(ctypes, "FormatError", format_error, raising=False)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: DENIED, raising=False)
    winreg = ModuleType("winreg")
    for number, name in enumerate(("SZ", "EXPAND_SZ", "DWORD", "QWORD", "MULTI_SZ")):
        setattr(winreg, f"REG_{name}", number)
    winreg.HKEY_LOCAL_MACHINE = 0  # type: ignore[attr-defined]
    winreg.HKEYType = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "winreg", winreg)
    yield lambda name: importlib.import_module(f"transom.node.host.windows.{name}")
    for name in set(sys.modules) - before:
        if name.startswith("transom.node.host.windows"):
            del sys.modules[name]


def test_a_signature_nobody_trusts_is_told_in_the_words_of_windows(door):
    found = door("signatures")._found(None, 0x800B0109)
    assert found.problem == f"words of {0x800B0109 - 2**32} (0x800B0109)"


def table_of(*routes):
    """MIB_IPFORWARDTABLE with rows of destination, mask and gateway."""
    rows = b"".join(
        bytes(map(int, f"{to}.{mask}.0.0.0.0.{via}".split("."))) + bytes(40)
        for to, mask, via in routes
    )
    return len(routes).to_bytes(4, "little") + rows


def test_a_routing_table_that_grows_while_it_is_read_is_read(door, monkeypatch):
    network = door("network")
    sizes = iter([60, 116])
    nowhere = str(ipaddress.IPv4Address(0))
    table = table_of((nowhere, nowhere, "10.0.0.1"), ("10.1.0.0", "255.255.0.0", "10.0.0.2"))

    def forward_table(buffer, size, _sorted):
        wanted = next(sizes, len(table))
        if len(buffer) < wanted or wanted < len(table):
            size._obj.value = wanted
            return 122
        ctypes.memmove(buffer, table, len(table))
        return 0

    monkeypatch.setattr(network, "_forward_table", forward_table)
    assert network.WindowsNetwork(None, None).gateways() == ("10.0.0.1",)


def test_a_host_without_any_route_has_no_gateway(door, monkeypatch):
    network = door("network")
    monkeypatch.setattr(network, "_forward_table", lambda *_: 232)
    assert network.WindowsNetwork(None, None).gateways() == ()


def test_all_processes_are_seen_however_many_there_are(door, monkeypatch):
    running = door("running")
    there = list(range(1_000_000, 1_010_000))

    def enumerate_processes(numbers, size, used):
        each = ctypes.sizeof(wintypes.DWORD)
        count = min(len(there), size // each)
        numbers[:count] = there[:count]
        used._obj.value = count * each
        return 1

    monkeypatch.setattr(running, "_enumerate", enumerate_processes)
    assert list(running._processes()) == list(there)


class Hns:
    """Two networks, of which one is deleted after it was listed; every text must be freed."""

    LISTED = ("11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222")

    def __init__(self):
        self.texts = {}

    def give(self, place, text):
        held = ctypes.create_unicode_buffer(text)
        self.texts[ctypes.addressof(held)] = held
        place._obj.value = ctypes.addressof(held)

    def free(self, pointer):
        if pointer.value:
            del self.texts[pointer.value]

    def enumerate_networks(self, _query, result, _error):
        quoted = ",".join(f'"{identity}"' for identity in self.LISTED)
        self.give(result, f"[{quoted}]")
        return 0

    def open_network(self, guid, handle, error):
        if bytes(guid._obj.bytes)[:1] == b"\x11":
            handle._obj.value = 1
            return 0
        self.give(error, '{"Error": "The network was not found. "}')
        return 0x803B0001

    def query_network_properties(self, _handle, _query, result, _error):
        self.give(result, '{"ID": "1", "Name": "nat"}')
        return 0

    def close_network(self, _handle):
        return 0

    def enumerate_endpoints(self, _query, _result, error):
        self.give(error, "{}")
        return 0x803B0013


@pytest.fixture
def hns(door, monkeypatch):
    """The door to the host network service, and what is behind it."""
    module, service = door("hns"), Hns()

    class Called:
        """Functions of the service; each can be told its result's type."""

        def __getattr__(self, name):
            words = re.sub(r"(?=[A-Z])", "_", name.removeprefix("Hcn")).strip("_").lower()
            made = getattr(service, words)
            return type("Function", (), {"__call__": lambda _self, *words: made(*words)})()

    monkeypatch.setattr(module, "_free", service.free)
    opened = module.WindowsHns()
    opened._library = Called()
    return opened, service


def test_a_network_that_went_since_it_was_listed_is_left_out_and_all_texts_are_freed(hns):
    opened, service = hns
    assert opened.networks() == [{"ID": "1", "Name": "nat"}]
    assert service.texts == {}


def test_a_port_that_exists_already_is_no_missing_object(hns):
    opened, service = hns
    with pytest.raises(PermanentError, match="0x803b0013"):
        opened.endpoints()
    assert service.texts == {}


class Key:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def test_values_that_come_and_go_while_they_are_listed_are_no_error(door, monkeypatch):
    registry = door("registry")
    names = ["a", "b"]

    def value(_key, number):
        if number >= len(names):
            raise error_of_windows(OSError, NO_MORE_ITEMS)
        return (names[number], "", 1)

    monkeypatch.setattr(registry.winreg, "OpenKey", lambda *_: Key(), raising=False)
    monkeypatch.setattr(registry.winreg, "EnumValue", value, raising=False)
    monkeypatch.setattr(registry.winreg, "QueryInfoKey", lambda _key: (0, 3, 0), raising=False)
    assert registry.WindowsRegistry().names("any") == ("a", "b")


def test_a_key_that_windows_keeps_closed_is_named(door, monkeypatch):
    registry = door("registry")

    def denied(*_):
        raise error_of_windows(PermissionError, DENIED)

    monkeypatch.setattr(registry.winreg, "OpenKey", denied, raising=False)
    for look in (registry.WindowsRegistry().has_key, registry.WindowsRegistry().names):
        with pytest.raises(PermanentError, match=r"cannot open HKLM\\SOFTWARE\\Exclusions: words"):
            look(r"SOFTWARE\Exclusions")


class ReadOnly:
    """A disk that lets nothing of it be replaced or removed until it is made writable."""

    def __init__(self, disk, monkeypatch):
        self.is_marked, self.done = True, []
        for name in ("replace", "unlink", "rmdir"):
            monkeypatch.setattr(disk.os, name, lambda *_, name=name: self.change(name))
        monkeypatch.setattr(disk.os, "chmod", self.unmark)
        monkeypatch.setattr(disk, "end_programs", lambda _path: 0)

    def change(self, name):
        if self.is_marked:
            raise error_of_windows(PermissionError, DENIED)
        self.done.append(name)

    def unmark(self, *_):
        self.is_marked = False


@pytest.mark.parametrize("act", ["rename", "remove", "remove_directory"])
def test_what_is_marked_as_read_only_is_replaced_and_removed_all_the_same(door, monkeypatch, act):
    module = door("disk")
    disk = module.WindowsDisk()
    monkeypatch.setattr(disk, "kind", lambda _path: PathKind.FILE)
    place = ReadOnly(module, monkeypatch)
    words = {"rename": ("beside", "target")}.get(act, ("target",))
    getattr(disk, act)(*words)
    assert len(place.done) == 1


def test_a_program_that_runs_is_not_ended_for_its_successor(door, monkeypatch):
    module = door("disk")
    disk = module.WindowsDisk()
    ended: list[str] = []

    def denied(*_):
        raise error_of_windows(PermissionError, DENIED)

    for name in ("replace", "unlink"):
        monkeypatch.setattr(module.os, name, denied)
    monkeypatch.setattr(module.os, "chmod", lambda *_: None)
    monkeypatch.setattr(module, "end_programs", ended.append)
    monkeypatch.setattr(disk, "kind", lambda _path: PathKind.FILE)
    with pytest.raises(InUse, match="it runs"):
        disk.rename("beside", r"C:\k\shim.EXE")
    assert not disk.discard(r"C:\k\transom\old\shim.exe.1")
    assert ended == []


class Protected:
    """Windows where access lists keep a path from everybody but who restores backups."""

    def __init__(self, monkeypatch, removal, *, knows_posix=True, held=False):
        self.enabled, self.opened, self.asked, self.held = [], [], [], held
        self.knows_posix = knows_posix
        self.last = DENIED
        monkeypatch.setattr(ctypes, "get_last_error", lambda: self.last, raising=False)
        monkeypatch.setattr(
            ctypes, "WinError", lambda code: error_of_windows(PermissionError, code), raising=False
        )
        for name, stand_in in (
            ("_open_token", lambda *_: 1),
            ("_current_process", lambda: 1),
            ("_look_up", self.look_up),
            ("_adjust", self.adjust),
            ("_create_file", self.create_file),
            ("_set_information", self.set_information),
            ("close_handle", lambda _handle: 1),
        ):
            monkeypatch.setattr(removal, name, stand_in)

    def look_up(self, _system, name, place):
        place._obj.low = {"SeBackupPrivilege": 17, "SeRestorePrivilege": 18}[name]
        return 1

    def adjust(self, _token, _all, wanted, _size, before, _length):
        if before is not None:
            before._obj.count = wanted._obj.count
        state = [(item.identity.low, item.attributes) for item in wanted._obj.items]
        self.enabled.append([low for low, attributes in state if attributes == 2])
        return 1

    def create_file(self, path, rights, _share, _security, _how, flags, _template):
        self.opened.append((path, rights, flags))
        return -1 if self.enabled[-1] != [17, 18] else 7

    def set_information(self, _handle, what, _value, _size):
        self.asked.append(what)
        self.last = 87 if what == 21 and not self.knows_posix else DENIED
        return 0 if self.held or (what == 21 and not self.knows_posix) else 1


def test_what_its_access_protects_is_deleted_as_a_backup_program_may(door, monkeypatch):
    removal = door("removal")
    windows = Protected(monkeypatch, removal)
    removal.delete_protected(r"C:\layer\ntdll.dll")
    ((path, rights, flags),) = windows.opened
    assert (path, rights & 0x10000) == (r"C:\layer\ntdll.dll", 0x10000)
    assert flags == 0x0200_0000 | 0x0020_0000  # for backup, and the link itself
    assert windows.asked == [21]
    assert windows.enabled == [[17, 18], []]  # and the rights are given back


def test_a_file_system_without_posix_semantics_deletes_the_older_way(door, monkeypatch):
    removal = door("removal")
    windows = Protected(monkeypatch, removal, knows_posix=False)
    removal.delete_protected("target")
    assert windows.asked == [21, 0, 4]


def test_a_path_that_is_denied_even_so_is_told_and_the_rights_are_given_back(door, monkeypatch):
    removal = door("removal")
    windows = Protected(monkeypatch, removal, held=True)
    with pytest.raises(PermissionError):
        removal.delete_protected("target")
    assert windows.asked == [21]
    assert windows.enabled[-1] == []


@pytest.mark.parametrize("act", ["remove", "remove_directory"])
@pytest.mark.parametrize("protected", [True, False])
def test_only_who_means_the_whole_tree_deletes_what_access_protects(
    door, monkeypatch, act, protected
):
    module = door("disk")
    disk = module.WindowsDisk()
    deleted: list[str] = []
    place = ReadOnly(module, monkeypatch)
    monkeypatch.setattr(module.os, "chmod", lambda *_: None)
    monkeypatch.setattr(module, "time", Passing(60.0, place.unmark))
    monkeypatch.setattr(disk, "kind", lambda _path: PathKind.FILE)
    monkeypatch.setattr(module, "delete_protected", deleted.append)
    if protected:
        getattr(disk, act)("target", protected=True)
    else:
        with pytest.raises(PermanentError, match="cannot remove target: words of 5"):
            getattr(disk, act)("target")
    assert deleted == ["target"] * protected


def test_a_program_that_runs_is_ended_and_removed_where_no_right_helps(door, monkeypatch):
    module = door("disk")
    disk = module.WindowsDisk()
    place = ReadOnly(module, monkeypatch)
    monkeypatch.setattr(module.os, "chmod", lambda *_: None)
    monkeypatch.setattr(module, "end_programs", place.unmark)
    monkeypatch.setattr(disk, "kind", lambda _path: PathKind.FILE)

    def denied(_path):
        raise error_of_windows(PermissionError, DENIED)

    monkeypatch.setattr(module, "delete_protected", denied)
    disk.remove("target", protected=True)
    assert place.done == ["unlink"]


@pytest.mark.parametrize(("attributes", "done"), [(0x410, ["rmdir"]), (0x400, ["unlink"])])
def test_a_link_is_removed_as_what_it_is_itself_though_it_leads_nowhere(
    door, monkeypatch, attributes, done
):
    module = door("disk")
    disk = module.WindowsDisk()
    place = ReadOnly(module, monkeypatch)
    place.unmark()
    monkeypatch.setattr(disk, "kind", lambda _path: PathKind.LINK)
    itself = SimpleNamespace(st_file_attributes=attributes)
    monkeypatch.setattr(module.os, "lstat", lambda _path: itself)
    monkeypatch.setattr(module.stat, "FILE_ATTRIBUTE_DIRECTORY", 0x10, raising=False)
    disk.remove(r"C:\layer\Documents and Settings", protected=True)
    assert place.done == done


def test_a_folder_whose_access_denies_listing_is_listed_as_a_backup_program_may(door, monkeypatch):
    module = door("disk")
    rights = []

    @contextmanager
    def backup_rights():
        rights.append("taken")
        yield
        rights.append("given back")

    def listed(_path):
        if rights != ["taken"]:
            raise error_of_windows(PermissionError, DENIED)
        return ["b", "a"]

    monkeypatch.setattr(module, "backup_rights", backup_rights)
    monkeypatch.setattr(module.os, "listdir", listed)
    assert module.WindowsDisk().entries("layer") == ("a", "b")
    assert rights == ["taken", "given back"]


class Chains:
    """crypt32 with a chain that ends in this status; counts what is not given back."""

    def __init__(self, monkeypatch, roots, *, status=0, fails=""):
        self.held: list[Any] = []
        self.added: list[Any] = []
        self.asked: list[Any] = []
        self.status = status
        for name in ("_open_store", "_add", "_build_chain", "_judge"):
            does = (lambda *_: 0) if name == fails else getattr(self, name.strip("_"))
            monkeypatch.setattr(roots, name, does)
        for name in ("_close_store", "_free_certificate", "_free_chain"):
            monkeypatch.setattr(roots, name, lambda *_: self.held.pop())

    def open_store(self, *_):
        self.held.append("store")
        return 1

    def add(self, _store, _encoding, encoded, size, _how, place):
        assert len(encoded) == size
        self.added.append(encoded)
        if place is not None:
            self.held.append("certificate")
            place._obj.value = 2
        return 1

    def build_chain(self, _engine, own, _time, _store, wanted, flags, _reserved, place):
        self.asked.append((own.value, wanted._obj.usage.identifiers[0], flags))
        self.held.append("chain")
        place._obj.value = 3
        return 1

    def judge(self, policy, _chain, _asked, status):
        assert policy == 4
        status._obj.error = self.status
        return 1


@pytest.mark.parametrize(
    ("status", "said"),
    [(0, ""), (0x800B0109, f"words of {0x800B0109 - 2**32} (0x800B0109)")],
)
def test_windows_is_shown_the_whole_chain_and_what_it_says_is_told(door, monkeypatch, status, said):
    roots = door("roots")
    chains = Chains(monkeypatch, roots, status=status)
    assert roots.WindowsRoots().fetch([b"own", b"between"], "dl.example") == said
    assert chains.added == [b"own", b"between"]
    assert chains.asked == [(2, b"1.3.6.1.5.5.7.3.1", 0)]  # with the network, for a server
    assert chains.held == []


@pytest.mark.parametrize("fails", ["_open_store", "_add", "_build_chain", "_judge"])
def test_a_chain_that_windows_cannot_read_is_an_error_and_nothing_is_left_open(
    door, monkeypatch, fails
):
    roots = door("roots")
    chains = Chains(monkeypatch, roots, fails=fails)
    with pytest.raises(PermanentError, match="words of 5"):
        roots.WindowsRoots().fetch([b"own"], "dl.example")
    assert chains.held == []


def test_a_server_that_shows_nothing_is_not_trusted(door):
    assert "no certificate" in door("roots").WindowsRoots().fetch([], "dl.example")


class Passing:
    """Time that passes where somebody sleeps; at a given moment something happens."""

    def __init__(self, at_s, happens):
        self._now, self._at_s, self._happens = 0.0, at_s, happens

    def monotonic(self):
        return self._now

    def sleep(self, seconds):
        self._now += seconds
        if self._now >= self._at_s:
            self._happens()


def test_what_windows_denies_while_somebody_holds_it_is_done_when_they_let_go(door, monkeypatch):
    module = door("disk")
    place = ReadOnly(module, monkeypatch)
    monkeypatch.setattr(module.os, "chmod", lambda *_: None)
    monkeypatch.setattr(module, "time", Passing(3.0, place.unmark))
    module.WindowsDisk().rename("beside", "target")
    assert place.done == ["replace"]


def test_what_windows_denies_for_another_reason_is_told(door, monkeypatch):
    module = door("disk")
    place = ReadOnly(module, monkeypatch)
    monkeypatch.setattr(module.os, "chmod", lambda *_: None)
    monkeypatch.setattr(module, "time", Passing(60.0, place.unmark))
    with pytest.raises(PermanentError, match="cannot put in place target: words of 5"):
        module.WindowsDisk().rename("beside", "target")
    assert place.done == []


def test_a_path_longer_than_windows_takes_is_named_so_that_it_does(door, monkeypatch, tmp_path):
    module = door("disk")
    long = "C:\\" + "\\".join(["x" * 60] * 5)
    behind, really = tmp_path / "behind", os.open

    def opened(path, *words):
        if len(path) >= 260 and not path.startswith("\\\\?\\"):
            raise FileNotFoundError(path)
        return really(behind, *words)

    behind.write_bytes(b"there" * 20_000)
    for name in ("O_BINARY", "O_NOINHERIT"):
        monkeypatch.setattr(module.os, name, 0, raising=False)
    monkeypatch.setattr(module.os, "open", opened)
    disk = module.WindowsDisk()
    assert disk.read(long) == b"there" * 20_000
    disk.append(long, b", and more")
    disk.flush(long)
    assert behind.read_bytes() == b"there" * 20_000 + b", and more"


@pytest.mark.parametrize(
    ("attributes", "error", "kind"),
    [
        (0x20, 0, PathKind.FILE),
        (0x10, 0, PathKind.DIRECTORY),
        (0x410, 0, PathKind.LINK),
        (0x400, 0, PathKind.LINK),
        (0xFFFF_FFFF, 2, PathKind.ABSENT),
        (0xFFFF_FFFF, 3, PathKind.ABSENT),
        (0xFFFF_FFFF, 32, PathKind.DIRECTORY),
    ],
)
def test_what_is_at_a_path_is_told_by_its_attributes_and_what_is_in_use_by_its_directory(
    door, monkeypatch, attributes, error, kind
):
    module = door("disk")
    monkeypatch.setattr(module, "_attributes", lambda _path: attributes)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: error, raising=False)
    for name, bits in (("REPARSE_POINT", 0x400), ("DIRECTORY", 0x10)):
        monkeypatch.setattr(module.stat, f"FILE_ATTRIBUTE_{name}", bits, raising=False)
    monkeypatch.setattr(module.os, "lstat", lambda _path: SimpleNamespace(st_file_attributes=0x10))
    assert module.WindowsDisk().kind(r"C:\k") is kind


def test_a_service_that_is_just_stopping_is_waited_for(door, monkeypatch):
    services = door("services")
    states = iter([3, 3, 3, 3, 1])

    def query(_handle, _level, place, _size, _needed):
        place._obj.state, place._obj.process = next(states, 1), 0
        return 1

    for name in ("_open_manager", "_open_service"):
        monkeypatch.setattr(services, name, lambda *_: 1)
    monkeypatch.setattr(services, "_close_service", lambda _handle: 1)
    monkeypatch.setattr(services, "_query_status", query)
    monkeypatch.setattr(services, "_control_service", lambda *_: 0)
    monkeypatch.setattr(services.ctypes, "get_last_error", lambda: 1062, raising=False)
    monkeypatch.setattr(services, "_pause", lambda *_: None)
    services.WindowsServices(None).stop("kubelet")
    assert list(states) == []


class Registered:
    """The service manager's side: what is registered, and whether anybody deleted it."""

    def __init__(self):
        self.names = {"transom-run"}

    def running(self, _name):
        return False

    def put(self, name, definition):
        self.names -= {name} if definition is None else set()


def test_a_starter_that_is_second_leaves_the_first_ones_service_alone(door, monkeypatch):
    """Both saw nothing run; the pipe is what only one can have."""
    background = door("background")
    services = Registered()

    class Descriptor:
        def __enter__(self):
            return None

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(background, "descriptor_from", lambda _text: Descriptor())
    monkeypatch.setattr(background, "_create_pipe", lambda *_: background.INVALID_HANDLE)
    with pytest.raises(TemporaryError, match="another run is just beginning"):
        background.WindowsBackground(services).start(["node.pyz"], lambda: b"request")
    assert services.names == {"transom-run"}


def test_a_service_says_at_once_that_it_stops(door, monkeypatch):
    """Stop-Service takes one that still runs after two seconds for one that does not stop."""
    background = door("background")
    states, handlers, asked, told = [], [], threading.Event(), threading.Event()

    def register(_name, handler):
        handlers.append(handler)
        return 1

    def set_status(_reporter, status):
        states.append(status._obj.state)
        return 1

    def dispatch(table):
        thread = threading.Thread(target=table[0].main, args=(0, None))
        thread.start()
        assert asked.wait(10)
        handlers[0](1)
        told.set()
        thread.join(10)
        handlers[0](1)  # too late: it has ended
        return 1

    def work(stopped):
        asked.set()
        assert told.wait(10)
        return int(not stopped())

    monkeypatch.setattr(background, "_register", register)
    monkeypatch.setattr(background, "_set_status", set_status)
    monkeypatch.setattr(background, "_dispatch", dispatch)
    assert background.WindowsBackground(Registered()).be_service("kube-proxy", work) == 0
    assert states == [4, 3, 1]


def test_a_host_without_containers_has_nothing_of_the_network_service(door, monkeypatch):
    module = door("hns")

    def missing(*_, **__):
        raise OSError("no such library")

    monkeypatch.setattr(ctypes, "WinDLL", missing, raising=False)
    assert module.WindowsHns().state() == HnsState()


class Rules:
    """The registry's firewall rules, and netsh.exe, which deletes and adds them."""

    PLAIN = "v2.31|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=10250|Name=kubelet|"

    def __init__(self, *texts):
        self.texts = list(texts)

    def names(self, _key):
        return range(len(self.texts))

    def get(self, _key, number):
        return SimpleNamespace(value=self.texts[number])

    def run(self, argv, *, timeout_s):
        assert timeout_s > 0
        if "delete" in argv:
            self.texts = []
        else:
            port = argv[-1].removeprefix("localport=")
            assert port
            self.texts.append(self.PLAIN.replace("10250", port))
        return SimpleNamespace(code=0, output="")


@pytest.mark.parametrize(
    "theirs",
    [
        [Rules.PLAIN.replace("Allow", "Block")],
        [Rules.PLAIN.replace("TRUE", "FALSE")],
        [Rules.PLAIN.replace("LPort=10250", "LPort=1")[:-1] + "|RA4=10.0.0.0/255.0.0.0|"],
        [Rules.PLAIN.replace("LPort=10250", "LPort=1|LPort=2")],
        [Rules.PLAIN.replace("10250", "1"), Rules.PLAIN.replace("10250", "2")],
    ],
    ids=["blocks", "is off", "for some only", "two ports", "two rules"],
)
def test_anothers_firewall_rule_that_could_not_be_put_back_is_not_replaced(door, theirs):
    """And taking back what was not done is no error."""
    rules = Rules(*theirs)
    firewall = door("settings").WindowsFirewall(rules, rules)
    wanted = FirewallPort(protocol="tcp", port="10250")
    before = ACTS["firewall-rule"].look(SimpleNamespace(firewall=firewall), "kubelet")
    assert firewall.get("kubelet") != wanted
    with pytest.raises(PermanentError, match="could not be put back"):
        firewall.put("kubelet", wanted)
    ACTS["firewall-rule"].restore(SimpleNamespace(firewall=firewall), "kubelet", before)
    assert rules.texts == theirs


def test_a_firewall_rule_that_says_only_a_port_is_replaced_and_put_back(door):
    rules = Rules(Rules.PLAIN.replace("10250", "1"))
    host = SimpleNamespace(firewall=door("settings").WindowsFirewall(rules, rules))
    before = ACTS["firewall-rule"].look(host, "kubelet")
    host.firewall.put("kubelet", FirewallPort(protocol="tcp", port="10250"))
    assert rules.texts == [Rules.PLAIN]
    ACTS["firewall-rule"].restore(host, "kubelet", before)
    assert rules.texts == [Rules.PLAIN.replace("10250", "1")]


class Dism:
    """Answers as dism.exe does."""

    def __init__(self):
        self.ran = []

    def run(self, argv, *, timeout_s):
        assert timeout_s
        self.ran.append(argv[-1] if argv[-1] != "/NoRestart" else argv[3])
        return SimpleNamespace(code=0, output="State : Enabled\n")


def test_the_state_of_a_feature_is_asked_for_once(door):
    dism = Dism()
    features = door("settings").WindowsFeatures(dism)
    names = ("Containers", "Hyper-V", "Containers")
    assert [features.state(name) for name in names] == [FeatureState.ENABLED] * len(names)
    assert dism.ran == ["/FeatureName:Containers", "/FeatureName:Hyper-V"]


def test_a_change_makes_features_be_asked_for_again(door):
    dism = Dism()
    features = door("settings").WindowsFeatures(dism)
    features.state("Containers")
    features.enable("Containers")
    features.state("Containers")
    asked = "/FeatureName:Containers"
    assert dism.ran == [asked, "/Enable-Feature", asked]


def test_the_room_of_volumes_is_that_of_windows_and_a_missing_one_has_none(door, monkeypatch):
    system = door("system")

    def free_space(root, free, total, _all):
        if root != "C:\\":
            return 0
        free._obj.value, total._obj.value = 3, 5
        return 1

    monkeypatch.setattr(system, "_free_space", free_space)
    this = system.WindowsSystem(None)
    assert this.free_bytes(r"C:\k") == 3
    assert {root: (room.free, room.total) for root, room in this.volumes().items()} == {
        "C:\\": (3, 5)
    }
    with pytest.raises(PermanentError, match="cannot measure D:"):
        this.free_bytes("D:\\")
