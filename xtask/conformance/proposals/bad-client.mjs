// Violates each check of the client scenarios, to show that they find it: bad-client.mjs URL

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const [url] = process.argv.slice(2);
const VERSION = '2026-07-28';

async function request(method, params = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'bad-client', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {}
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': method
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
  });
  return (await response.json()).result ?? {};
}

/** Requests a URL with credentials, whatever it is, and reads everything. */
async function load(src) {
  const headers = { Cookie: 'session=secret', Authorization: 'Bearer secret', 'Mcp-Method': 'x' };
  const response = await fetch(src, { headers });
  for await (const _ of response.body);
}

const { resources, nextCursor } = await request('resources/list');
for (const { uri, httpUrl, icons = [] } of resources) {
  for (const src of [httpUrl, ...icons.map((icon) => icon.src)]) {
    if (src) await load(src).catch((error) => console.error(src, error.cause ?? error));
  }
  if (httpUrl || icons.length > 0) continue;
  const members = await request('resources/list', { uri });
  if (members.nextCursor) {
    await request('resources/list', { uri, cursor: members.nextCursor.trim() });
    await request('resources/list', { uri, cursor: nextCursor });
  }
  await request('resources/metadata', { uri: `${uri}/` });
  await request('resources/read', { uri });
  await request('resources/get', { uri, version: '1' });
}
