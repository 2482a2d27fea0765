// The official client for tasks, on version 2 of the TypeScript SDK, against the tools of the
// example `everything` that run as tasks.
//
// usage: tasks.js URL

import assert from 'node:assert/strict';

import * as sdk from '@modelcontextprotocol/client';
import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';

import { INFO } from './peer.js';

const [url] = process.argv.slice(2);
const protocolVersion = '2026-07-28';
const clientCapabilities = {
  elicitation: { form: {} },
  extensions: { 'io.modelcontextprotocol/tasks': {} },
};

// The SDK itself refuses messages of the extension, so the host has to send them.
let id = 0;
async function dispatch(request, { signal } = {}) {
  const name = request.params?.taskId ?? request.params?.name;
  const response = await fetch(url, {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      'mcp-method': request.method,
      ...(name && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: (id += 1), ...request }),
  });
  let text = await response.text();
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
    text = lines.at(-1).slice('data: '.length);
  }
  const { result, error } = JSON.parse(text);
  return error ? { kind: 'error', error } : { kind: 'result', result };
}

const client = new sdk.Client(INFO, {
  capabilities: clientCapabilities,
  versionNegotiation: { mode: 'auto' },
});
await client.connect(new sdk.StreamableHTTPClientTransport(new URL(url)));
let asked = 0;
const session = createTaskSessionFromClient(client, {
  endpointId: 'everything',
  rawDispatch: dispatch,
  v2RequestFraming: { protocolVersion, clientInfo: INFO, clientCapabilities },
  onInputRequest: async ({ kind }) => {
    assert.equal(kind, 'elicitation');
    asked += 1;
    return { action: 'accept', content: { confirm: true } };
  },
});

async function call(name, args, kind) {
  const execution = await session.callTool(name, args);
  assert.equal(execution.kind, kind, name);
  const { outcome } = await execution.settle();
  console.log(`${name}: ${kind}, ${outcome.status}`);
  return outcome;
}

const text = ({ result }) => result.content[0].text;
const greeting = await call('greet', { name: 'Ada' }, 'immediate');
assert.equal(text(greeting), 'Hello, Ada!');
const computed = await call('slow_compute', { seconds: 0.1, label: 'a' }, 'task');
assert.match(text(computed), /^computed a/);
const deleted = await call('confirm_delete', { filename: 'a.txt' }, 'task');
assert.deepEqual([text(deleted), asked], ['deleted a.txt', 1]);
const failed = await call('failing_job', {}, 'task');
assert.equal(failed.result.isError, true);
const refused = await call('protocol_error_job', {}, 'task');
assert.equal(refused.status, 'failed');

// A task that would take a minute.
const execution = await session.callTool('slow_compute', { seconds: 60, label: 'b' });
await execution.cancel();
const { outcome } = await execution.settle();
console.log(`slow_compute: ${outcome.status}`);
assert.equal(outcome.status, 'cancelled');

await session.close();
await client.close();
