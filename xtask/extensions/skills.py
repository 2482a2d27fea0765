"""Skills with fastmcp, as a server and as a client.

    python skills.py server SKILL [PORT]
    python skills.py client stdio PROGRAM ARGUMENT...
    python skills.py client http URL

The client checks what the example `everything` of mcp-server does. The server has one skill.
"""

import sys

import anyio
from fastmcp import Client, FastMCP
from fastmcp.client.transports import StdioTransport
from fastmcp.skills import Skill, SkillsClientExtension
from fastmcp.skills.provider import SkillCatalogProvider
from mcp import MCPError

# How long all checks may take, in seconds.
LIMIT = 60


def serve(skill, **options):
    server = FastMCP("fastmcp")
    server.add_provider(SkillCatalogProvider([Skill.from_directory(skill)]))
    server.run(show_banner=False, **options)


async def check(client):
    [entry] = await client.list_skills()
    assert entry.frontmatter.root["name"] == "pdf-forms", entry
    print("ok      a list of skills")
    assert await client.get_skill(entry.uri) == entry
    print("ok      a skill by its URI")
    skill = await client.read_skill(entry.uri)
    assert sorted(skill.files) == ["SKILL.md", "references/FIELDS.md"], skill.files
    print("ok      frontmatter, and size and digest of each file")
    try:
        await client.get_skill("skill://unknown/SKILL.md")
        raise AssertionError("found a skill that does not exist")
    except MCPError as error:
        assert error.error.code == -32602, error
    print("ok      a skill that does not exist")


async def main(way, target, *arguments):
    transport = target if way == "http" else StdioTransport(target, list(arguments))
    with anyio.fail_after(LIMIT):
        async with Client(transport, extensions=[SkillsClientExtension()]) as client:
            assert client.protocol_version == "2026-07-28", client.protocol_version
            await check(client)


match sys.argv[1:]:
    case ["server", skill]:
        serve(skill)
    case ["server", skill, port]:
        serve(skill, transport="http", port=int(port))
    case ["client", *rest]:
        anyio.run(main, *rest)
