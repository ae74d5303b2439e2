@echo off
rem Run once, as Windows is installed: SSH by key alone, and the agents that a platform finds machines by.
dism.exe /online /add-capability /capabilityname:OpenSSH.Server~~~~0.0.1.0 /norestart
for %%d in (D E F G H) do if exist %%d:\setup64.exe %%d:\setup64.exe /S /v"/qn REBOOT=R"
for %%d in (D E F G H) do if exist %%d:\guest-agent\qemu-ga-x86_64.msi msiexec.exe /i %%d:\guest-agent\qemu-ga-x86_64.msi /qn /norestart
net.exe stop sshd
if not exist C:\ProgramData\ssh mkdir C:\ProgramData\ssh
>C:\ProgramData\ssh\sshd_config echo PubkeyAuthentication yes
>>C:\ProgramData\ssh\sshd_config echo PasswordAuthentication no
>>C:\ProgramData\ssh\sshd_config echo KbdInteractiveAuthentication no
>>C:\ProgramData\ssh\sshd_config echo Subsystem sftp sftp-server.exe
>>C:\ProgramData\ssh\sshd_config echo Match Group administrators
>>C:\ProgramData\ssh\sshd_config echo   AuthorizedKeysFile __PROGRAMDATA__/ssh/administrators_authorized_keys
{authorize}
icacls.exe C:\ProgramData\ssh\administrators_authorized_keys /inheritance:r /grant:r *S-1-5-18:F *S-1-5-32-544:F
netsh.exe advfirewall firewall add rule name=sshd dir=in action=allow protocol=TCP localport=22
sc.exe config sshd start= auto
net.exe start sshd
