@echo off
rem Fails the build where the machine is not fit to be copied; the keys of this very session are only a warning.
C:\k\transom\python\python.exe C:\k\transom\node.pyz doctor --image
exit /b %ERRORLEVEL%
