"""A client of the Python SDK against the example `protected` of mcp-server-oauth, or (login) against a
gateway with the example `everything` behind it, at which users log in.

    python auth.py registration|document|credentials|login URL ISSUER

The variable NODE has the path of Node, which runs the browser of the user.
"""

import os
import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

CALLBACK = "http://127.0.0.1:3999/callback"


class Storage:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


def authorize(url):
    """Opens a URL as the user. Returns the redirect to the client."""
    command = [os.environ["NODE"], "user.js", url, CALLBACK]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


class User:
    """Authorizes the client whenever it asks."""

    asked = 0

    async def open(self, url):
        self.asked += 1
        self.redirect = await anyio.to_thread.run_sync(authorize, url)

    async def wait(self):
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.redirect).query).items()}
        return AuthorizationCodeResult(
            code=query["code"], state=query.get("state"), iss=query.get("iss")
        )


async def main(flow, url, issuer):
    user, storage = User(), Storage()
    if flow == "credentials":
        auth = ClientCredentialsOAuthProvider(
            server_url=url,
            storage=storage,
            client_id="machine",
            client_secret="secret-of-the-machine",
            issuer=issuer,
        )
    else:
        auth = OAuthClientProvider(
            server_url=url,
            client_metadata=OAuthClientMetadata(
                client_name="interop",
                redirect_uris=[CALLBACK],
                grant_types=["authorization_code", "refresh_token"],
                response_types=["code"],
                token_endpoint_auth_method="none",
            ),
            storage=storage,
            redirect_handler=user.open,
            callback_handler=user.wait,
            client_metadata_url="https://client.example/metadata.json" if flow == "document" else None,
        )
    async with httpx2.AsyncClient(auth=auth) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            await check(client, flow, user, storage, auth)


async def check(client, flow, user, storage, auth):
    async def text(name, **arguments):
        result = await client.call_tool(name, arguments)
        return result.content[0].text

    tools = [tool.name for tool in (await client.list_tools()).tools]
    if flow == "login":
        assert "test_simple_text" in tools, tools
        await client.call_tool("test_simple_text")
        await refreshes(client, "test_simple_text", user, storage, auth)
        return
    assert tools == ["whoami", "read", "write", "delete"], tools
    print("ok      connects after the user has authorized the client")
    caller = "machine" if flow == "credentials" else "ada"
    said = await text("whoami")
    assert said.startswith(f"{caller} with a bearer token: mcp:use"), said
    print("ok      the server knows the caller and the scopes")
    if flow == "credentials":
        return
    assert await text("read") == "some text"
    assert await text("delete", path="shared/a") == "deleted shared/a"
    print("ok      asks for the scopes that a request needs")
    await refreshes(client, "whoami", user, storage, auth)


async def refreshes(client, tool, user, storage, auth):
    asked, before = user.asked, storage.tokens
    auth.context.token_expiry_time = 1
    await client.call_tool(tool)
    assert storage.tokens.access_token != before.access_token
    assert storage.tokens.refresh_token != before.refresh_token
    assert user.asked == asked, "the user was asked"
    print("ok      gets a new token when the old one has expired, and the refresh token rotates")


anyio.run(main, *sys.argv[1:])
