"""A small server on the Python SDK, for clients to try everything on that it can do.

    python server.py stdio
    python server.py streamable-http|sse PORT
"""

import sys
from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp_types import (
    Completion,
    CreateMessageResult,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)
from pydantic import BaseModel

server = MCPServer("snake", instructions="Try everything.")


class Sum(BaseModel):
    sum: float


class Name(BaseModel):
    name: str
    colour: str = "green"


@server.tool()
def add(a: float, b: float) -> Sum:
    """Adds two numbers."""
    return Sum(sum=a + b)


@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("on purpose")


@server.tool()
async def count(steps: int, ctx: Context) -> str:
    """Reports progress."""
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps, f"step {step}")
    return f"{steps} steps"


@server.tool()
async def sleep() -> str:
    """Does not come to an end."""
    await anyio.sleep(3600)
    return "awake"


@server.tool()
async def log(ctx: Context) -> str:
    """Logs on two levels."""
    await ctx.debug("small")
    await ctx.error("large")
    return "logged"


def ask_name() -> Elicit[Name]:
    return Elicit("Who are you?", Name)


def ask_model() -> Sample:
    message = SamplingMessage(role="user", content=TextContent(type="text", text="Hello?"))
    return Sample([message], max_tokens=10)


def ask_roots() -> ListRoots:
    return ListRoots()


@server.tool()
def greet(name: Annotated[Name, Resolve(ask_name)]) -> str:
    """Asks for a name."""
    return f"{name.name} in {name.colour}"


@server.tool()
def sample(said: Annotated[CreateMessageResult, Resolve(ask_model)]) -> str:
    """Asks a model."""
    return said.model


@server.tool()
def roots(found: Annotated[ListRootsResult, Resolve(ask_roots)]) -> str:
    """Asks for the roots."""
    return ", ".join(str(root.uri) for root in found.roots)


@server.tool()
async def change(ctx: Context) -> str:
    """Says that a resource and the tools have changed, to peers of both eras."""
    await ctx.notify_resource_updated("test://text")
    await ctx.notify_tools_changed()
    if ctx.protocol_version and ctx.protocol_version < "2026":
        await ctx.session.send_tool_list_changed()
    return "changed"


@server.resource("test://text", mime_type="text/plain")
def text() -> str:
    return "some text"


@server.resource("test://bytes", mime_type="application/octet-stream")
def some_bytes() -> bytes:
    return bytes(range(8))


@server.resource("test://item/{id}")
def item(id: str) -> str:
    return f"item {id}"


@server.prompt()
def hello(name: str) -> str:
    return f"Say hello to {name}."


@server.completion()
async def complete(ref, argument, context):
    known = ["Ada", "Alan", "Grace"]
    return Completion(values=[name for name in known if name.startswith(argument.value)])


if __name__ == "__main__":
    transport = sys.argv[1]
    if transport == "stdio":
        server.run("stdio")
    else:
        server.run(transport, host="127.0.0.1", port=int(sys.argv[2]))
