@echo off
rem Bring Python and cloudbase-init by their sums; node.pyz is there already. An empty URL: the base image has it.
set "BUILD=C:\transom-build"
set "CLOUDBASE=%ProgramFiles%\Cloudbase Solutions\Cloudbase-Init"
set "TRANSOM_HOME=C:\k\transom"
icacls.exe %TRANSOM_HOME% {closed}
if errorlevel 1 exit /b 1
rem What somebody else put there before it was closed is not used: Windows says whose it is.
powershell.exe -NoProfile -NonInteractive -EncodedCommand {owners}
if errorlevel 1 exit /b 1
certutil.exe -hashfile C:\k\transom\node.pyz SHA256 | find.exe "%PROGRAM_SHA256%" >nul
if not errorlevel 1 goto python
echo C:\k\transom\node.pyz does not have the SHA-256 %PROGRAM_SHA256%
exit /b 1
:python
if not exist C:\k\transom\python\sha256 goto unpack
find.exe "%PYTHON_SHA256%" C:\k\transom\python\sha256 >nul
if not errorlevel 1 goto cloudbase
:unpack
cmd.exe /c %BUILD%\fetch.cmd "%PYTHON_URL%" %PYTHON_SHA256% %BUILD%\python.zip
if errorlevel 1 exit /b 1
if not exist C:\k\transom\python mkdir C:\k\transom\python
tar.exe -xf %BUILD%\python.zip -C C:\k\transom\python
if errorlevel 1 exit /b 1
rem Written last, so that a cut is seen; boot data looks at it too.
C:\k\transom\python\python.exe -c "open(r'C:\k\transom\python\sha256', 'w').write('%PYTHON_SHA256%')"
if errorlevel 1 exit /b 1
:cloudbase
if "%CLOUDBASE_INIT_URL%"=="" goto configure
if exist "%CLOUDBASE%\Python\Scripts\cloudbase-init.exe" goto configure
cmd.exe /c %BUILD%\fetch.cmd "%CLOUDBASE_INIT_URL%" %CLOUDBASE_INIT_SHA256% %BUILD%\cloudbase-init.msi
if errorlevel 1 exit /b 1
msiexec.exe /i %BUILD%\cloudbase-init.msi /qn /norestart /l*v %BUILD%\cloudbase-init.log RUN_SERVICE_AS_LOCAL_SYSTEM=1
if errorlevel 1 exit /b 1
:configure
if not exist "%CLOUDBASE%\conf" mkdir "%CLOUDBASE%\conf"
copy /y %BUILD%\cloudbase-init.conf "%CLOUDBASE%\conf\cloudbase-init.conf" >nul
if errorlevel 1 exit /b 1
copy /y %BUILD%\cloudbase-init-unattend.conf "%CLOUDBASE%\conf\cloudbase-init-unattend.conf" >nul
if errorlevel 1 exit /b 1
copy /y %BUILD%\unattend.xml "%CLOUDBASE%\conf\Unattend.xml" >nul
if errorlevel 1 exit /b 1
exit /b 0
