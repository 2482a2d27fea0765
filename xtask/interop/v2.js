// Version 2 of the TypeScript SDK, in the era that the first word on the command line names:
// `legacy` or `modern`.

import * as sdk from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { CAPABILITIES, INFO, Peer, main, subscribeLegacy } from './peer.js';

const [era, ...words] = process.argv.slice(2);
const modern = era === 'modern';

async function connect(transport) {
  const client = new sdk.Client(INFO, {
    capabilities: CAPABILITIES,
    // Found out as a client would that knows both, not taken for granted.
    versionNegotiation: { mode: modern ? 'auto' : 'legacy' },
  });
  const peer = new Peer(client, modern);
  const answer = (method, kind) =>
    client.setRequestHandler(method, (request) => peer.answer[kind](request.params));
  answer('elicitation/create', 'elicit');
  answer('sampling/createMessage', 'sample');
  answer('roots/list', 'roots');

  peer.call = (params, options) => client.callTool(params, options);
  peer.callAtLevel = async (level, params) => {
    if (modern) {
      return client.callTool({ ...params, _meta: { [sdk.LOG_LEVEL_META_KEY]: level } });
    }
    await client.setLoggingLevel(level);
    return client.callTool(params);
  };
  peer.subscribe = async (filter) => {
    if (!modern) return subscribeLegacy(client, filter);
    const subscription = await client.listen(filter);
    return () => subscription.close();
  };

  await client.connect(transport);
  if (client.getProtocolEra() !== era) {
    throw new Error(`the server is taken for ${client.getProtocolEra()}`);
  }
  peer.watch(transport);
  return peer;
}

await main(
  words,
  { http: sdk.StreamableHTTPClientTransport, stdio: StdioClientTransport },
  connect,
);
