// Runs `page.js` in headless Chromium, on pages of origins that are not the server's.
//
//     node browser.js URL PORT CHROMIUM
//
// URL is that of the server under test, which has to allow the origin http://app.localhost:PORT.
// Chromium resolves every name below `localhost` to the loopback address by itself.

import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { build } from 'esbuild';

const [server, port, chromium] = process.argv.slice(2);

/// How long Chromium may take for one page, its start included.
const LIMIT = 180_000;

/// The pages: who serves them, and what they check.
const PAGES = [
  ['app.localhost', 'allowed', 'an origin that is listed'],
  ['127.0.0.1', 'allowed', "the server's own host at another port"],
  ['evil.localhost', 'refused', 'an origin that is not allowed'],
];

const bundle = await build({
  entryPoints: ['page.js'],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: 'chrome100',
  logLevel: 'error',
});
const script = bundle.outputFiles[0].text;
const html = '<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>';

let report;
const pages = createServer((request, response) => {
  const [path] = request.url.split('?');
  if (request.method === 'POST' && path === '/report') {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      response.end();
      report(JSON.parse(Buffer.concat(chunks)));
    });
    return;
  }
  const [type, text] = path === '/page.js' ? ['text/javascript', script] : ['text/html', html];
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.end(text);
});
await new Promise((resolve) => pages.listen(Number(port), '127.0.0.1', resolve));

/// Opens a page in a browser of its own, and returns what the page reports.
async function open(url) {
  const profile = mkdtempSync(join(process.cwd(), 'profile-'));
  const log = openSync('chromium.log', 'a');
  const flags = [
    '--headless',
    // The sandbox does not work for root, which is what CI often is.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    `--user-data-dir=${profile}`,
  ];
  // A group of its own, because Chromium is many processes.
  const options = { detached: true, stdio: ['ignore', log, log] };
  const browser = spawn(chromium, [...flags, url], options);
  const ended = new Promise((resolve) => browser.once('exit', resolve));
  let timer;
  try {
    return await new Promise((resolve, reject) => {
      report = resolve;
      browser.once('error', reject);
      ended.then((code) => reject(new Error(`Chromium ended with ${code}: see chromium.log`)));
      timer = setTimeout(() => reject(new Error('the page does not report')), LIMIT);
    });
  } finally {
    clearTimeout(timer);
    try {
      process.kill(-browser.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

let content = true;
for (const [host, expected, what] of PAGES) {
  console.log(`\n== page of ${what}`);
  const query = new URLSearchParams({ server, expected });
  try {
    const { passed, lines } = await open(`http://${host}:${port}/?${query}`);
    for (const line of lines) console.log(line);
    content &&= passed;
  } catch (error) {
    console.log(`FAILED  ${error.message}`);
    content = false;
  }
}
pages.close();
process.exit(content ? 0 : 1);
