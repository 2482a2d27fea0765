/**
 * SEP-973 test scenario for MCP servers: icons and websites
 */

import { ClientScenario, ConformanceCheck } from '../../types';
import type { Connection, RunContext } from '../../connection';
import { Findings, may, message, must, should } from '../findings';
import type { Requirements } from '../findings';
import { object, objects, request, runOn } from './proposals';
import type { Json } from './proposals';

const SPEC_REFERENCES = [
  {
    id: 'SEP-973',
    url: 'https://modelcontextprotocol.io/community/seps/973-expose-additional-metadata-for-implementations-res'
  }
];

const ICON = 'icon';
const LOADED = 'icon that can be loaded';

const REQUIREMENTS = {
  'sep-973-source': must('src is a data: URI or an https URL', ICON),
  'sep-973-origin': should('Icons are at the origin of the server', ICON),
  'sep-973-loads': must('An icon is an image that can be loaded', LOADED),
  'sep-973-mime-type': must('The image has the declared type', LOADED),
  'sep-973-svg': may('Icons have another format than SVG', LOADED),
  'sep-973-sizes': should('sizes are those of the image, or any', LOADED),
  'sep-973-choice': may(
    'There is an icon of 16, 48 and 96 pixels for both themes',
    ICON
  ),
  'sep-973-website': should('websiteUrl is an https URL', 'websiteUrl')
} satisfies Requirements<string>;

type Checks = Findings<keyof typeof REQUIREMENTS>;

/** What has icons: the capability, the method that lists it, and the member. */
const LISTS = [
  ['tools', 'tools/list', 'tools'],
  ['prompts', 'prompts/list', 'prompts'],
  ['resources', 'resources/list', 'resources'],
  ['resources', 'resources/templates/list', 'resourceTemplates']
];

const SIZES = [16, 48, 96];

export class IconsScenario implements ClientScenario {
  name = 'icons';
  readonly source = { introducedIn: '2025-11-25' } as const;
  description = `Test icons of the server, tools, prompts, resources and templates, and its website (SEP-973).

**Server Implementation Requirements:**

- At least one icon that is a \`data:\` URI, or at the origin of the server
- A \`websiteUrl\`

Icons and websites are optional. Servers without them need not run this scenario.

**Methods**: \`initialize\` or \`server/discover\`, and all that list`;

  async run(ctx: RunContext): Promise<ConformanceCheck[]> {
    const checks: Checks = new Findings(REQUIREMENTS, SPEC_REFERENCES);
    return runOn(ctx, checks, async (conn) => {
      const server = await conn.discover();
      const meta = object(server, '_meta');
      const info = {
        ...object(server, 'serverInfo'),
        ...object(meta, 'io.modelcontextprotocol/serverInfo')
      };
      checkWebsite(checks, info.websiteUrl);
      const origin = new URL(ctx.serverUrl).origin;
      await checkIcons(checks, origin, 'server', info);
      for (const [place, entry] of await listed(conn, server)) {
        await checkIcons(checks, origin, place, entry);
      }
    });
  }
}

/** Returns what the first page of each list has, with its place. */
async function listed(
  conn: Connection,
  server: Json
): Promise<[string, Json][]> {
  const found: [string, Json][] = [];
  const capabilities = object(server, 'capabilities');
  for (const [capability, method, member] of LISTS) {
    if (!(capability in capabilities)) continue;
    const outcome = await request(conn, method, {});
    if ('error' in outcome) continue;
    for (const entry of objects(outcome.result, member)) {
      found.push([`${member} ${entry.name}`, entry]);
    }
  }
  return found;
}

function checkWebsite(checks: Checks, website: unknown): void {
  if (website === undefined) {
    checks.notApplicable('sep-973-website', 'The server has no websiteUrl');
    return;
  }
  checks.expect(
    'sep-973-website',
    typeof website === 'string' &&
      URL.canParse(website) &&
      new URL(website).protocol === 'https:',
    `it is ${website}`
  );
}

async function checkIcons(
  checks: Checks,
  origin: string,
  place: string,
  entry: Json
): Promise<void> {
  const icons = objects(entry, 'icons');
  for (const [at, icon] of icons.entries()) {
    await checkIcon(checks, origin, `${place}, icon ${at + 1}`, icon);
  }
  if (icons.length === 0) return;
  for (const theme of ['light', 'dark']) {
    const fits = (size: number) => icons.some((it) => suits(it, theme, size));
    const missing = SIZES.filter((size) => !fits(size));
    checks.expect(
      'sep-973-choice',
      missing.length === 0,
      `${place}: none of ${missing.join(', ')} pixels for ${theme}`
    );
  }
}

/** Returns [width, height] of sizes such as 48x48. */
function sides(icon: Json): (number[] | string)[] {
  const sizes: unknown[] = Array.isArray(icon.sizes) ? icon.sizes : [];
  return sizes.map((size) => {
    const found = /^(\d+)x(\d+)$/.exec(String(size));
    return found ? [Number(found[1]), Number(found[2])] : String(size);
  });
}

function suits(icon: Json, theme: string, size: number): boolean {
  if (icon.theme !== undefined && icon.theme !== theme) return false;
  const all = sides(icon);
  const isLarge = (it: number[] | string) =>
    typeof it === 'string' ? it === 'any' : Math.max(...it) >= size;
  return all.length === 0 || all.some(isLarge);
}

async function checkIcon(
  checks: Checks,
  origin: string,
  place: string,
  icon: Json
): Promise<void> {
  const src = typeof icon.src === 'string' ? icon.src : '';
  const url = URL.canParse(src) ? new URL(src) : undefined;
  const isData = url?.protocol === 'data:';
  // A server that is being developed has no certificate.
  const isOwn = url?.origin === origin;
  const isAllowed = isData || isOwn || url?.protocol === 'https:';
  checks.expect('sep-973-source', isAllowed, `${place}: src is ${src}`);
  const wrong = sides(icon).filter((it) => typeof it === 'string');
  const isSize = wrong.every((it) => it === 'any');
  checks.expect('sep-973-sizes', isSize, `${place}: ${wrong.join(', ')}`);
  if (!isAllowed) return;
  checks.expect('sep-973-origin', isData || isOwn, `${place}: src is ${src}`);
  // An icon elsewhere may be at a domain that clients trust.
  if (!isData && !isOwn) return;
  let response: Response;
  let body: Buffer;
  try {
    response = await fetch(src, { redirect: 'error' });
    body = Buffer.from(await response.arrayBuffer());
  } catch (error) {
    checks.violated('sep-973-loads', `${place}: ${message(error)}`);
    return;
  }
  const image = inspect(body);
  checks.expect(
    'sep-973-loads',
    response.ok && image !== undefined,
    `${place}: status ${response.status}, ${body.length} bytes, no known image`
  );
  if (image === undefined) return;
  const sent = response.headers.get('content-type') ?? undefined;
  const types = [sent, icon.mimeType].filter(isSpecific);
  checks.expect(
    'sep-973-mime-type',
    types.every((type) => type === image.type),
    `${place}: ${image.type} is declared as ${types.join(' and ')}`
  );
  checks.expect('sep-973-svg', image.type !== SVG, `${place} is SVG`);
  const { size } = image;
  const stated = sides(icon);
  const isStated = (it: number[] | string) =>
    it === 'any' || String(it) === String(size);
  checks.expect(
    'sep-973-sizes',
    size === undefined || stated.length === 0 || stated.some(isStated),
    `${place}: sizes are ${stated.join(' and ')}, the image has ${size}`
  );
}

const SVG = 'image/svg+xml';

/** Leaves out types that say nothing: mimeType is there to override them. */
function isSpecific(type: unknown): boolean {
  return (
    typeof type === 'string' &&
    !['application/octet-stream', 'text/plain'].includes(type.split(';')[0])
  );
}

/** Returns the type of an image from its bytes, and its size if it is PNG. */
function inspect(body: Buffer): { type: string; size?: number[] } | undefined {
  const start = body.toString('latin1', 0, 1024);
  if (start.startsWith('\x89PNG\r\n\x1a\n') && body.length > 24) {
    const size = [body.readUInt32BE(16), body.readUInt32BE(20)];
    return { type: 'image/png', size };
  }
  if (start.startsWith('\xff\xd8\xff')) return { type: 'image/jpeg' };
  if (start.startsWith('GIF8')) return { type: 'image/gif' };
  if (/^RIFF....WEBP/s.test(start)) return { type: 'image/webp' };
  if (/<svg[\s>]/.test(start)) return { type: SVG };
  return undefined;
}
