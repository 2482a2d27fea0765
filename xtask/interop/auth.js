// A client of the TypeScript SDK against the example `protected` of mcp-server-oauth, or (`login`) against
// a gateway with the example `everything` behind it, at which users log in:
// `node auth.js VERSION FLOW URL ISSUER`.
//
// VERSION is `v1`, `v2-legacy` or `v2-modern`; FLOW is one of those of `FLOWS`.

import assert from 'node:assert/strict';

import * as v2 from '@modelcontextprotocol/client';
import * as extensions from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { INFO } from './peer.js';
import { run } from './run.js';
import { authorize } from './user.js';

const [version, flow, url, issuer] = process.argv.slice(2);
const CALLBACK = 'http://127.0.0.1:3999/callback';

/// What a program keeps for the SDK: registration, tokens, verifier.
class Provider {
  redirects = [];
  clientMetadata = {
    client_name: 'interop',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };

  constructor({ document, dpop }) {
    if (document) this.clientMetadataUrl = document;
    if (dpop) {
      const session = v2.DpopSession.create();
      this.dpop = () => session;
    }
  }

  get redirectUrl() { return CALLBACK; }
  state() { return 'state'; }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.current; }
  saveTokens(tokens) { this.current = tokens; }
  redirectToAuthorization(target) { this.redirects.push(new URL(target)); }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  saveDiscoveryState(state) { this.discovery = state; }
  discoveryState() { return this.discovery; }
}

const FLOWS = {
  registration: () => new Provider({}),
  login: () => new Provider({}),
  document: () => new Provider({ document: 'https://client.example/metadata.json' }),
  dpop: () => new Provider({ dpop: true }),
  credentials: () => {
    const { ClientCredentialsProvider } = version === 'v1' ? extensions : v2;
    return new ClientCredentialsProvider({
      clientId: 'machine',
      clientSecret: 'secret-of-the-machine',
      scope: 'mcp:use',
      expectedIssuer: issuer,
    });
  },
};

const provider = FLOWS[flow]();
let transport;
let client;

function make() {
  if (version === 'v1') {
    transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
    return new Client(INFO);
  }
  transport = new v2.StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  const mode = version === 'v2-modern' ? 'auto' : 'legacy';
  return new v2.Client(INFO, { versionNegotiation: { mode } });
}

/// Does something that needs the user, if the SDK has sent the user to the authorization server.
async function withUser(action) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      const known = error instanceof UnauthorizedError || error instanceof v2.UnauthorizedError;
      const target = provider.redirects?.pop();
      if (!known || !target || attempt > 2) throw error;
      const redirect = await authorize(target, CALLBACK);
      assert.equal(redirect.searchParams.get('state'), 'state');
      const code = redirect.searchParams.get('code');
      assert.ok(code, `no code: ${redirect.search}`);
      if (version === 'v1') await transport.finishAuth(code);
      else await transport.finishAuth(redirect.searchParams);
    }
  }
}

async function connect() {
  await withUser(async () => {
    client = make();
    await client.connect(transport);
  });
}

async function text(name, args = {}) {
  const result = await withUser(() => client.callTool({ name, arguments: args }));
  return result.content[0].text;
}

/// With a refresh token, version 1 of the SDK refreshes instead of asking for more scopes.
function forgetRefreshToken() {
  if (version === 'v1') provider.saveTokens({ ...provider.tokens(), refresh_token: undefined });
}

const granted = () => provider.tokens().scope.split(' ').toSorted();

const refreshes = {
  async 'gets a new token when the old one is rejected, and the refresh token rotates'() {
    for (let round = 0; round < 2; round += 1) {
      const before = provider.tokens();
      assert.ok(before.refresh_token, 'no refresh token');
      provider.saveTokens({ ...before, access_token: `${before.access_token}x` });
      await text(flow === 'login' ? SIMPLE : 'whoami');
      assert.notEqual(provider.tokens().access_token, before.access_token);
      assert.notEqual(provider.tokens().refresh_token, before.refresh_token);
      assert.equal(provider.redirects.length, 0, 'the user was asked');
    }
  },
};

const atProtected = {
  async 'connects after the user has authorized the client'() {
    await connect();
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ['whoami', 'read', 'write', 'delete']);
  },
  async 'the server knows the user and the scopes'() {
    const kind = flow === 'dpop' ? 'a token that is bound to a key' : 'a bearer token';
    const user = flow === 'credentials' ? 'machine' : 'ada';
    const said = await text('whoami');
    assert.ok(said.startsWith(`${user} with ${kind}: `), said);
    assert.ok(said.includes('mcp:use') && !said.includes('files:'), said);
  },
};

/// A tool of the example `everything`.
const SIMPLE = 'test_simple_text';

const atGateway = {
  async 'lists and calls tools after the user has logged in'() {
    await connect();
    const { tools } = await client.listTools();
    assert.ok(tools.some((tool) => tool.name === SIMPLE));
    assert.ok(await text(SIMPLE));
  },
  ...refreshes,
};

const CHECKS = flow === 'login' ? atGateway : atProtected;
if (flow !== 'credentials' && flow !== 'login') {
  Object.assign(CHECKS, {
    async 'asks for the scopes of a tool'() {
      forgetRefreshToken();
      assert.equal(await text('read'), 'some text');
      assert.ok(granted().includes('files:read'), granted());
    },
    async 'asks for a scope that depends on the arguments'() {
      forgetRefreshToken();
      assert.equal(await text('delete', { path: 'shared/a' }), 'deleted shared/a');
      for (const scope of ['files:shared', 'files:write']) assert.ok(granted().includes(scope));
    },
    ...refreshes,
  });
} else if (flow === 'credentials') {
  CHECKS['cannot do more than its token permits'] = async () => {
    const write = client.callTool({ name: 'write', arguments: {} });
    if (version === 'v1') return assert.rejects(write);
    // Version 2 gets another token by itself.
    assert.equal((await write).content[0].text, 'written');
    assert.ok(granted().includes('files:write'), granted());
  };
}

const content = await run(undefined, CHECKS, false);
await client?.close();
process.exit(content ? 0 : 1);
