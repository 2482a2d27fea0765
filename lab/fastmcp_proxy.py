"""fastmcp's proxy in front of the server at a URL.

    python fastmcp_proxy.py URL

Prints its address in the first line of its output.
"""

import socket
import sys

import uvicorn
from fastmcp.server import create_proxy

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
print(f"127.0.0.1:{listener.getsockname()[1]}", flush=True)
app = create_proxy(sys.argv[1]).http_app(path="/mcp", json_response=True)
uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listener])
