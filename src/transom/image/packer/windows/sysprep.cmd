start "" /wait %SystemRoot%\System32\Sysprep\sysprep.exe /generalize /oobe /mode:vm /quiet /{ends} "/unattend:%ProgramFiles%\Cloudbase Solutions\Cloudbase-Init\conf\Unattend.xml"
