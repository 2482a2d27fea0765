/**
 * Versioned resources test scenario for MCP servers: resources/get, versions,
 * "Not Modified" and filters
 */

import {
  ClientScenario,
  ConformanceCheck,
  DRAFT_PROTOCOL_VERSION
} from '../../types';
import type { Connection, JsonRpcError, RunContext } from '../../connection';
import { Findings, may, must, should, type Requirements } from '../findings';
import { bytes, describe, isEqual, listAll, object } from './proposals';
import { objects, request, runOn, UNKNOWN_URI, walk } from './proposals';
import type { Json } from './proposals';

// The proposal has no number yet: the documentation of a library describes it.
const SPEC_REFERENCES = [{ id: 'Versioned-Resources' }];

/** A version that no resource has, and a criterion that no server knows. */
const OTHER_VERSION = 'conformance-no-such-version';
const UNKNOWN_CRITERION = 'conformance-unknown';

/** The tool that changes the contents of a resource, with an argument `text`. */
const WRITE = 'write';

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

const GOT = 'resource that resources/get returns';
const VERSIONED = 'resource with a version';
const TOOL = `tool \`${WRITE}\` that changes the contents of a listed resource`;
const KIND = 'listed resource with a kind';

const REQUIREMENTS = {
  'versioned-resources-get': must(
    'resources/get returns each resource that has contents',
    'listed resource that is no collection'
  ),
  'versioned-resources-get-uri': must(
    'The result describes the requested resource',
    GOT
  ),
  'versioned-resources-get-version': must(
    'The result has the current version',
    GOT
  ),
  'versioned-resources-get-form': must(
    'Contents have a contentType, and either content or blob',
    GOT
  ),
  'versioned-resources-get-contents': must(
    'resources/get and resources/read return the same contents',
    GOT
  ),
  'versioned-resources-get-unknown': should(
    'An unknown resource is an error',
    GOT
  ),
  'versioned-resources-not-modified': may(
    'The current version is answered with the error "Not Modified"',
    VERSIONED
  ),
  'versioned-resources-not-modified-code': must(
    'The current version has no other error than "Not Modified"',
    VERSIONED
  ),
  'versioned-resources-old-version': must(
    'Any other version is answered with contents',
    VERSIONED
  ),
  'versioned-resources-versions-agree': must(
    'Lists, metadata and results have the same version of a resource',
    'resource with a version in a list or in metadata'
  ),
  'versioned-resources-version-changes': should(
    'The version changes whenever the contents do',
    TOOL
  ),
  'versioned-resources-version-stays': should(
    'The version of contents that did not change stays',
    TOOL
  ),
  'versioned-resources-filter': must(
    'A filter for a kind selects exactly the resources of this kind',
    KIND
  ),
  'versioned-resources-filter-unknown': should(
    'An unknown criterion does not select all resources'
  )
} satisfies Requirements<string>;

type Checks = Findings<keyof typeof REQUIREMENTS>;

export class ResourcesVersionsScenario implements ClientScenario {
  name = 'resources-versions';
  readonly source = { introducedIn: DRAFT_PROTOCOL_VERSION } as const;
  description = `Test versions of resources, \`resources/get\` and filters (versioned resources).

**Server Implementation Requirements:**

- At least one listed resource with a \`version\` and a \`kind\`
- At least two resources that \`resources/get\` returns
- A tool \`${WRITE}\` with an argument \`text\`, which changes the contents of one of them
- If \`resources/list\` accepts the criterion \`kind\` in \`filter\`, it selects by equality. Another criterion for kinds is the error -32602

**Methods**: \`resources/list\`, \`resources/get\`, \`resources/read\`, \`resources/metadata\`, \`tools/call\``;

  async run(ctx: RunContext): Promise<ConformanceCheck[]> {
    const checks: Checks = new Findings(REQUIREMENTS, SPEC_REFERENCES);
    return runOn(ctx, checks, async (conn) => {
      const all = await walk(conn);
      const resources = all.filter((it) => it.resourceType !== 'collection');
      for (const resource of resources) {
        await checkResource(conn, checks, resource);
      }
      const unknown = await get(conn, { uri: UNKNOWN_URI });
      const code = 'error' in unknown ? unknown.error.code : undefined;
      if (code !== METHOD_NOT_FOUND) {
        const text = 'resources/get returns a result';
        const isError = code !== undefined;
        checks.expect('versioned-resources-get-unknown', isError, text);
      }
      await checkFilters(conn, checks);
      await checkChanges(conn, checks, resources);
    });
  }
}

const get = (conn: Connection, params: Json) =>
  request(conn, 'resources/get', params);

/** The document names this error, but not its code. */
const isNotModified = (error: JsonRpcError) =>
  error.code === 304 || /not[ _-]?modified/i.test(error.message);

async function checkResource(
  conn: Connection,
  checks: Checks,
  resource: Json
): Promise<void> {
  const { uri } = resource;
  const outcome = await get(conn, { uri });
  if ('error' in outcome) {
    // What is too large for a message may be available by URL only.
    if (resource.httpUrl !== undefined) return;
    checks.violated('versioned-resources-get', `${uri}: ${describe(outcome)}`);
    return;
  }
  checks.met('versioned-resources-get');
  const found = object(outcome.result, 'resource');
  const isOwn = found.uri === uri;
  const other = `${uri}: the uri is ${found.uri}`;
  checks.expect('versioned-resources-get-uri', isOwn, other);
  const contents = object(outcome.result, 'contents');
  const { contentType } = contents;
  const isOne = 'content' in contents !== 'blob' in contents;
  const body = isOne ? bytes(contents, 'content') : undefined;
  const isWellFormed = typeof contentType === 'string' && body !== undefined;
  const members = Object.keys(contents).join(', ') || 'no members';
  checks.expect(
    'versioned-resources-get-form',
    isWellFormed,
    `${uri}: the contents have ${members}`
  );
  const { version } = found;
  const hasVersion = typeof version === 'string';
  const text = `${uri} has no version`;
  checks.expect('versioned-resources-get-version', hasVersion, text);
  if (hasVersion) await checkVersion(conn, checks, resource, version);
  if (!isWellFormed) return;
  const read = await request(conn, 'resources/read', { uri });
  const again = await get(conn, { uri });
  // Contents that change all the time cannot be compared.
  if ('error' in read || !isEqual(again, outcome)) return;
  const isSame = objects(read.result, 'contents').some(
    (one) =>
      [undefined, contentType].includes(one.mimeType as string | undefined) &&
      bytes(one)?.equals(body)
  );
  checks.expect(
    'versioned-resources-get-contents',
    isSame,
    `${uri}: resources/read returns no such contents`
  );
}

async function checkVersion(
  conn: Connection,
  checks: Checks,
  resource: Json,
  version: string
): Promise<void> {
  const { uri } = resource;
  const known = await get(conn, { uri, version });
  const isOther = 'error' in known && !isNotModified(known.error);
  const text = `${uri}: ${describe(known)}`;
  checks.expect('versioned-resources-not-modified-code', !isOther, text);
  const isNew =
    'result' in known && object(known.result, 'resource').version !== version;
  const isKept = 'error' in known || isNew;
  if (!isOther) checks.expect('versioned-resources-not-modified', isKept, text);
  const old = await get(conn, { uri, version: OTHER_VERSION });
  checks.expect(
    'versioned-resources-old-version',
    'result' in old,
    `${uri}: ${describe(old)}`
  );
  const metadata = await request(conn, 'resources/metadata', { uri });
  const described =
    'result' in metadata ? object(metadata.result, 'resource') : {};
  const last = await get(conn, { uri });
  const current =
    'result' in last ? object(last.result, 'resource').version : undefined;
  for (const [place, entry] of [
    ['a list', resource],
    ['metadata', described]
  ] as const) {
    // The version may have changed since the first request.
    if (entry.version === undefined || current !== version) continue;
    checks.expect(
      'versioned-resources-versions-agree',
      entry.version === version,
      `${uri}: ${entry.version} in ${place}, ${version} in the result`
    );
  }
}

async function checkFilters(conn: Connection, checks: Checks): Promise<void> {
  const all = await listAll(conn);
  if ('error' in all) throw all.error;
  const unknown = { [UNKNOWN_CRITERION]: true };
  const selected = await listAll(conn, { filter: unknown });
  const count = 'error' in selected ? 0 : selected.resources.length;
  checks.expect(
    'versioned-resources-filter-unknown',
    count === 0,
    `it selects ${count} resources`
  );
  const kinds = new Set(all.resources.map((it) => it.kind));
  kinds.delete(undefined);
  for (const kind of kinds) {
    const found = await listAll(conn, { filter: { kind } });
    if ('error' in found) {
      const { code, message } = found.error;
      if (code === INVALID_PARAMS) {
        const reason = 'The server does not know the criterion `kind`';
        checks.notApplicable('versioned-resources-filter', reason);
        return;
      }
      checks.violated('versioned-resources-filter', `${kind}: ${message}`);
      continue;
    }
    const uris = (list: Json[]) => list.map(({ uri }) => String(uri)).sort();
    const expected = uris(all.resources.filter((it) => it.kind === kind));
    const actual = uris(found.resources);
    checks.expect(
      'versioned-resources-filter',
      isEqual(actual, expected),
      `${kind}: ${actual.join(', ')} instead of ${expected.join(', ')}`
    );
  }
}

async function checkChanges(
  conn: Connection,
  checks: Checks,
  resources: Json[]
): Promise<void> {
  const states = async () => {
    const states = new Map<unknown, [unknown, Json]>();
    for (const { uri } of resources) {
      const it = await get(conn, { uri });
      if ('error' in it) continue;
      const { version } = object(it.result, 'resource');
      states.set(uri, [version, object(it.result, 'contents')]);
    }
    return states;
  };
  const before = await states();
  const text = `Written by the conformance suite at ${Date.now()}`;
  const params = { name: WRITE, arguments: { text } };
  const called = await request(conn, 'tools/call', params);
  if ('error' in called || called.result.isError) return;
  for (const [uri, [version, contents]] of await states()) {
    const [oldVersion, oldContents] = before.get(uri) ?? [];
    if (oldContents === undefined) continue;
    const isNew = version !== oldVersion;
    const isSame = isEqual(contents, oldContents);
    checks.expect(
      `versioned-resources-version-${isSame ? 'stays' : 'changes'}`,
      isNew !== isSame,
      `${uri} has the version ${version}, before it was ${oldVersion}`
    );
  }
}
