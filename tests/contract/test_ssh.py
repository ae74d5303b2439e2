"""The SSH door against a real SSH server on this machine, with files below a folder of its own."""

import asyncio
import hashlib

import asyncssh
import pytest
from tests.support.contract_ssh import PASSWORD, Person, Server

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.remote.session import Parcel
from transom.remote.ssh import connect


def test_a_command_gets_its_input_and_gives_lines_output_and_code(tmp_path):
    async def story():
        async with Server(tmp_path) as server:
            session = await server.connect()
            lines: list[bytes] = []
            done = await session.run(
                ("echo",), stdin=b"one\ntwo\n", timeout_s=10, on_line=lines.append
            )
            await session.close()
            return done, lines

    done, lines = asyncio.run(story())
    assert (done.code, done.stdout, done.stderr) == (3, b"one\ntwo\n", b"said aside")
    assert lines == [b"one\n", b"two\n"]


def test_words_that_a_shell_would_read_otherwise_never_reach_it(tmp_path):
    async def story():
        async with Server(tmp_path) as server:
            session = await server.connect()
            try:
                await session.run(("echo", "a & b"), timeout_s=10)
            finally:
                await session.close()

    with pytest.raises(UsageError, match="cannot be part of a command"):
        asyncio.run(story())


@pytest.mark.parametrize(("word", "found"), [("hang", "in time"), ("vanish", "was cut")])
def test_a_command_that_hangs_or_a_host_that_goes_is_temporary(tmp_path, word, found):
    async def story():
        async with Server(tmp_path) as server:
            session = await server.connect()
            try:
                await session.run((word,), timeout_s=1)
            finally:
                await session.close()

    with pytest.raises(TemporaryError, match=found):
        asyncio.run(story())


def test_files_are_put_once_read_back_listed_and_removed(tmp_path):
    content = bytes(range(256)) * 4096

    async def story():
        async with Server(tmp_path) as server:
            session = await server.connect()
            made = [await session.make_directory(r"C:\k") for _ in range(2)]
            put = [await session.put(r"C:\k\x.bin", content) for _ in range(2)]
            changed = await session.put(r"C:\k\x.bin", b"other")
            read = await session.read(r"C:\k\x.bin")
            missing = await session.read(r"C:\k\none")
            names = await session.names(r"C:\k")
            await session.remove_tree(r"C:\k")
            gone = await session.names(r"C:\k")
            await session.close()
            return made, put, changed, read, missing, names, gone

    made, put, changed, read, missing, names, gone = asyncio.run(story())
    assert (made, put, changed) == ([True, False], [True, False], True)
    assert (read, missing) == (b"other", None)
    assert (names, gone) == (("x.bin",), ())
    assert hashlib.sha256(read).digest() == hashlib.sha256(b"other").digest()


def test_a_large_file_is_sent_in_pieces_once_and_a_spoilt_one_again(tmp_path):
    pieces = [bytes([number]) * 700_000 for number in range(4)]
    content, taken = b"".join(pieces), []

    def chunks():
        for piece in pieces:
            taken.append(len(piece))
            yield piece

    parcel = Parcel(size=len(content), sha256=hashlib.sha256(content).hexdigest(), chunks=chunks)

    async def story():
        async with Server(tmp_path) as server:
            session = await server.connect()
            await session.make_directory(r"C:\k")
            sent = [await session.send(r"C:\k\x.bin", parcel) for _ in range(2)]
            await session.put(r"C:\k\x.bin", bytes(len(content)))
            again = await session.send(r"C:\k\x.bin", parcel)
            read = await session.read(r"C:\k\x.bin")
            names = await session.names(r"C:\k")
            await session.close()
            return sent, again, read == content, names

    assert asyncio.run(story()) == ([True, False], True, True, ("x.bin",))
    assert len(taken) == 2 * len(pieces)


def test_a_large_file_that_cannot_be_read_to_its_end_is_not_there(tmp_path):
    def chunks():
        yield bytes(1000)
        raise UsageError("cannot read the bundle")

    parcel = Parcel(size=2000, sha256=hashlib.sha256(bytes(2000)).hexdigest(), chunks=chunks)

    async def story():
        async with Server(tmp_path) as server:
            session = await server.connect()
            await session.make_directory(r"C:\k")
            with pytest.raises(UsageError, match="cannot read the bundle"):
                await session.send(r"C:\k\x.bin", parcel)
            read = await session.read(r"C:\k\x.bin")
            await session.close()
            return read

    assert asyncio.run(story()) is None


def test_a_host_key_that_was_confirmed_is_remembered_and_asked_for_once(tmp_path):
    person = Person(trust=True)

    async def story():
        async with Server(tmp_path) as server:
            for _ in range(2):
                session = await server.connect(person, host_keys=())
                await session.close()
            return server.host_key.get_fingerprint()

    fingerprint = asyncio.run(story())
    assert len(person.asked) == 1
    assert fingerprint in person.asked[0]


def test_an_unknown_host_key_is_refused_where_nobody_confirms(tmp_path):
    async def story():
        async with Server(tmp_path) as server:
            await server.connect(Person(trust=False), host_keys=())

    with pytest.raises(PermanentError, match="is not known: it shows SHA256:"):
        asyncio.run(story())
    assert not (tmp_path / "known_hosts").exists()


def test_a_host_key_that_changed_is_refused_whatever_the_person_says(tmp_path):
    person = Person(trust=True)

    async def story():
        async with Server(tmp_path) as server:
            other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()
            server.known_hosts.write_text(f"{server.target.name} {other}")
            await server.connect(person, host_keys=())

    with pytest.raises(PermanentError, match="is not the one in known_hosts"):
        asyncio.run(story())
    assert person.asked == []


def test_another_key_than_the_pinned_one_is_refused(tmp_path):
    async def story():
        async with Server(tmp_path) as server:
            other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()
            await server.connect(Person(trust=True), host_keys=(other,))

    with pytest.raises(PermanentError, match="is not the one that was pinned"):
        asyncio.run(story())


def test_a_password_is_asked_for_where_the_key_is_not_enough(tmp_path):
    person = Person(secret=PASSWORD)
    other = tmp_path / "other"
    other.write_bytes(asyncssh.generate_private_key("ssh-ed25519").export_private_key())

    async def story():
        async with Server(tmp_path) as server:
            session = await server.connect(person, key_files=(str(other),))
            await session.close()

    asyncio.run(story())
    assert person.asked[0].startswith("password of Administrator")


def test_who_may_not_come_in_is_told_so(tmp_path):
    other = tmp_path / "other"
    other.write_bytes(asyncssh.generate_private_key("ssh-ed25519").export_private_key())

    async def story():
        async with Server(tmp_path) as server:
            await server.connect(Person(secret="wrong"), key_files=(str(other),))

    with pytest.raises(PermanentError, match="neither by key nor by password"):
        asyncio.run(story())


def test_a_host_that_does_not_answer_is_temporary(tmp_path):
    async def story():
        async with Server(tmp_path) as server:
            target = server.target
        await connect(
            target, Person(), known_hosts=tmp_path / "known_hosts", config=tmp_path / "config"
        )

    with pytest.raises(TemporaryError, match="cannot reach"):
        asyncio.run(story())


def test_a_jump_host_carries_the_connection(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    async def story():
        async with Server(tmp_path / "a") as jump, Server(tmp_path / "b") as server:
            session = await server.connect(jump=jump.target)
            done = await session.run(("echo",), stdin=b"through", timeout_s=10)
            await session.close()
            return done.stdout, jump.connections, server.connections

    assert asyncio.run(story()) == (b"through", 1, 1)


def test_the_address_of_the_host_is_known_unless_a_jump_host_leads_there(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()

    async def story():
        async with Server(tmp_path / "a") as jump, Server(tmp_path / "b") as server:
            direct, carried = await server.connect(), await server.connect(jump=jump.target)
            peers = direct.peer, carried.peer
            await carried.close()
            await direct.close()
            return peers

    assert asyncio.run(story()) == ("127.0.0.1", "")


def test_a_key_file_that_is_none_is_the_users_mistake(tmp_path):
    (tmp_path / "none").write_text("not a key")

    async def story():
        async with Server(tmp_path) as server:
            await server.connect(key_files=(str(tmp_path / "none"),))

    with pytest.raises(UsageError, match="cannot use the key"):
        asyncio.run(story())


def within(tmp_path, act):
    async def story():
        async with Server(tmp_path) as server:
            (server.root / "C:" / "large").write_bytes(b"x" * 1001)
            (server.root / "C:" / "small").write_bytes(b"x" * 1000)
            session = await server.connect()
            try:
                return await act(session)
            finally:
                await session.close()

    return asyncio.run(story())


def test_a_host_that_says_too_much_as_one_answer_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("transom.remote.session.MOST_SAID", 1000)
    with pytest.raises(PermanentError, match="as one answer"):
        within(tmp_path, lambda it: it.run(("echo",), stdin=b"x" * 2000, timeout_s=10))


@pytest.mark.parametrize("name", ["large", "small"])
def test_a_file_that_is_too_large_to_be_read_whole_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr("transom.remote.ssh.MOST_READ", 1000)
    if name == "small":
        assert within(tmp_path, lambda it: it.read(r"C:\small")) == b"x" * 1000
        return
    with pytest.raises(PermanentError, match="large on"):
        within(tmp_path, lambda it: it.read(r"C:\large"))
