r"""Nothing below `C:\k` on a host runs or is believed before Windows said whose it is."""

import asyncio
import json

import pytest
from tests.simulation import Session

from transom.errors import PermanentError, UnsupportedError
from transom.fleet.diagnose import diagnose_host
from transom.fleet.on_host.program import NodeProgram, own_sum
from transom.fleet.planning.plan import Standing
from transom.fleet.survey import survey_fleet
from transom.node.host.values import PathKind
from transom.remote import powershell
from transom.testing.simulated_disk import Entry

K, HOME = r"C:\k", r"C:\k\transom"
USER = "S-1-5-21-3623811015-3361044348-30300820-1013"
INSTALLER = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"
CLOSED = "D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
# What an administrator's `mkdir C:\k` has on Windows Server: Users may add to it, and own what they add.
BELOW_C = (
    "D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)(A;CIID;LC;;;BU)"
    "(A;CIID;DC;;;BU)(A;OICIIOID;GA;;;CO)"
)
# The same on a drive where Authenticated Users may modify: they can put another folder in its place.
MODIFY = "D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1301bf;;;AU)"


def have(machine, path, access):
    machine.host.files.make_directory(path)
    machine.host.files.set_acl(path, access)


def plant(machine, access):
    """A folder of somebody else, with all that makes a program of this very version look brought."""
    have(machine, HOME, access)
    files = machine.host.files
    files.make_directory(HOME + r"\python")
    files.write(HOME + r"\python\python.exe", b"MZ planted")
    files.write(HOME + r"\node.pyz", b"planted")
    note = {"python": "0" * 64, "program": own_sum(), "made": []}
    files.write(HOME + r"\brought.json", json.dumps(note).encode())


def survey(simulation):
    return asyncio.run(survey_fleet(simulation.fleet, simulation.lock, simulation.doors()))


def test_a_planted_program_is_never_started_and_the_owner_and_the_repair_are_named(simulation):
    machine = simulation.machines["win-01"]
    plant(machine, f"O:{USER}G:BU{BELOW_C}")
    surveyed = survey(simulation)
    assert machine.orders == []
    (host, _) = surveyed.plan.hosts
    assert host.standing is Standing.FAILED
    error = surveyed.surveys["win-01"]
    assert isinstance(error, UnsupportedError)
    assert error.message == rf"C:\k\transom on the host belongs to {USER}: nothing in it is used"
    assert r"rmdir /s /q C:\k\transom" in error.hint


def test_a_join_believes_no_planted_note_and_sends_no_token(world):
    plant(world, f"O:{USER}G:BU{BELOW_C}")
    with pytest.raises(UnsupportedError, match="belongs to"):
        world.join()
    assert (world.orders, world.tokens) == ([], [])


@pytest.mark.parametrize(
    ("path", "access", "said"),
    [
        (K, f"O:{USER}{CLOSED}", f"belongs to {USER}"),
        (K, f"O:LA{CLOSED}", "belongs to the account Administrator"),
        (K, CLOSED, "belongs to nobody"),
        (K, f"O:BA{MODIFY}", r"can be changed by Authenticated Users \(AU\)"),
        (K, "O:BAD:NO_ACCESS_CONTROL", "can be changed by somebody"),
        (K, "O:BA", "can be changed by somebody"),
        (K, "O:BAD:(A;;FA;;;SY)(XA;;FX;;;WD;(Exists Title))", "can be changed by somebody"),
        (HOME, f"O:{USER}{CLOSED}", f"belongs to {USER}"),
        (HOME, f"O:BA{BELOW_C}", r"can be changed by Users \(BU\)"),
        (HOME, f"O:BA{CLOSED}(A;;WD;;;{USER})", f"can be changed by {USER}"),
        (HOME, f"O:SY{CLOSED}(A;;GA;;;WD)", r"can be changed by Everyone \(WD\)"),
    ],
)
def test_folders_that_somebody_else_could_fill_or_exchange_are_refused(world, path, access, said):
    if path != K:
        have(world, K, f"O:BA{BELOW_C}")
    have(world, path, access)
    with pytest.raises(UnsupportedError, match=said) as raised:
        asyncio.run(NodeProgram(Session(world)).is_there())
    assert raised.value.hint


@pytest.mark.parametrize("owner", ["SY", "BA", INSTALLER])
@pytest.mark.parametrize("parent", [BELOW_C, CLOSED])
def test_folders_of_administrators_system_and_trustedinstaller_are_used(world, owner, parent):
    have(world, K, f"O:{owner}G:SY{parent}")
    have(world, HOME, f"O:{owner}G:SY{CLOSED}")
    assert asyncio.run(NodeProgram(Session(world)).is_there()) is False


@pytest.mark.parametrize("path", [K, HOME])
@pytest.mark.parametrize(("kind", "said"), [(PathKind.LINK, "link"), (PathKind.FILE, "a file")])
def test_links_and_files_in_their_place_are_refused(world, path, kind, said):
    if path != K:
        have(world, K, f"O:BA{CLOSED}")
    world.host.disk._seen[path.lower()] = Entry(kind, path, acl=f"O:BA{CLOSED}")
    with pytest.raises(UnsupportedError, match=said):
        asyncio.run(NodeProgram(Session(world)).is_there())


def test_a_folder_that_somebody_makes_at_the_last_moment_is_refused(world, brought):
    """After the first look, before ours is made: what is there in the end counts."""

    class Raced(Session):
        async def script(self, text, *, timeout_s):
            if "CreateDirectory" in text:
                plant(self.machine, f"O:{USER}G:BU{BELOW_C}")
            return await super().script(text, timeout_s=timeout_s)

    with pytest.raises(UnsupportedError, match="belongs to"):
        asyncio.run(NodeProgram(Raced(world)).bring(brought))
    assert world.orders == []


def test_both_folders_are_made_closed_and_by_windows_itself(world, brought):
    asyncio.run(NodeProgram(Session(world)).bring(brought))
    for path in (K, HOME):
        assert world.host.files.acl(path) == "O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
    assert not any(command[0] == "icacls" for command in world.commands)


def test_a_program_that_is_not_there_is_not_started(world):
    """A folder that appears after the look is not the one that was looked at."""
    program = NodeProgram(Session(world))
    assert asyncio.run(program.is_there()) is False
    plant(world, f"O:{USER}G:BU{BELOW_C}")
    with pytest.raises(PermanentError, match="does not have"):
        asyncio.run(program.inventory())
    assert world.orders == []


def test_a_visit_beside_an_apply_takes_nothing_of_it_away(simulation):
    """The program is brought for a look while another command makes the host a node."""
    machine = simulation.machines["win-01"]
    journal = HOME + r"\state\journal"
    run = Session.run

    async def meanwhile(self, command, **more):
        done = await run(self, command, **more)
        if self.machine is machine and machine.orders and machine.host.files.kind(K):
            have(machine, HOME, f"O:BAG:SY{CLOSED}")
            machine.host.files.make_directory(HOME + r"\state")
            machine.host.files.write(journal, b"what apply did")
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "run", meanwhile)
        survey(simulation)
    assert machine.host.files.read(journal) == b"what apply did"
    assert machine.host.files.entries(K) == ("transom",)


def test_a_visit_uses_a_folder_of_its_own_and_leaves_nothing(simulation):
    before = {name: machine.tree() for name, machine in simulation.machines.items()}
    survey(simulation)
    for machine in simulation.machines.values():
        (started,) = {words[0] for words in machine.commands if words[0].endswith("python.exe")}
        assert started.startswith(r"C:\k\transom-visit-")
        assert machine.orders == ["survey"]
    assert {name: machine.tree() for name, machine in simulation.machines.items()} == before


def test_a_visit_that_is_cut_off_leaves_nothing_that_a_reset_does_not_take(world):
    before = world.tree()
    world.join()
    have(world, K + r"\transom-visit-0a1b2c3d", f"O:BAG:SY{CLOSED}")
    world.reset()
    assert world.tree() == before


@pytest.mark.parametrize("name", ["transom-visit-ffffffff", "transom-visit-'; calc; '"])
def test_a_folder_that_only_looks_like_that_of_a_visit_is_left_alone(world, name):
    """Its maker could have put links into it, to have an administrator remove what they lead to."""
    world.join()
    planted = rf"{K}\{name}"
    have(world, planted, f"O:{USER}G:BU{BELOW_C}")
    world.reset()
    assert world.host.files.kind(planted) is PathKind.DIRECTORY
    assert world.host.files.kind(HOME) is PathKind.ABSENT
    assert not any("calc" in (powershell.decoded(words) or "") for words in world.commands)


def test_a_visit_closes_its_folder_before_anything_is_in_it(world, brought):
    seen = []

    class Watching(Session):
        async def put(self, path, content):
            folder = path.split("\\")[2]
            if folder.startswith("transom-visit-"):
                seen.append(self.machine.host.files.acl(rf"{K}\{folder}"))
            return await super().put(path, content)

    async def connect():
        return Watching(world)

    asyncio.run(diagnose_host("win-01", connect, None, bring=lambda: brought))
    assert set(seen) == {"O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"}


def test_a_reset_keeps_a_journal_beside_a_program_that_is_not_whole(world):
    world.join()
    note = {"python": "", "program": "", "made": [K, HOME]}
    world.host.files.write(HOME + r"\brought.json", json.dumps(note).encode())
    before = world.tree()
    with pytest.raises(PermanentError, match="has a journal"):
        world.reset()
    assert world.tree() == before
