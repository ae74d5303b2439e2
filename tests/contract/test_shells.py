r"""The lines that start programs on hosts, as each shell reads them: bash and sh by themselves, others by their documented rules."""

import asyncio
import base64
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import asyncssh
import pytest
from tests.support import windows_shells
from tests.support.contract_ssh import USER, Person, _Gate
from tests.support.windows_shells import MisreadError

from transom.bootstrap.compile import carried
from transom.errors import PermanentError, UsageError
from transom.fleet.on_host import folder
from transom.remote import powershell
from transom.remote.shells import WHICH, Shell, line_of, told
from transom.remote.ssh import connect
from transom.remote.target import Target

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = (
    (r"C:\k\transom\python\python.exe", r"C:\k\transom\node.pyz"),
    (r"C:\k\transom-visit-0a1b2c3d\python\python.exe", r"C:\k\transom-visit-0a1b2c3d\node.pyz"),
    ("shutdown", "/r", "/t", "1"),
    ("program", "-a.b", "--key=value", "x:y"),
    powershell.command("'(OI)(CI) & | % $x'"),
)
REAL = [name for name in ("bash", "sh") if shutil.which(name)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("shell", windows_shells.SHELLS)
def test_cmd_and_powershell_start_the_program_with_exactly_these_words(shell, command):
    assert windows_shells.SHELLS[shell](line_of(command, Shell.WINDOWS)) == command


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("shell", REAL)
def test_bash_and_sh_start_the_program_with_exactly_these_words(tmp_path, shell, command):
    said = in_shell(tmp_path, shell, line_of(command, Shell.POSIX), command[0])
    assert said == command[1:]


@pytest.mark.parametrize(
    "word", ["*S-1-5-18:(OI)(CI)F", "a,b", "a b", "%PATH%", "$x", 'a"b', "C:\\"]
)
def test_words_that_some_shell_reads_otherwise_are_refused(word):
    for shell in Shell:
        with pytest.raises(UsageError, match="cannot be part of a command"):
            line_of(("program", word), shell)


def test_a_script_is_plain_in_every_shell(tmp_path):
    command = powershell.command("foreach ($p in 'C:\\k') { \"$p & (OI)(CI) %PATH%\" }")
    lines = {line_of(command, shell) for shell in Shell}
    (line,) = lines
    assert windows_shells.cmd(line) == windows_shells.powershell(line) == command
    for shell in REAL:
        assert in_shell(tmp_path, shell, line, command[0]) == command[1:]


def test_the_models_know_what_real_shells_do_to_careless_lines():
    """What a person would have written, and what became of it."""
    with pytest.raises(MisreadError):
        windows_shells.powershell(r"icacls C:\k /grant:r *S-1-5-18:(OI)(CI)F")
    with pytest.raises(MisreadError):
        windows_shells.powershell(r'"C:\k\python.exe" "C:\k\node.pyz"')
    with pytest.raises(MisreadError):
        windows_shells.cmd("C:/k/python.exe x")
    assert windows_shells.powershell("program -a.b") == ("program", "-a", ".b")
    assert windows_shells.argv(r'program "a b\\" c\"d e\\f') == ("program", "a b\\", 'c"d', r"e\\f")


@pytest.mark.parametrize(
    ("said", "shell"),
    [
        (b"shell  \r\n16 C:\\k\r\n", Shell.WINDOWS),
        (
            b"shell  C:\\WINDOWS\\System32\\WindowsPowerShell\\v1.0\\powershell.exe\r\n",
            Shell.WINDOWS,
        ),
        (b"shell  C:\\Program Files\\PowerShell\\7\\pwsh.exe\r\n", Shell.WINDOWS),
        (b"shell  C:\\Program Files\\Git\\bin\\bash.exe\r\n", Shell.POSIX),
        (b"shell  C:\\busybox\\sh.exe\r\n", Shell.POSIX),
        (b"shell 0 \r\n", Shell.POSIX),
        (b"'powershell' is not recognized\r\n", None),
    ],
)
def test_the_first_line_of_a_script_tells_the_shell(said, shell):
    assert told(said)[0] is shell


class BashHost:
    """An SSH server that hands commands to a shell of this machine, in a folder that stands for drive C.

    Its PowerShell answers the one question about its shell, from its environment as the real one does.
    """

    def __init__(self, folder, shell, default_shell=""):
        self.folder, self.shell = folder, shell
        python = folder / "C:" / "k" / "transom" / "python"
        python.mkdir(parents=True)
        printer(python / "python.exe")
        answer = f'print("shell", os.environ.get("SHLVL", ""), {default_shell!r}, end="\\r\\n")'
        script(folder / "powershell", f"import os, sys\nsys.stdin.read()\n{answer}")
        self.lines: list[str] = []

    async def serve(self, process):
        self.lines.append(process.command)
        child = await asyncio.create_subprocess_exec(
            *(self.shell, "-c", process.command),
            cwd=self.folder,
            env={"PATH": f"{self.folder}:/usr/bin:/bin"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await child.communicate(await process.stdin.read())
        process.stdout.write(out)
        process.exit(child.returncode)

    def session(self, story):
        """Run a story with a session to it."""
        key = asyncssh.generate_private_key("ssh-ed25519")
        (self.folder / "id").write_bytes(key.export_private_key())

        async def run():
            listener = await asyncssh.listen(
                "127.0.0.1",
                0,
                server_factory=_Gate,
                server_host_keys=[key],
                authorized_client_keys=asyncssh.import_authorized_keys(
                    key.export_public_key().decode()
                ),
                process_factory=self.serve,
                encoding=None,
            )
            target = Target(
                host="127.0.0.1",
                port=listener.get_port(),
                user=USER,
                key_files=(str(self.folder / "id"),),
                host_keys=(key.export_public_key().decode(),),
            )
            session = await connect(
                target,
                Person(),
                known_hosts=self.folder / "known_hosts",
                config=self.folder / "config",
            )
            try:
                return await story(session)
            finally:
                await session.close()
                listener.close()
                await listener.wait_closed()

        return asyncio.run(run())


@pytest.mark.parametrize(
    ("shell", "default_shell"), [("bash", ""), ("sh", r"C:\msys64\usr\bin\sh.exe")]
)
def test_the_node_program_starts_under_a_shell_of_unix_with_its_input(
    tmp_path, shell, default_shell
):
    host = BashHost(tmp_path, shell, default_shell)
    command = (r"C:\k\transom\python\python.exe", r"C:\k\transom\node.pyz")

    async def story(session):
        first = await session.run(command, stdin=b"order", timeout_s=30)
        second = await session.run(command, stdin=b"order", timeout_s=30)
        return first, second

    first, second = host.session(story)
    assert first.stdout == second.stdout == b"C:\\k\\transom\\node.pyz\0order"
    assert len(host.lines) == 3  # the shell is asked for once


def test_a_host_without_powershell_is_told_as_that(tmp_path):
    host = BashHost(tmp_path, "bash")
    (tmp_path / "powershell").unlink()

    async def story(session):
        await session.run((r"C:\k\x.exe",), timeout_s=30)

    with pytest.raises(PermanentError, match="cannot run Windows PowerShell"):
        host.session(story)


def test_a_script_says_its_error_as_one_line_and_tells_its_shell_first():
    words = powershell.command(WHICH + "exit 0")
    text = base64.b64decode(words[-1]).decode("utf-16-le")
    assert text.startswith("trap { [Console]::Error.WriteLine($_); exit 1 }\n'shell '")
    assert powershell.decoded(words) == WHICH + "exit 0"


def test_the_lab_answers_the_very_scripts_that_hosts_are_asked_with():
    source = (ROOT / "lab" / "native" / "standins" / "folders.go").read_text(encoding="utf-8")
    look, make = folder.look_script(("PATHS",)), folder.make_script(("PATHS",))
    assert look.replace("'PATHS'", "{paths}") in source
    head = make.removesuffix(look).replace("'PATHS'", "{paths}").replace(folder.CLOSED, "{closed}")
    assert head in source
    assert WHICH.strip() in source
    assert powershell.TRAP.strip() in source
    assert folder.CLOSED in source
    assert "$folder = $env:TRANSOM_HOME" in carried("owners.ps1").decode()


def script(path, text):
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def printer(path):
    script(path, r"import sys; print(*sys.argv[1:], sys.stdin.read(), sep='\0', end='')")


def in_shell(folder, shell, line, program):
    """The words that a program of that name gets; a path on drive C is one below the folder here."""
    path = folder.joinpath(*program.split("\\"))
    path.parent.mkdir(parents=True, exist_ok=True)
    printer(path)
    done = subprocess.run(
        [shell, "-c", line],
        cwd=folder,
        env={"PATH": f"{folder}:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    return tuple(done.stdout.decode().split("\0")[:-1])
