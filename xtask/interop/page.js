// What a page in a browser does as a client of the example `everything`, with both versions of the
// TypeScript SDK. `browser.js` bundles and serves it.

import * as v2 from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { run } from './run.js';

const INFO = { name: 'page', version: '1.0.0' };
const WATCHED = 'test://watched-resource';

const query = new URLSearchParams(location.search);
const server = new URL(query.get('server'));
const sse = new URL('/sse', server);

const lines = [];
console.log = (line) => lines.push(line);

function equal(found, expected, what) {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${what ?? 'found'} ${one} instead of ${other}`);
}

function ok(found, what) {
  if (!found) throw new Error(what);
}

async function fails(promise, what) {
  return promise.then(
    () => {
      throw new Error(`${what} succeeded`);
    },
    (error) => error,
  );
}

/// How each client is made and called.
const CLIENTS = {
  'version 1': {
    make: () => new Client(INFO),
    transport: () => new StreamableHTTPClientTransport(server),
    call: (client, params, options) => client.callTool(params, undefined, options),
    session: true,
  },
  'version 1, HTTP+SSE': {
    make: () => new Client(INFO),
    transport: () => new SSEClientTransport(sse),
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
  'version 2, legacy': {
    make: () => new v2.Client(INFO, { versionNegotiation: { mode: 'legacy' } }),
    transport: () => new v2.StreamableHTTPClientTransport(server),
    call: (client, params, options) => client.callTool(params, options),
    session: true,
  },
  'version 2, modern': {
    make: () => new v2.Client(INFO, { versionNegotiation: { mode: 'auto' } }),
    transport: () => new v2.StreamableHTTPClientTransport(server),
    call: (client, params, options) => client.callTool(params, options),
    modern: true,
  },
};

/// Waits until the client has the next notification of a method.
function next(client, transport, method) {
  return new Promise((resolve) => {
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      if (message.method === method) resolve(message);
      return onmessage(message, extra);
    };
  });
}

/// Uses all that a page needs CORS for: headers of requests and of responses, streams, sessions.
async function use({ make, transport: connect, call, session, modern }) {
  const client = make();
  const transport = connect();
  await client.connect(transport);
  equal(client.getServerVersion().name, 'everything');
  if (modern) equal(client.getProtocolEra(), 'modern');
  if (session) ok(transport.sessionId, 'the page cannot read Mcp-Session-Id');

  const { tools } = await client.listTools();
  ok(tools.some((tool) => tool.name === 'test_simple_text'), 'a tool is missing');
  const plain = await call(client, { name: 'test_simple_text', arguments: {} });
  equal(plain.content[0].text, 'This is a simple text response for testing.');

  const steps = [];
  const onprogress = ({ progress }) => steps.push(progress);
  await call(client, { name: 'test_tool_with_progress', arguments: {} }, { onprogress });
  // The clients forget a step that arrives together with the result.
  equal(steps.slice(0, 2), [0, 50], 'progress');

  const updated = next(client, transport, 'notifications/resources/updated');
  if (modern) {
    const subscription = await client.listen({ resourceSubscriptions: [WATCHED] });
    equal((await updated).params.uri, WATCHED);
    await subscription.close();
  } else {
    // In a session the notification arrives on the stream of the GET.
    await client.subscribeResource({ uri: WATCHED });
    equal((await updated).params.uri, WATCHED);
  }

  if (session) {
    const id = transport.sessionId;
    await transport.terminateSession();
    const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': id };
    equal((await fetch(server, { headers })).status, 404, 'after DELETE');
  }
  await client.close();
}

const JSON_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

function post(body, headers = JSON_HEADERS) {
  return fetch(server, { method: 'POST', headers, body: JSON.stringify(body) });
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO },
};

const ALLOWED = {
  ...Object.fromEntries(
    Object.entries(CLIENTS).map(([name, client]) => [name, () => use(client)]),
  ),

  async 'refusals can be read'() {
    const unread = await post(INITIALIZE, { ...JSON_HEADERS, Accept: 'text/plain' });
    equal(unread.status, 406);
    equal((await unread.json()).error.code, -32600);
    const gone = { ...JSON_HEADERS, 'Mcp-Session-Id': 'gone' };
    equal((await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, gone)).status, 404);
  },

  async 'headers of tool parameters and authorization may be sent'() {
    const headers = {
      ...JSON_HEADERS,
      Authorization: 'Bearer none',
      'Last-Event-ID': 'a-1',
      'MCP-Protocol-Version': '2025-11-25',
      'Mcp-Param-Region': 'west',
    };
    const begun = await post(INITIALIZE, headers);
    equal(begun.status, 200);
    ok(begun.headers.get('mcp-session-id'), 'Mcp-Session-Id is not exposed');
  },

  async 'other headers may not be sent'() {
    await fails(post(INITIALIZE, { ...JSON_HEADERS, 'X-Other': '1' }), 'a foreign header');
  },

  async 'cookies may not be sent'() {
    const options = { method: 'POST', headers: JSON_HEADERS, credentials: 'include' };
    await fails(fetch(server, { ...options, body: JSON.stringify(INITIALIZE) }), 'a cookie');
  },
};

const REFUSED = {
  ...Object.fromEntries(
    Object.entries(CLIENTS).map(([name, { make, transport }]) => [
      name,
      () => fails(make().connect(transport()), 'connecting'),
    ]),
  ),

  async 'no request is answered readably'() {
    await fails(post(INITIALIZE), 'a POST');
    await fails(fetch(server), 'a GET');
    // Requests without preflight reach the server, and nothing of the response reaches the page.
    const opaque = await fetch(server, { mode: 'no-cors' });
    equal([opaque.type, opaque.status], ['opaque', 0]);
  },
};

const checks = query.get('expected') === 'refused' ? REFUSED : ALLOWED;
let passed = false;
try {
  passed = await run(undefined, checks, false);
} catch (error) {
  lines.push(`FAILED  ${error.message}`);
}
await fetch('/report', { method: 'POST', body: JSON.stringify({ passed, lines }) });
