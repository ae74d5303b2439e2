"""The command that installs every Windows update on offer.

Windows lets no remote session install updates, so a
task of SYSTEM does it while the session waits; it leaves nothing behind. Whatever fails ends it with 1:
a task's result is a UInt32, and `exit` makes 0 of one that is no Int32, and of nothing at all.
"""

from transom.remote import powershell

_INSTALL = r"""
$ErrorActionPreference = 'Stop'
$s = New-Object -ComObject Microsoft.Update.Session
$u = $s.CreateUpdateSearcher().Search("IsInstalled=0 and IsHidden=0").Updates
if ($u.Count -eq 0) { exit 0 }
foreach ($i in $u) { if (-not $i.EulaAccepted) { $i.AcceptEula() } }
$d = $s.CreateUpdateDownloader(); $d.Updates = $u; $null = $d.Download()
$i = $s.CreateUpdateInstaller(); $i.Updates = $u
exit [int]($i.Install().ResultCode -ne 2)
"""

_TASK = r"""
$ErrorActionPreference = 'Stop'
$a = New-ScheduledTaskAction -Execute powershell.exe -Argument '-NoProfile -EncodedCommand {install}'
$null = Register-ScheduledTask transom-update -Action $a -User SYSTEM -RunLevel Highest -Force
try {
  Start-ScheduledTask transom-update
  do { Start-Sleep 5 } while ((Get-ScheduledTask transom-update).State -eq 'Running')
  $r = (Get-ScheduledTaskInfo transom-update).LastTaskResult
  if ($r -ne 0) { [Console]::Error.WriteLine("the task that installs updates ended with $r") }
  exit [int]($r -ne 0)
} finally { Unregister-ScheduledTask transom-update -Confirm:$false }
"""


COMMAND = powershell.command(
    _TASK.replace("{install}", powershell.encoded(powershell.TRAP + _INSTALL.strip()))
)
