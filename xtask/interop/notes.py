"""A client of the Python SDK against the example `sqlite` of mcp-server.

    python notes.py http URL
    python notes.py stdio PROGRAM ARGUMENT...
    python notes.py gateway URL

A gateway has the whole list on one page.
"""

import sys

import anyio
from mcp import Client, MCPError, StdioServerParameters

# How long all checks may take, in seconds.
LIMIT = 60


async def write(client, name, kind, text):
    """Adds a note or replaces it. Returns its URI."""
    result = await client.call_tool("write", {"name": name, "kind": kind, "text": text})
    assert not result.is_error, result
    return result.content[0].uri


async def pages(client):
    """Returns the names on each page of the list."""
    found, cursor = [], None
    while True:
        page = await client.list_resources(cursor=cursor)
        found.append([note.name for note in page.resources])
        cursor = page.next_cursor
        if cursor is None:
            return found


async def read(client, uri):
    [contents] = (await client.read_resource(uri)).contents
    return contents


async def main(way, target, *arguments):
    server = StdioServerParameters(command=target, args=arguments) if way == "stdio" else target
    with anyio.fail_after(LIMIT):
        async with Client(server) as client:
            assert client.protocol_version == "2026-07-28", client.protocol_version
            await check(client, is_paged=way != "gateway")


async def check(client, is_paged):
    for number in range(100, 160):
        await write(client, f"p{number}", "list" if number % 2 else "recipe", f"note {number}")
    listed = await pages(client)
    names = sum(listed, [])
    assert not is_paged or len(listed) > 1 and all(len(page) == 50 for page in listed[:-1]), listed
    assert names == sorted(set(names)), names
    print("ok      lists all notes in order")

    contents = await read(client, "note://p100")
    assert (contents.text, contents.mime_type) == ("note 100", "text/plain"), contents
    try:
        await read(client, "note://none")
        raise AssertionError("read a note that does not exist")
    except MCPError as error:
        assert error.error.code == -32602, error
    print("ok      reads a note, and gets an error for another one")

    async with client.listen(
        resources_list_changed=True, resource_subscriptions=["note://p101"]
    ) as changes:
        await write(client, "p101", "list", "changed")
        change = await anext(changes)
        assert change.uri == "note://p101", change
        assert (await read(client, "note://p101")).text == "changed"
        print("ok      is notified of a change, and reads it")
        name = f"p{anyio.current_time():.9f}".replace(".", "-")
        uri = await write(client, name, "list", "new")
        change = await anext(changes)
        assert not hasattr(change, "uri"), change
        assert uri == f"note://{name}" and name in sum(await pages(client), [])
        print("ok      is notified of a new note, and lists it")


anyio.run(main, *sys.argv[1:])
