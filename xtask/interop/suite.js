// Runs the scenarios of the official suite for authorization servers against a gateway, at which the user
// logs in: `node suite.js SUITE GATEWAY`.

import { spawn } from 'node:child_process';

/// The suite listens there for the redirect.
const CALLBACK = 'http://127.0.0.1:3000/callback';

const [suite, gateway] = process.argv.slice(2);
const response = await fetch(`${gateway}/register`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
});
const { client_id: id } = await response.json();
const options = ['--url', gateway, '--client-id', id, '--resource', `${gateway}/mcp`];
const node = process.execPath;
const args = ['opened.js', node, suite, 'authorization', ...options];
spawn(node, args, { stdio: 'inherit' }).on('close', (code) => process.exit(code ?? 1));
