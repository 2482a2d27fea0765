"""Tasks with fastmcp, as a server and as a client.

    python tasks.py server [PORT]
    python tasks.py client stdio PROGRAM ARGUMENT...
    python tasks.py client http URL

The client checks what the example `everything` of mcp-server does. The server has the same tools.
"""

import sys

import anyio
from fastmcp import Client, Context, FastMCP
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError
from fastmcp_tasks import TasksExtension, call_tool_task
from mcp import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
)

# How long all checks may take, in seconds.
LIMIT = 60

server = FastMCP("fastmcp", tasks=False)
server.add_extension(TasksExtension())


@server.tool
async def greet(name: str) -> str:
    return f"Hello, {name}!"


@server.tool(task=True)
async def slow_compute(seconds: float, label: str) -> str:
    await anyio.sleep(seconds)
    return f"computed {label} in {seconds} s"


@server.tool(task=True)
async def failing_job() -> str:
    raise ToolError("failed")


@server.tool(task=True)
async def protocol_error_job() -> str:
    raise MCPError(code=INTERNAL_ERROR, message="this job ends with an error")


@server.tool(task=True)
async def confirm_delete(filename: str, ctx: Context) -> str | InputRequiredResult:
    answer = (ctx.input_responses or {}).get("confirm")
    if answer is None:
        schema = {
            "type": "object",
            "properties": {"confirm": {"type": "boolean"}},
            "required": ["confirm"],
        }
        form = ElicitRequestFormParams(message=f"Delete {filename}?", requested_schema=schema)
        return InputRequiredResult(input_requests={"confirm": ElicitRequest(params=form)})
    return f"{'deleted' if answer.content['confirm'] else 'kept'} {filename}"


async def confirm(message, response_type, params, context):
    return {"confirm": True}


async def check(client):
    async def text(name, /, **arguments):
        return (await client.call_tool(name, arguments)).content[0].text

    assert await text("greet", name="Ada") == "Hello, Ada!"
    print("ok      a call that is no task")
    assert await text("slow_compute", seconds=0.1, label="a") == "computed a in 0.1 s"
    print("ok      a task")
    assert await text("confirm_delete", filename="a.txt") == "deleted a.txt"
    print("ok      a task that asks")

    task = await call_tool_task(client, "failing_job", raise_on_error=False)
    assert (await task.wait()).status == "completed"
    assert (await task).is_error
    print("ok      a task with an error of its tool")
    task = await call_tool_task(client, "protocol_error_job")
    failed = await task.wait()
    assert (failed.status, failed.error["code"]) == ("failed", INTERNAL_ERROR), failed
    print("ok      a task with an error of the protocol")
    task = await call_tool_task(client, "slow_compute", {"seconds": 60, "label": "b"})
    assert (await task.status()).status == "working"
    await task.cancel()
    assert (await task.wait()).status == "cancelled"
    print("ok      a task that is cancelled")


async def check_http(client):
    """Over HTTP the requests need a header `Mcp-Name`, which this client does not send."""
    assert (await client.call_tool("greet", {"name": "Ada"})).content[0].text == "Hello, Ada!"
    print("ok      a call that is no task")
    task = await call_tool_task(client, "slow_compute", {"seconds": 0.1, "label": "a"})
    try:
        await task.status()
    except MCPError as error:
        assert error.error.code == -32020, error
        print("ok      a task, whose requests are rejected: fastmcp-tasks sends no Mcp-Name")
        return
    raise AssertionError("not rejected: if fastmcp-tasks sends Mcp-Name now, use check over HTTP")


async def main(way, target, *arguments):
    transport = target if way == "http" else StdioTransport(target, list(arguments))
    with anyio.fail_after(LIMIT):
        async with Client(transport, elicitation_handler=confirm) as client:
            assert client.protocol_version == "2026-07-28", client.protocol_version
            await (check_http if way == "http" else check)(client)


match sys.argv[1:]:
    case ["server"]:
        server.run(show_banner=False)
    case ["server", port]:
        server.run(transport="http", port=int(port), show_banner=False)
    case ["client", *rest]:
        anyio.run(main, *rest)
