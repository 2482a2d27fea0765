"""Searches the tools of a server with the search of fastmcp.

    python fastmcp_search.py QUERIES PROGRAM ARGUMENTS..

QUERIES has a line of JSON for each query. Prints them again, each with the names that were found.
"""

import asyncio
import json
import sys

from fastmcp import Client, FastMCP
from fastmcp.client.transports import StdioTransport
from fastmcp.server.providers.proxy import ProxyTool
from fastmcp.server.transforms.search import BM25SearchTransform


async def main(queries, program, *arguments):
    async with Client(StdioTransport(program, list(arguments))) as upstream:
        tools = await upstream.list_tools()
    server = FastMCP("search")
    for tool in tools:
        # They are found, and never called.
        server.add_tool(ProxyTool.from_mcp_tool(lambda: upstream, tool))
    server.add_transform(BM25SearchTransform(max_results=20))
    async with Client(server) as client:
        for line in open(queries):
            query = json.loads(line)
            result = await client.call_tool("search_tools", {"query": query["query"]})
            found = json.loads(result.content[0].text)
            query["found"] = [tool["name"] for tool in found]
            print(json.dumps(query), flush=True)


asyncio.run(main(*sys.argv[1:]))
