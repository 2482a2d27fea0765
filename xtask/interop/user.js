// The user of a client, at a browser: opens the URL of an authorization request, agrees to what the pages
// ask, and finds the redirect to the client.
//
// `node user.js URL CALLBACK` prints the redirect. If BETWEEN_STEPS has a URL, it is requested before each page.

import { argv, env, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

/// The redirects and pages that a login may have.
const STEPS = 20;
/// How often a redirect is tried, a tenth of a second apart.
const TRIES = 100;

/// Follows redirects and submits forms, with cookies, until a redirect leads to the client. Returns that URL.
export async function authorize(url, callback) {
  const cookies = new Map();
  let next = { url: new URL(url) };
  for (let step = 0; step < STEPS; step += 1) {
    if (env.BETWEEN_STEPS) await fetch(env.BETWEEN_STEPS);
    const origin = new URL(next.url).origin;
    const jar = cookies.get(origin) ?? new Map();
    cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, ...(next.body && { origin }) };
    const { method, body } = next;
    const response = await fetch(next.url, { method, body, redirect: 'manual', headers });
    for (const line of response.headers.getSetCookie()) {
      const [pair] = line.split(';');
      const at = pair.indexOf('=');
      jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const page = await response.text();
    const location = response.headers.get('location') ?? refresh(page);
    const following = location ? { url: new URL(location, next.url) } : form(page, next.url);
    if (!following) throw new Error(`no redirect from ${next.url.pathname}: ${response.status} ${page}`);
    next = following;
    if (String(next.url).startsWith(callback)) return next.url;
  }
  throw new Error('too many redirects');
}

const unescape = (text) => text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');

/// Returns the URL to which a page sends the browser by itself.
function refresh(page) {
  const [, url] = page.match(/http-equiv="refresh" content="0;\s*url=([^"]*)"/) ?? [];
  return url && unescape(url);
}

/// Returns the submission of the form of a page, with the button that allows.
function form(page, base) {
  const [, action] = page.match(/<form method="post" action="([^"]*)"/) ?? [];
  if (!action) return undefined;
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const body = new URLSearchParams(fields.map(([, name, value]) => [name, unescape(value)]));
  body.append('decision', 'allow');
  return { url: new URL(unescape(action), base), method: 'POST', body };
}

const URLS = /http:\/\/127\.0\.0\.1:\d+\/authorize\?[\x21\x23-\x7e]+/g;

/// Opens each URL of an authorization request in the output of a client, as a browser does, and copies the
/// output to that of this program.
export function watch(output) {
  const opened = new Set();
  let line = '';
  output.setEncoding('utf8');
  output.on('data', (text) => {
    stdout.write(text);
    const lines = (line + text).split('\n');
    line = lines.pop();
    for (const [url] of lines.join('\n').matchAll(URLS)) {
      if (!opened.has(url)) open(url).catch((error) => stdout.write(`${error.stack}\n`));
      opened.add(url);
    }
  });
}

/// Clients may print first and listen then.
async function open(url) {
  const redirect = await authorize(url, new URL(url).searchParams.get('redirect_uri'));
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetch(redirect);
    } catch (error) {
      if (attempt === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [, , url, callback] = argv;
  stdout.write(`${await authorize(url, callback)}\n`);
}
