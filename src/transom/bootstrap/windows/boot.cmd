@echo off
rem cloudbase-init's own Python starts the node program; where there is none, the one on the path.
set "TRANSOM_PYTHON=%ProgramFiles%\Cloudbase Solutions\Cloudbase-Init\Python\python.exe"
if not exist "%TRANSOM_PYTHON%" set "TRANSOM_PYTHON=C:\k\transom\python\python.exe"
if not exist "%TRANSOM_PYTHON%" set "TRANSOM_PYTHON=python.exe"
"%TRANSOM_PYTHON%" C:\k\transom\boot\bring.py %*
exit /b %ERRORLEVEL%
