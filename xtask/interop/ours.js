// The user of our own client: `node ours.js PROGRAM ARGUMENT...`. Starts the example
// `protected_client`, and opens the URLs that it prints.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { authorize } from './user.js';

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
for await (const line of createInterface({ input: child.stdout })) {
  const [, url] = line.match(/^open (\S+) and enter the address/) ?? [];
  if (url) {
    const redirect = await authorize(url, new URL(url).searchParams.get('redirect_uri'));
    child.stdin.write(`${redirect}\n`);
  } else {
    console.log(line);
  }
}
const code = child.exitCode ?? (await new Promise((resolve) => child.on('close', resolve)));
process.exit(code ?? 1);
