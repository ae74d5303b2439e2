@echo off
rem The last thing a build does: no key of this machine stays, then Windows forgets who it was.
del /q C:\ProgramData\ssh\ssh_host_* C:\ProgramData\ssh\administrators_authorized_keys
rmdir /s /q C:\transom-build
sc.exe config cloudbase-init start= auto >nul
net user transom /delete
GCESysprep -NoShutdown
for /l %%i in (1,1,90) do (
  reg.exe query HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Setup\State /v ImageState | find.exe "IMAGE_STATE_GENERALIZE_RESEAL_TO_OOBE" >nul && exit /b 0
  ping.exe -n 11 127.0.0.1 >nul
)
echo Windows was not generalised in 15 minutes: look at C:\Windows\System32\Sysprep\Panther
exit /b 1
