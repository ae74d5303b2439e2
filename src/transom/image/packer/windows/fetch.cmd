@echo off
rem fetch.cmd URL SHA256 FILE: download, and keep only what has that sum.
if not exist "%~3" goto download
certutil.exe -hashfile "%~3" SHA256 | find.exe "%~2" >nul
if not errorlevel 1 exit /b 0
:download
curl.exe --fail --location --silent --show-error --retry 5 --connect-timeout 30 --max-time 3600 --output "%~3.part" "%~1"
if errorlevel 1 exit /b 1
certutil.exe -hashfile "%~3.part" SHA256 | find.exe "%~2" >nul
if not errorlevel 1 goto keep
echo %~1 does not have the SHA-256 %~2
del /q "%~3.part"
exit /b 1
:keep
move /y "%~3.part" "%~3" >nul
if errorlevel 1 exit /b 1
exit /b 0
