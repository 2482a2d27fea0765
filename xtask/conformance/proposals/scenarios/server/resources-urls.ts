/**
 * HTTPS URLs of resources test scenario for MCP servers: what a program without
 * any knowledge of MCP gets at the httpUrl of a resource
 */

import {
  ClientScenario,
  ConformanceCheck,
  DRAFT_PROTOCOL_VERSION
} from '../../types';
import type { Connection, RunContext } from '../../connection';
import { Findings, may, message, must, should } from '../findings';
import type { Requirements } from '../findings';
import { bytes, object, objects, request, runOn, walk } from './proposals';
import type { Json } from './proposals';

// The proposal has no number yet. How URLs are requested is RFC 9110.
const SPEC_REFERENCES = [
  { id: 'SEP-0000-HTTPS-URL' },
  { id: 'RFC-9110', url: 'https://www.rfc-editor.org/rfc/rfc9110' }
];

/** The maximum number of URLs, and of seconds to wait until one expires. */
const URLS = 20;
const WAIT = 30;

const URL_NEEDED = 'listed resource with an httpUrl';
const EXPIRY = 'resource with an httpUrlExpiresAt';
const ANSWER = 'httpUrl that answers a GET request with the status 200';
const TAG = 'response with an ETag';

const REQUIREMENTS = {
  'https-url-url': must('httpUrl has the scheme https', URL_NEEDED),
  'https-url-expiry': must(
    'httpUrlExpiresAt is a time of ISO 8601 in the future',
    EXPIRY
  ),
  'https-url-get': must(
    'A GET request without credentials and headers of MCP succeeds',
    URL_NEEDED
  ),
  'https-url-bytes': must('The URL has the bytes of the resource', ANSWER),
  'https-url-type': should('Content-Type is the mimeType', ANSWER),
  'https-url-length': may('Content-Length is the number of bytes', ANSWER),
  'https-url-head': should('HEAD has the status and headers of GET', ANSWER),
  'https-url-range': must(
    'A partial response has exactly the requested bytes',
    ANSWER
  ),
  'https-url-range-beyond': should(
    'A range beyond the end has the status 416',
    ANSWER
  ),
  'https-url-if-none-match': should('A known ETag has the status 304', TAG),
  'https-url-if-match': should('Another ETag has the status 412', TAG),
  'https-url-token': should(
    'A URL with another token does not return the contents',
    ANSWER
  ),
  'https-url-expired': must(
    'An expired URL does not return the contents',
    `httpUrl that expires within ${WAIT} seconds`
  ),
  'https-url-redirect': may('No redirect leads to another origin', URL_NEEDED),
  'https-url-nosniff': may(
    'X-Content-Type-Options keeps browsers from guessing a type',
    ANSWER
  )
} satisfies Requirements<string>;

type Checks = Findings<keyof typeof REQUIREMENTS>;

export class ResourcesUrlsScenario implements ClientScenario {
  name = 'resources-urls';
  readonly source = { introducedIn: DRAFT_PROTOCOL_VERSION } as const;
  description = `Test HTTPS URLs of resources (\`httpUrl\` and \`httpUrlExpiresAt\`).

**Server Implementation Requirements:**

- At least one listed resource with more than one byte, a \`mimeType\`, an \`httpUrl\` and an \`httpUrlExpiresAt\`
- The URL expires within ${WAIT} seconds, so that the scenario can wait for that, but not before 5 seconds
- Node.js trusts the certificate of the URL (\`NODE_EXTRA_CA_CERTS\`)

**Methods**: \`resources/list\`, \`resources/metadata\`, \`resources/read\`; GET and HEAD of the URL`;

  async run(ctx: RunContext): Promise<ConformanceCheck[]> {
    const checks: Checks = new Findings(REQUIREMENTS, SPEC_REFERENCES);
    return runOn(ctx, checks, async (conn) => {
      const all = await walk(conn);
      const linked = all.filter(({ httpUrl }) => typeof httpUrl === 'string');
      let first: { url: string; left: number } | undefined;
      for (const resource of linked.slice(0, URLS)) {
        const found = await checkUrl(conn, checks, resource);
        if (found && found.left < (first?.left ?? Infinity)) first = found;
      }
      if (first !== undefined)
        await checkExpired(checks, first.url, first.left);
    });
  }
}

interface Answer {
  status: number;
  headers: Headers;
  body: Buffer;
}

async function send(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
  redirect: RequestRedirect = 'follow'
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { 'Accept-Encoding': 'identity', ...headers },
    redirect,
    signal: AbortSignal.timeout(10_000)
  });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, body };
}

/** Checks the URL of a resource. Returns when it expires, in milliseconds. */
async function checkUrl(
  conn: Connection,
  checks: Checks,
  listed: Json
): Promise<{ url: string; left: number } | undefined> {
  const { uri } = listed;
  // The URL of the list may have expired since.
  const metadata = await request(conn, 'resources/metadata', { uri });
  const newest =
    'result' in metadata ? object(metadata.result, 'resource') : listed;
  const resource = typeof newest.httpUrl === 'string' ? newest : listed;
  const url = String(resource.httpUrl);
  const isHttps = URL.canParse(url) && new URL(url).protocol === 'https:';
  checks.expect('https-url-url', isHttps, `${uri}: httpUrl is ${url}`);
  const left = checkExpiry(checks, resource);
  if (!isHttps) return undefined;
  let whole: Answer;
  try {
    const { headers } = await send(url, {}, 'GET', 'manual');
    const target = new URL(headers.get('location') ?? url, url);
    checks.expect(
      'https-url-redirect',
      target.origin === new URL(url).origin,
      `${uri} redirects to ${target}`
    );
    whole = await send(url);
  } catch (error) {
    checks.violated('https-url-get', `${uri}: ${message(error)}`);
    return undefined;
  }
  const isOk = whole.status === 200;
  const text = `${uri}: the status is ${whole.status}`;
  checks.expect('https-url-get', isOk, text);
  if (!isOk) return undefined;
  await checkWhole(conn, checks, resource, url, whole);
  await checkHead(checks, url, whole);
  await checkRanges(checks, url, whole);
  await checkTags(checks, url, whole);
  await checkToken(checks, url, whole);
  return left !== undefined && left > 0 ? { url, left } : undefined;
}

function checkExpiry(checks: Checks, resource: Json): number | undefined {
  const { uri, httpUrlExpiresAt: expires } = resource;
  if (expires === undefined) return undefined;
  const isTime =
    typeof expires === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(expires);
  const until = isTime ? Date.parse(expires) : NaN;
  const isFuture = until > Date.now();
  checks.expect(
    'https-url-expiry',
    isFuture,
    `${uri}: httpUrlExpiresAt is ${expires}`
  );
  return isTime ? until - Date.now() : undefined;
}

async function checkWhole(
  conn: Connection,
  checks: Checks,
  { uri, mimeType }: Json,
  url: string,
  { headers, body }: Answer
): Promise<void> {
  const read = await request(conn, 'resources/read', { uri });
  const again = await send(url);
  // What is too large can only be read by URL, and what changes not compared.
  if ('result' in read && again.body.equals(body)) {
    const isSame = objects(read.result, 'contents').some(
      (one) => one.uri === uri && bytes(one)?.equals(body)
    );
    const text = `${uri}: the bytes are not those of resources/read`;
    checks.expect('https-url-bytes', isSame, text);
  }
  if (typeof mimeType === 'string') {
    const essence = (type: string) => type.split(';')[0].trim().toLowerCase();
    const sent = headers.get('content-type') ?? 'absent';
    const isSame = essence(sent) === essence(mimeType);
    const text = `${uri}: Content-Type is ${sent}, mimeType is ${mimeType}`;
    checks.expect('https-url-type', isSame, text);
  }
  const length = headers.get('content-length');
  checks.expect(
    'https-url-length',
    length === String(body.length),
    `${uri}: Content-Length is ${length} for ${body.length} bytes`
  );
  checks.expect(
    'https-url-nosniff',
    headers.get('x-content-type-options') === 'nosniff',
    `${uri} has no such header`
  );
}

async function checkHead(checks: Checks, url: string, whole: Answer) {
  const head = await send(url, {}, 'HEAD');
  checks.expect(
    'https-url-head',
    head.status === 200,
    `the status is ${head.status}`
  );
  for (const name of ['content-type', 'content-length', 'etag']) {
    const [one, other] = [whole.headers.get(name), head.headers.get(name)];
    // A server that does not know the length may omit it.
    if (one === other || (name === 'content-length' && other === null))
      continue;
    checks.violated('https-url-head', `${name}: ${one} for GET, ${other}`);
  }
}

async function checkRanges(checks: Checks, url: string, { body }: Answer) {
  const last = Math.min(body.length, 1000) - 1;
  if (last >= 1) {
    const part = await send(url, { Range: `bytes=1-${last}` });
    const range = part.headers.get('content-range');
    // A server may ignore ranges.
    const isWhole = part.status === 200 && part.body.equals(body);
    const isPart =
      part.status === 206 &&
      part.body.equals(body.subarray(1, last + 1)) &&
      range === `bytes 1-${last}/${body.length}`;
    const size = `${part.body.length} bytes`;
    checks.expect(
      'https-url-range',
      isWhole || isPart,
      `bytes 1-${last}: status ${part.status}, ${size}, range ${range}`
    );
  }
  const beyond = await send(url, { Range: `bytes=${body.length + 1}-` });
  checks.expect(
    'https-url-range-beyond',
    [200, 416].includes(beyond.status),
    `the status is ${beyond.status}`
  );
}

async function checkTags(checks: Checks, url: string, { headers }: Answer) {
  const tag = headers.get('etag');
  if (tag === null) {
    checks.notApplicable('https-url-if-none-match', 'There is no ETag');
    checks.notApplicable('https-url-if-match', 'There is no ETag');
    return;
  }
  for (const [id, header, expected] of [
    ['https-url-if-none-match', { 'If-None-Match': tag }, 304],
    ['https-url-if-match', { 'If-Match': '"no-such-tag"' }, 412]
  ] as const) {
    const { status } = await send(url, header);
    checks.expect(id, status === expected, `the status is ${status}`);
  }
}

/** Changes the end of the URL, where the token usually is. */
async function checkToken(checks: Checks, url: string, { body }: Answer) {
  // The last character of base64 may have bits that do not matter.
  const end = url.slice(-2).replace(/./g, (it) => (it === 'A' ? 'B' : 'A'));
  const answer = await send(url.slice(0, -2) + end);
  checks.expect(
    'https-url-token',
    answer.status !== 200 || !answer.body.equals(body),
    'a URL with a changed end returns the contents'
  );
}

async function checkExpired(checks: Checks, url: string, left: number) {
  if (left > WAIT * 1000) return;
  await new Promise((resolve) => setTimeout(resolve, left + 1000));
  const { status } = await send(url);
  checks.expect(
    'https-url-expired',
    status < 200 || status >= 300,
    `the status is ${status}`
  );
}
