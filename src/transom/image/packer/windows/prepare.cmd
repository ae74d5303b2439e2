@echo off
rem 0 done, 4 restart and run it again.
C:\k\transom\python\python.exe C:\k\transom\node.pyz prepare --image <C:\transom-build\request.json
exit /b %ERRORLEVEL%
