// Runs a client that prints the URL of an authorization request and listens for the redirect, and opens that
// URL: `node opened.js PROGRAM ARGUMENT...`.

import { spawn } from 'node:child_process';

import { watch } from './user.js';

/// How long a client may take.
const LIMIT = 60_000;

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT });
watch(child.stdout);
watch(child.stderr);
child.on('close', (code) => process.exit(code ?? 1));
