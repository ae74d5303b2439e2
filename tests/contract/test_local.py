"""The way to the machine itself keeps what every way to a host promises, here with programs of this machine."""

import asyncio
import hashlib
import sys

import pytest
from tests.simulation import fleet_text

from transom.cli.options import host_access
from transom.errors import PermanentError, TemporaryError, UsageError
from transom.remote.local import LocalSession
from transom.remote.session import Completed, Parcel
from transom.spec.fleet import read_fleets

_SCRIPT = "import sys; print(sys.argv[1]); print(sys.stdin.read()); sys.exit(3)"


def test_words_and_standard_input_arrive_as_they_are_and_lines_as_they_come():
    lines: list[bytes] = []
    word = 'a "b" & %PATH% c'
    done = asyncio.run(
        LocalSession().run(
            (sys.executable, "-c", _SCRIPT, word),
            stdin=b"given",
            timeout_s=60,
            on_line=lines.append,
        )
    )
    assert [line.split() for line in lines] == [word.encode().split(), [b"given"]]
    assert (done.code, done.stdout, done.stderr) == (3, b"".join(lines), b"")


def test_a_program_that_is_not_there_or_does_not_end_is_told():
    missing = asyncio.run(LocalSession().run(("no-such-program",), timeout_s=60))
    assert isinstance(missing, Completed)
    assert missing.code == 1
    sleeping = (sys.executable, "-c", "import time; time.sleep(60)")
    with pytest.raises(TemporaryError, match="did not end in time"):
        asyncio.run(LocalSession().run(sleeping, timeout_s=0.2))


def test_this_machine_is_not_rebooted_under_the_command_itself():
    with pytest.raises(TemporaryError, match="needs a reboot"):
        asyncio.run(LocalSession().run(("shutdown", "/r", "/t", "1"), timeout_s=60))


def test_files_are_whole_or_as_they_were_and_written_once(tmp_path):
    session, place = LocalSession(), str(tmp_path / "k" / "file")

    async def story():
        assert await session.make_directory(str(tmp_path / "k")) is True
        assert await session.make_directory(str(tmp_path / "k")) is False
        assert await session.read(place) is None
        assert await session.put(place, b"one") is True
        assert await session.put(place, b"one") is False
        parcel = Parcel(
            size=4, sha256=hashlib.sha256(b"four").hexdigest(), chunks=lambda: iter((b"fo", b"ur"))
        )
        assert await session.send(place, parcel) is True
        assert await session.send(place, parcel) is False
        assert await session.read(place) == b"four"
        assert await session.names(str(tmp_path / "k")) == ("file",)
        await session.remove_tree(str(tmp_path / "k"))
        assert await session.names(str(tmp_path / "k")) == ()
        with pytest.raises(PermanentError, match="cannot write"):
            await session.put(place, b"one")

    asyncio.run(story())


@pytest.mark.skipif(sys.platform == "win32", reason="there it can be a node")
def test_a_fleet_whose_host_is_this_machine_needs_windows_here():
    text = fleet_text(1).replace("pool: web}", "pool: web, connection: {local: {}}}")
    (fleet,) = read_fleets(text.encode(), name="fleet.yaml")

    async def connected():
        await host_access.connect_to(fleet.hosts[0], host_access.secrets_of(None))()

    with pytest.raises(UsageError, match="this machine does not run Windows"):
        asyncio.run(connected())
