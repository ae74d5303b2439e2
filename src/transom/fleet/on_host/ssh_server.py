r"""The SSH server of Windows on a host that is reached another way: installed, opened, and taken back.

Done over WinRM. One fixed PowerShell script is told what
to do on its standard input. Before the first change, what was there is written down on the host, in a
folder that only administrators may write; `remove` goes by that. Whatever is there already is left alone,
so that both can be run again after any failure.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from transom.errors import PermanentError, TemporaryError
from transom.facts import rows
from transom.facts.rows import At
from transom.facts.ssh import SshServer
from transom.fleet.on_host.answer import last_document, read_answer, unusable
from transom.fleet.turning import Clock, Turn, Waiting, until
from transom.model.codec import encode
from transom.model.records import dataclass
from transom.node.host.quoting import join_arguments
from transom.remote import powershell
from transom.remote.session import Session

NOTES = r"C:\Windows\transom-ssh.json"
RULE = "transom-ssh"
_TASK_S, _ACT_S, _KEY_S, _POLL_S = 1800.0, 120.0, 60.0, 2.0
_ON = "Automatic"
_REBOOT_WANTED = 3010
_READING = ("FR", "FRFX", "0x1200a9", "0x120089")

# A session from outside may not add capabilities, so a task of SYSTEM does; 267009, 267011 and 267045
# are what a task says of itself while it runs, before it ran, and in the queue.
SCRIPT = r"""
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
$o = [Console]::In.ReadToEnd() | ConvertFrom-Json
$a = switch ($o.act) {
  'look' {
    $s = Get-Service -Name $o.service -ErrorAction SilentlyContinue
    $r = Get-NetFirewallRule -Name $o.rules -ErrorAction SilentlyContinue
    $k = Test-Path -LiteralPath $o.keys
    @{
      start = if ($s) { "$($s.StartType)" } else { $null }
      running = [bool]($s -and $s.Status -eq 'Running')
      open = [bool]($r | Where-Object { "$($_.Enabled) $($_.Profile) $($_.Action)" -eq 'True Any Allow' })
      folder = Test-Path -LiteralPath $o.folder
      access = if ($k) { (Get-Acl -LiteralPath $o.keys).GetSecurityDescriptorSddlForm('Access') } else { $null }
    }
  }
  'dism' {
    $t = New-ScheduledTaskAction -Execute dism.exe -Argument $o.arguments
    $null = Register-ScheduledTask $o.rule -Action $t -User SYSTEM -RunLevel Highest -Force
    try {
      Start-ScheduledTask $o.rule
      do { Start-Sleep 2; $c = (Get-ScheduledTaskInfo $o.rule).LastTaskResult } while ($c -in 267009, 267011, 267045)
      $c
    } finally { Unregister-ScheduledTask $o.rule -Confirm:$false }
  }
  'service' {
    Set-Service -Name $o.service -StartupType $o.start
    if ($o.running) { Start-Service -Name $o.service } else { Stop-Service -Name $o.service -Force }
    $true
  }
  'open' { $null = New-NetFirewallRule -Name $o.rule -DisplayName $o.rule -Direction Inbound -Protocol TCP -LocalPort $o.port -Action Allow -Profile Any; $true }
  'close' { Remove-NetFirewallRule -Name $o.rule -ErrorAction SilentlyContinue; $true }
  'protect' {
    $d = New-Object Security.AccessControl.FileSecurity
    $d.SetSecurityDescriptorSddlForm($o.access, 'Access')
    [IO.File]::SetAccessControl($o.keys, $d)
    $true
  }
}
ConvertTo-Json -Compress @{answer = $a}
"""
COMMAND = powershell.command(SCRIPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a host has of it: `start` is None where there is no such service, `access` where no file."""

    start: str | None
    running: bool
    open: bool
    folder: bool
    access: str | None
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Notes:
    """What is written down on the host: what was there before, and the keys that were added since."""

    before: State
    keys: tuple[str, ...]


class SshSetup:
    """The SSH server of one host, over a session that is open."""

    def __init__(self, session: Session, name: str, clock: Clock) -> None:
        self._session = session
        self._name = name
        self._clock = clock
        self._row = rows.one(SshServer, "ssh-server", At())

    async def look(self) -> State:
        """What is there; a file of keys that others may write is refused."""
        row = self._row
        found = await self._do("look", rules=[row.rule, RULE], folder=row.folder)
        seen = found if isinstance(found, dict) else {}
        state = read_answer(State, {**seen, "keys": list(await self._keys())})
        if state.access is not None and (writers := _writers(state.access)):
            raise PermanentError(
                f"{row.keys} on {self._name} can be written by {', '.join(writers)}",
                subject=self._name,
                hint="sshd does not use it like that: look whose keys are in it, and delete it",
            )
        return state

    def changes(self, state: State, key: str) -> tuple[str, ...]:
        """What `install` would do, in its order; nothing where all is there."""
        row, said = self._row, []
        if state.start is None:
            said.append(f"install {row.capability}")
        if not (state.start == _ON and state.running):
            said.append(f"start {row.service}, now and with Windows")
        if not _has(state.keys, key):
            said.append(f"let the key {_called(key)} in as an administrator ({row.keys})")
        if not state.open:
            said.append(f"open port {row.port} for TCP (firewall rule {RULE})")
        return tuple(said)

    async def install(self, state: State, key: str, *, source: str = "") -> str:
        """Do what `changes` says; the host's public key."""
        if not self.changes(state, key):
            return await self._host_key()
        await self._note(state, key)
        if state.start is None:
            await self._dism("/add-capability", source)
            state = await self.look()
        if not (state.start == _ON and state.running):
            await self._do("service", start=_ON, running=True)
        host_key = await self._host_key()
        if not _has(state.keys, key):
            await self._write_keys((*state.keys, key))
        if not state.open:
            await self._do("close")
            await self._do("open", port=self._row.port)
        return host_key

    async def remove(self) -> bool:
        """Have the host as it was before `install`; False where Transom installed nothing."""
        notes = await self._session.read(NOTES)
        if notes is None:
            return False
        noted = read_answer(_Notes, last_document(notes))
        before, ours = noted.before, noted.keys
        state = await self.look()
        await self._do("close")
        left = tuple(line for line in state.keys if not _has(ours, line))
        if before.access is None and not left:
            await self._session.remove_tree(self._row.keys)
        elif left != state.keys:
            await self._write_keys(left)
        if before.start is not None:
            await self._do("service", start=before.start, running=before.running)
        elif state.start is not None:
            await self._do("service", start="Manual", running=False)
            await self._dism("/remove-capability", "")
        if not before.folder:
            await self._session.remove_tree(self._row.folder)
        await self._session.remove_tree(NOTES)
        return True

    async def _note(self, state: State, key: str) -> None:
        """Write down what was there before the first time, and every key that was added since."""
        notes = await self._session.read(NOTES)
        noted = (
            read_answer(_Notes, last_document(notes)) if notes else _Notes(before=state, keys=())
        )
        if not _has((*state.keys, *noted.keys), key):
            noted = replace(noted, keys=(*noted.keys, key))
        await self._session.put(NOTES, json.dumps(encode(noted)).encode())

    async def _keys(self) -> Sequence[str]:
        content = await self._session.read(self._row.keys) or b""
        return [line for line in content.decode("utf-8", "replace").splitlines() if line.strip()]

    async def _write_keys(self, lines: Sequence[str]) -> None:
        await self._session.put(self._row.keys, "".join(f"{line}\r\n" for line in lines).encode())
        # It was put in the place of the old one, and has what its folder gives.
        await self._do("protect", access=self._row.access)

    async def _host_key(self) -> str:
        """The public key that sshd made at its first start, which takes it a moment."""
        found = b""

        async def look() -> Turn:
            nonlocal found
            found = await self._session.read(self._row.host_key) or b""
            error = TemporaryError(
                f"{self._row.service} on {self._name} made no {self._row.host_key}",
                subject=self._name,
                hint="look why it does not start: its log is OpenSSH/Operational",
            )
            return None if found else Waiting(error=error, poll_s=_POLL_S)

        await until(look, self._clock, deadline_s=_KEY_S)
        return " ".join(found.decode("ascii", "replace").split()[:2])

    async def _dism(self, act: str, source: str) -> None:
        words = ["/online", act, f"/capabilityname:{self._row.capability}", "/quiet", "/norestart"]
        words += [f"/source:{source}", "/limitaccess"] if source else []
        code = await self._do("dism", arguments=join_arguments(tuple(words)), timeout_s=_TASK_S)
        if code == _REBOOT_WANTED:
            raise TemporaryError(
                f"{self._name} must be rebooted before {self._row.service} can go on",
                subject=self._name,
                hint="reboot it and run the same command again",
            )
        if code != 0:
            raise PermanentError(
                f"dism {act} {self._row.capability} ended with {code & 0xFFFFFFFF:#010x} on {self._name}",
                subject=self._name,
                hint="it takes it from Windows Update; where the host reaches none, name a folder with"
                r" Windows' optional features by --source (the host's log: C:\Windows\Logs\DISM\dism.log)",
            )

    async def _do(self, act: str, *, timeout_s: float = _ACT_S, **more: object) -> Any:
        row = self._row
        order = {"act": act, "service": row.service, "rule": RULE, "keys": row.keys, **more}
        done = await self._session.run(
            COMMAND, stdin=json.dumps(order).encode(), timeout_s=timeout_s
        )
        if done.code != 0:
            said = done.stderr.decode(errors="replace").strip()[-500:]
            raise PermanentError(
                f"cannot {act} what belongs to {row.service} on {self._name}: {said}",
                subject=self._name,
                hint="the user must be an administrator there; run the same command again",
            )
        document = last_document(done.stdout)
        if "answer" not in document:
            raise unusable(f"it is none to {act}")
        return document["answer"]


def _has(lines: Sequence[str], key: str) -> bool:
    """Whether the key is among them, whatever it is called there."""
    return key.split()[1] in {word for line in lines for word in line.split()}


def _called(key: str) -> str:
    kind, _, *words = key.split()
    return " ".join(words) or kind


def _writers(access: str) -> list[str]:
    """Who beside SYSTEM and Administrators may do more than read."""
    entries = [entry.split(";") for entry in re.findall(r"\(([^)]*)\)", access)]
    return [
        entry[5]
        for entry in entries
        if entry[0] == "A" and entry[5] not in ("SY", "BA") and entry[2] not in _READING
    ]
