"""A client of fastmcp that logs in at a gateway with the example `everything` behind it: python login.py URL"""

import sys

import anyio
from fastmcp import Client
from fastmcp.client.auth import OAuth


class Printing(OAuth):
    """Prints the URL for the user instead of opening a browser."""

    async def redirect_handler(self, authorization_url):
        print(authorization_url, flush=True)


async def main(url):
    async with Client(url, auth=Printing(url)) as client:
        tools = [tool.name for tool in await client.list_tools()]
        assert "test_simple_text" in tools, tools
        result = await client.call_tool("test_simple_text")
        print(result.content[0].text)


anyio.run(main, sys.argv[1])
