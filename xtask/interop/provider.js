// An authorization server for `cargo xtask interop auth`: the package oidc-provider. Nobody has to log
// in: it redirects every authorization request to a page that answers by itself.
//
// `node provider.js PORT [CALLBACK]`. Tokens for a resource whose URL contains `/opaque/` have to be
// introspected; others are JWT. With CALLBACK, a gateway at which
// users log in is a client.

import { createServer } from 'node:http';

import { Provider } from 'oidc-provider';

const port = Number(process.argv[2]);
const callback = process.argv[3];
const issuer = `http://127.0.0.1:${port}`;

/// The metadata document of a client (CIMD). Nothing is at this URL: the provider gets the document
/// from `fetch` below.
const DOCUMENT = 'https://client.example/metadata.json';
const document = {
  client_id: DOCUMENT,
  client_name: 'Client with a metadata document',
  redirect_uris: ['http://127.0.0.1:3999/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

/// The client that lets users log in.
const gateway = {
  client_id: 'gateway',
  client_secret: 'secret-of-the-gateway',
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: [callback],
  response_types: ['code'],
};

const scopes = ['mcp:use', 'files:read', 'files:write', 'files:shared'];

const user = (id) => ({ sub: id, name: id, email: `${id}@example.com`, email_verified: true });

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'machine',
      client_secret: 'secret-of-the-machine',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
    {
      client_id: 'server',
      client_secret: 'secret-of-the-server',
      grant_types: [],
      redirect_uris: [],
      response_types: [],
    },
    ...(callback ? [gateway] : []),
  ],
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
  scopes: ['openid', 'offline_access', ...scopes],
  pkce: { required: () => true },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    revocation: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    clientCredentials: { enabled: true },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => ({
        scope: scopes.join(' '),
        audience: resource,
        accessTokenTTL: 600,
        accessTokenFormat: resource.includes('/opaque/') ? 'opaque' : 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
  enabledJWA: { dPoPSigningAlgValues: ['ES256', 'EdDSA'] },
  rotateRefreshToken: true,
  issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  findAccount: (_, id) => ({ accountId: id, claims: () => user(id) }),
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  // The user consents to everything.
  async loadExistingGrant(ctx) {
    const { client, session, params } = ctx.oidc;
    const grant = new ctx.oidc.provider.Grant({
      clientId: client.clientId,
      accountId: session.accountId,
    });
    const wanted = params.scope ?? '';
    grant.addOIDCScope(wanted);
    for (const resource of [params.resource ?? []].flat()) grant.addResourceScope(resource, wanted);
    await grant.save();
    return grant;
  },
  async fetch(url, options) {
    if (String(url) === DOCUMENT) return Response.json(document);
    return fetch(url, options);
  },
});

provider.on('server_error', (_, error) => console.error(error));

/// Reads a registration. Its scopes are left out: they are those that the client needs first, and
/// would be all that it could ever get.
async function registration(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { scope, ...metadata } = JSON.parse(text);
  return metadata;
}

const respond = provider.callback();
createServer(async (request, response) => {
  console.error(`${request.method} ${request.url.split('?')[0]}`);
  try {
    if (request.method === 'POST' && request.url === '/reg') {
      request.body = await registration(request);
    }
    if (!request.url.startsWith('/interaction/')) return respond(request, response);
    const result = { login: { accountId: 'ada' }, consent: {} };
    await provider.interactionFinished(request, response, result);
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
}).listen(port, '127.0.0.1');
