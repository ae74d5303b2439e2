"""Whether a host behaves as the steps rely on: the contract, run on this machine with a report.

The same checks run on the simulated host in unit tests, which keeps that one honest, and by the
verb `selftest` on any Windows Server. Each leaves nothing behind.
"""

import base64
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from transom.errors import PermanentError, TemporaryError, TransomError
from transom.model.answers import SelfTest, SelfTestCheck, WindowsVersion
from transom.model.sddl import CLOSED_FILE
from transom.node.host.access import same_access
from transom.node.host.protocols import Machine
from transom.node.host.values import (
    FeatureState,
    FirewallPort,
    PathKind,
    RegistryData,
    ServiceDefinition,
)

_FOLDER = r"C:\transom-selftest"
_DRIVE = "C:\\"
_KEY = r"SOFTWARE\transom-selftest"
_NAME = "transom-selftest"
_READ_ONLY = "O:BAG:SYD:PAI(A;;0x1200a9;;;SY)(A;;0x1200a9;;;BA)"
_HELD_S = 0.3
_PATIENCE_S = 30
# A certificate that nobody but itself vouches for; its key was thrown away.
_STRANGER = (
    "MIIBJDCBy6ADAgECAgEBMAoGCCqGSM49BAMCMBsxGTAXBgNVBAMMEHN0cmFuZ2VyLmludmFsaWQwIBcNMjAwMTAx"
    "MDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBsxGTAXBgNVBAMMEHN0cmFuZ2VyLmludmFsaWQwWTATBgcqhkjOPQIB"
    "BggqhkjOPQMBBwNCAASiEaWiRz9+vs6ZnYv0G+VEQo4W4P7U7RIsSOFHenWQNGHsskcsv6LhjwO71rjMsiRnxZEp"
    "Oly3K3RCD1RdgG0zMAoGCCqGSM49BAMCA0gAMEUCIQCCA5Kh3PuzZ3hSojaetNgpsdT+4BwL6cn4MX3jCm9cSwIg"
    "Fk56re8OMJ2LHzM18lPK3Zt0w/lFFwXdnHqaIS/fOYo="
)


def selftest(machine: Machine) -> SelfTest:
    """Run every check and report, with the Windows it ran on."""
    checks = tuple(_outcome(name, check, machine) for name, check in CHECKS.items())
    build, revision = machine.system.build()
    return SelfTest(
        windows=WindowsVersion(build=build, revision=revision),
        checks=checks,
        failed=sum(1 for item in checks if item.problem),
    )


def _outcome(name: str, check: Callable[[Machine], bool], machine: Machine) -> SelfTestCheck:
    try:
        problem = "" if check(machine) else "the host answered otherwise"
    except TransomError as error:
        problem = error.message
    return SelfTestCheck(check=name, problem=problem)


@contextmanager
def _folder(machine: Machine) -> Iterator[str]:
    machine.files.make_directory(_FOLDER)
    try:
        yield _FOLDER
    finally:
        machine.files.remove_tree(_FOLDER)


def _write(machine: Machine) -> bool:
    with _folder(machine) as folder:
        path = folder + r"\file"
        machine.files.write(path, b"one")
        machine.files.write(path, [b"t", b"wo"])
        machine.disk.flush(path)
        return machine.files.read(path) == b"two" and machine.files.entries(folder) == ("file",)


def _append(machine: Machine) -> bool:
    with _folder(machine) as folder:
        machine.files.append(folder + r"\part", b"ab")
        machine.files.append(folder + r"\part", b"c")
        machine.files.move(folder + r"\part", folder + r"\whole")
        return (
            machine.files.size(folder + r"\whole") == len(b"abc")
            and machine.files.kind(folder + r"\part") is PathKind.ABSENT
        )


def _held(machine: Machine) -> bool:
    with _folder(machine) as folder:
        path = folder + r"\held"
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
    with _folder(machine) as folder:
        machine.files.make_directory(folder + r"\a\b")
        machine.files.write(folder + r"\a\b\file", b"")
        machine.files.remove_tree(folder + r"\a")
        return machine.files.entries(folder) == ()


def _protected(machine: Machine) -> bool:
    with _folder(machine) as folder:
        machine.files.make_directory(folder + r"\layer\a")
        machine.files.write(folder + r"\layer\a\file", b"")
        for path in (r"\layer\a\file", r"\layer\a", r"\layer"):
            machine.files.set_acl(folder + path, _READ_ONLY)
        machine.files.remove_tree(folder + r"\layer")
        return machine.files.entries(folder) == ()


def _listing(machine: Machine) -> bool:
    with _folder(machine) as folder:
        machine.files.write(folder + r"\file", b"")
        return all(_refuses_to_list(machine, folder + name) for name in (r"\missing", r"\file"))


def _refuses_to_list(machine: Machine, path: str) -> bool:
    return _refuses(lambda: machine.files.entries(path))


def _refuses(act: Callable[[], object]) -> bool:
    try:
        act()
    except PermanentError:
        return True
    return False


def _missing(machine: Machine) -> bool:
    with _folder(machine) as folder:
        files, path = machine.files, folder + r"\missing"
        files.remove(path)  # what is not there is removed already
        return (
            files.kind(path) is PathKind.ABSENT
            and _refuses(lambda: files.read(path))
            and _refuses(lambda: files.open(path))
            and _refuses(lambda: files.sha256(path))
            and _refuses(lambda: files.size(path))
            and _refuses(lambda: files.acl(path))
        )


def _orphan(machine: Machine) -> bool:
    with _folder(machine) as folder:
        return _refuses(lambda: machine.files.write(folder + r"\no\such\file", b"x"))


def _again(machine: Machine) -> bool:
    with _folder(machine) as folder:
        machine.files.write(folder + r"\file", b"x")
        machine.files.make_directory(folder)  # it is there, with something in it
        return machine.files.read(folder + r"\FILE") == b"x"


def _replaced(machine: Machine) -> bool:
    with _folder(machine) as folder:
        machine.files.write(folder + r"\new", b"new")
        machine.files.write(folder + r"\old", b"old", acl=CLOSED_FILE)
        machine.files.move(folder + r"\new", folder + r"\old")
        return machine.files.entries(folder) == ("old",) and (
            machine.files.read(folder + r"\old") == b"new"
        )


def _link(machine: Machine) -> bool:
    with _folder(machine) as folder:
        machine.files.write(folder + r"\dated", b"kept")
        machine.files.link(folder + r"\current", folder + r"\dated")
        led = machine.files.read(folder + r"\current") == b"kept"
        machine.files.remove(folder + r"\current")
        return led and machine.files.read(folder + r"\dated") == b"kept"


def _no_key(machine: Machine) -> bool:
    registry = machine.registry
    return (
        not registry.has_key(_KEY)
        and registry.get(_KEY, "number") is None
        and _refuses(lambda: registry.put(_KEY, "number", RegistryData("dword", 7)))
    )


def _values(machine: Machine) -> bool:
    kinds = (
        RegistryData("string", "text with ü"),
        RegistryData("expand-string", r"%SystemRoot%\x"),
        RegistryData("multi-string", ("one", "two")),
        RegistryData("qword", 2**40),
    )
    machine.registry.make_key(_KEY)
    try:
        for data in kinds:
            machine.registry.put(_KEY, data.type, data)
        return all(machine.registry.get(_KEY, data.type) == data for data in kinds)
    finally:
        machine.registry.delete_key(_KEY)


def _no_service(machine: Machine) -> bool:
    services = machine.services
    services.put(_NAME, None)  # what is not there is deleted already
    services.stop(_NAME)
    return (
        services.get(_NAME) is None
        and not services.running(_NAME)
        and _refuses(lambda: services.start(_NAME))
    )


def _no_program(machine: Machine) -> bool:
    argv = [_FOLDER + r"\no such program.exe"]
    return _refuses(lambda: machine.processes.run(argv, timeout_s=_PATIENCE_S))


def _access(machine: Machine) -> bool:
    with _folder(machine) as folder:
        machine.files.write(folder + r"\secret", b"x", acl=CLOSED_FILE)
        return same_access(machine.files.acl(folder + r"\secret"), CLOSED_FILE)


def _lock(machine: Machine) -> bool:
    with _folder(machine) as folder, machine.disk.lock(folder + r"\lock", "the first"):
        try:
            with machine.disk.lock(folder + r"\lock", "the second"):
                return False
        except TemporaryError as error:
            return "the first" in error.message


def _registry(machine: Machine) -> bool:
    data = RegistryData("dword", 7)
    machine.registry.make_key(_KEY)
    try:
        machine.registry.put(_KEY, "number", data)
        found = machine.registry.get(_KEY, "number")
        machine.registry.put(_KEY, "number", None)
        return found == data and machine.registry.get(_KEY, "number") is None
    finally:
        machine.registry.delete_key(_KEY)


def _environment(machine: Machine) -> bool:
    try:
        machine.environment.add_entry(_NAME, r"C:\one")
        machine.environment.add_entry(_NAME, r"C:\ONE" + "\\")
        machine.environment.add_entry(_NAME, r"C:\two")
        machine.environment.remove_entry(_NAME, r"C:\one")
        return machine.environment.get(_NAME) == r"C:\two"
    finally:
        machine.environment.put(_NAME, None)


def _service(machine: Machine) -> bool:
    definition = ServiceDefinition(
        command=r'"C:\no such\program.exe" --flag',
        display_name="Transom self-test",
        start="demand",
        environment=("A=1",),
        restart_delays_ms=(1000, 60000),
        reset_s=900,
    )
    try:
        machine.services.put(_NAME, definition)
        found = machine.services.get(_NAME)
        return found == definition and not machine.services.running(_NAME)
    finally:
        machine.services.put(_NAME, None)


def _system(machine: Machine) -> bool:
    system = machine.system
    system.domain()  # a workgroup has none, which is an answer too
    volumes = system.volumes()
    return bool(system.computer_name() and system.edition()) and any(
        root.upper() == _DRIVE and volume.total >= volume.free for root, volume in volumes.items()
    )


def _feature(machine: Machine) -> bool:
    known = machine.features.state("Containers")
    return known is not FeatureState.ABSENT and (
        machine.features.state(_NAME) is FeatureState.ABSENT
    )


def _firewall(machine: Machine) -> bool:
    rule = FirewallPort(protocol="tcp", port="47999")
    try:
        machine.firewall.put(_NAME, rule)
        return machine.firewall.get(_NAME) == rule
    finally:
        machine.firewall.put(_NAME, None)


def _suffix(machine: Machine) -> bool:
    suffix = f"{_NAME}.example"
    before = machine.network.dns_suffixes()
    try:
        machine.network.add_dns_suffix(suffix)
        added = machine.network.dns_suffixes()
    finally:
        machine.network.remove_dns_suffix(suffix)
    return added == (*before, suffix) and machine.network.dns_suffixes() == before


def _adapters(machine: Machine) -> bool:
    return any(adapter.addresses for adapter in machine.network.adapters())


def _roots(machine: Machine) -> bool:
    return bool(machine.roots.fetch([base64.b64decode(_STRANGER)], "stranger.invalid"))


def _flush(machine: Machine) -> bool:
    machine.flush()
    return True


CHECKS = {
    "files are written whole": _write,
    "a part is continued and moved": _append,
    "a file that somebody holds for a moment is replaced": _held,
    "a tree is removed": _tree,
    "a tree is removed whatever its access says": _protected,
    "only a folder that is there can be listed": _listing,
    "what is not there cannot be read, and can be removed": _missing,
    "a file needs its folder": _orphan,
    "a folder that is there stays as it is, and names have no case": _again,
    "a finished file replaces another": _replaced,
    "a link leads to its file and goes without it": _link,
    "access is set and read back": _access,
    "a lock keeps others out and names its holder": _lock,
    "registry values are set and deleted": _registry,
    "a registry value needs its key": _no_key,
    "registry values keep their kind": _values,
    "list variables have no duplicates": _environment,
    "services are registered and deleted": _service,
    "a service that is not there has no state and does not start": _no_service,
    "a program that is not there does not start": _no_program,
    "the machine tells its name, edition, domain and volumes": _system,
    "features are told by name": _feature,
    "firewall rules are added and deleted": _firewall,
    "DNS suffixes are added and removed": _suffix,
    "adapters are told with their addresses": _adapters,
    "a certificate that nobody vouches for is refused": _roots,
    "everything can be flushed": _flush,
}
