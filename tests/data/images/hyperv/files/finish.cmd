@echo off
rem The last thing a build does: no key of this machine stays, then Windows forgets who it was.
del /q C:\ProgramData\ssh\ssh_host_* C:\ProgramData\ssh\administrators_authorized_keys
rmdir /s /q C:\transom-build
sc.exe config cloudbase-init start= auto >nul
start "" /wait %SystemRoot%\System32\Sysprep\sysprep.exe /generalize /oobe /mode:vm /quiet /shutdown "/unattend:%ProgramFiles%\Cloudbase Solutions\Cloudbase-Init\conf\Unattend.xml"
