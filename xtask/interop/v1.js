// Version 1 of the TypeScript SDK: revisions up to 2025-11-25.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';

import { CAPABILITIES, INFO, Peer, main, subscribeLegacy } from './peer.js';

async function connect(transport) {
  const client = new Client(INFO, { capabilities: CAPABILITIES });
  const peer = new Peer(client, false);
  const answer = (schema, kind) =>
    client.setRequestHandler(schema, (request) => peer.answer[kind](request.params));
  answer(types.ElicitRequestSchema, 'elicit');
  answer(types.CreateMessageRequestSchema, 'sample');
  answer(types.ListRootsRequestSchema, 'roots');

  peer.call = (params, options) => client.callTool(params, undefined, options);
  peer.callAtLevel = async (level, params) => {
    await client.setLoggingLevel(level);
    return client.callTool(params);
  };
  peer.subscribe = (filter) => subscribeLegacy(client, filter);

  await client.connect(transport);
  peer.watch(transport);
  return peer;
}

await main(
  process.argv.slice(2),
  { http: StreamableHTTPClientTransport, sse: SSEClientTransport, stdio: StdioClientTransport },
  connect,
);
