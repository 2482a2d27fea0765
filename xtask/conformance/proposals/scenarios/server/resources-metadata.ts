/**
 * SEP-2093 test scenario for MCP servers: metadata, types, collections and the
 * contents of resources
 */

import {
  ClientScenario,
  ConformanceCheck,
  DRAFT_PROTOCOL_VERSION
} from '../../types';
import type { Connection, RunContext } from '../../connection';
import { Findings, must, should, type Requirements } from '../findings';
import { bytes, describe, isEqual, object, objects } from './proposals';
import { request, runOn, UNKNOWN_URI, walk } from './proposals';
import type { Json } from './proposals';

const SPEC_REFERENCES = [
  {
    id: 'SEP-2093',
    url: 'https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2093'
  }
];

const DOCUMENT = 'listed resource with the type "document"';
const COLLECTION = 'listed resource with the type "collection"';

const REQUIREMENTS = {
  'sep-2093-type': should('Each resource has a resourceType'),
  'sep-2093-metadata': must('resources/metadata answers for each resource'),
  'sep-2093-metadata-uri': must('The metadata are of the requested resource'),
  'sep-2093-metadata-agree': should(
    'Lists and metadata describe a resource alike'
  ),
  'sep-2093-metadata-unknown': should(
    'For an unknown resource, metadata have the error of resources/read'
  ),
  'sep-2093-document-contents': must('A document has contents', DOCUMENT),
  'sep-2093-document-uri': must(
    'All contents of a document have its URI',
    DOCUMENT
  ),
  'sep-2093-document-list': should('A document has no members', DOCUMENT),
  'sep-2093-contents-agree': should('Contents and lists agree on metadata'),
  'sep-2093-contents-name': must('Contents are resources: they have a name'),
  'sep-2093-contents-size': should(
    'size counts the bytes of the contents',
    'resource with a size'
  ),
  'sep-2093-contents-type': should(
    'One of the contents has the mimeType of the resource',
    'resource with a mimeType'
  ),
  'sep-2093-collection-list': must(
    'resources/list lists the members of a collection',
    COLLECTION
  ),
  'sep-2093-collection-once': should('A list has each resource once'),
  'sep-2093-collection-pages': must('Lists have a last page'),
  'sep-2093-unknown-list': should('An unknown resource has no members'),
  'sep-2093-embedded-annotations': must(
    'Blocks of embedded resources have no annotations of their own',
    'prompt without required arguments and with an embedded resource'
  )
} satisfies Requirements<string>;

type Checks = Findings<keyof typeof REQUIREMENTS>;

/** What lists and metadata say of a resource. */
const MEMBERS = [
  ...['name', 'title', 'description', 'mimeType', 'icons', 'annotations'],
  ...['size', 'resourceType', 'kind', 'metadata']
];

/** What contents say of their resource. */
const CONTENTS = [
  ...['name', 'title', 'description', 'annotations', 'resourceType']
];

export class ResourcesMetadataScenario implements ClientScenario {
  name = 'resources-metadata';
  readonly source = { introducedIn: DRAFT_PROTOCOL_VERSION } as const;
  description = `Test metadata, types, collections and contents of resources (SEP-2093).

**Server Implementation Requirements:**

- At least one listed resource with the type \`document\`, a \`mimeType\` and a \`size\`
- At least one listed resource with the type \`collection\`, whose members \`resources/list\` returns for its \`uri\`
- A prompt without required arguments, with an embedded resource

**Methods**: \`resources/list\`, \`resources/metadata\`, \`resources/read\`, \`prompts/get\``;

  async run(ctx: RunContext): Promise<ConformanceCheck[]> {
    const checks: Checks = new Findings(REQUIREMENTS, SPEC_REFERENCES);
    return runOn(ctx, checks, async (conn) => {
      for (const resource of await list(conn, checks)) {
        await checkMetadata(conn, checks, resource);
        await checkContents(conn, checks, resource);
      }
      await checkUnknown(conn, checks);
      await checkEmbedded(conn, checks);
    });
  }
}

async function list(conn: Connection, checks: Checks): Promise<Json[]> {
  const resources = await walk(
    conn,
    (uri, { repeated, isEndless }) => {
      const place = uri === undefined ? 'the list' : `the list of ${uri}`;
      if (uri !== undefined) checks.met('sep-2093-collection-list');
      checks.met('sep-2093-collection-once');
      for (const twice of repeated) {
        checks.violated(
          'sep-2093-collection-once',
          `${place} repeats ${twice}`
        );
      }
      checks.expect(
        'sep-2093-collection-pages',
        !isEndless,
        `${place} repeats a cursor or has no end`
      );
    },
    (uri, error) =>
      checks.violated('sep-2093-collection-list', `${uri}: ${error.message}`)
  );
  for (const { uri, resourceType } of resources) {
    const isTyped = typeof resourceType === 'string';
    checks.expect('sep-2093-type', isTyped, `${uri} has no resourceType`);
    if (resourceType !== 'document') continue;
    const members = await request(conn, 'resources/list', { uri });
    checks.expect(
      'sep-2093-document-list',
      'error' in members,
      `${uri} has a list of members`
    );
  }
  return resources;
}

async function checkMetadata(
  conn: Connection,
  checks: Checks,
  resource: Json
): Promise<void> {
  const { uri } = resource;
  const outcome = await request(conn, 'resources/metadata', { uri });
  if ('error' in outcome) {
    checks.violated('sep-2093-metadata', `${uri}: ${describe(outcome)}`);
    return;
  }
  checks.met('sep-2093-metadata');
  const found = object(outcome.result, 'resource');
  if (found.uri !== uri) {
    checks.violated('sep-2093-metadata-uri', `${uri}: the uri is ${found.uri}`);
    return;
  }
  checks.met('sep-2093-metadata-uri');
  checks.met('sep-2093-metadata-agree');
  const different = MEMBERS.filter((it) => !isEqual(found[it], resource[it]));
  if (different.length === 0) return;
  const again = await request(conn, 'resources/metadata', { uri });
  // A resource that changes all the time may differ.
  if ('error' in again || !isEqual(object(again.result, 'resource'), found)) {
    return;
  }
  checks.violated(
    'sep-2093-metadata-agree',
    `${uri}: ${different.join(', ')} differ from the list`
  );
}

async function checkContents(
  conn: Connection,
  checks: Checks,
  resource: Json
): Promise<void> {
  const { uri, mimeType, size, resourceType } = resource;
  const isDocument = resourceType === 'document';
  const outcome = await request(conn, 'resources/read', { uri });
  if ('error' in outcome) {
    // What is too large for a message may be available by URL only.
    if (isDocument && resource.httpUrl === undefined) {
      const text = `${uri}: ${describe(outcome)}`;
      checks.violated('sep-2093-document-contents', text);
    }
    return;
  }
  const contents = objects(outcome.result, 'contents');
  if (isDocument) {
    const isEmpty = contents.length === 0;
    checks.expect(
      'sep-2093-document-contents',
      !isEmpty,
      `${uri} has no contents`
    );
    for (const other of contents) {
      checks.expect(
        'sep-2093-document-uri',
        other.uri === uri,
        `${uri} has contents of ${other.uri}`
      );
    }
  }
  for (const one of contents) {
    const hasName = typeof one.name === 'string' && one.name !== '';
    checks.expect(
      'sep-2093-contents-name',
      hasName,
      `contents of ${one.uri} have no name`
    );
    checkSize(checks, `contents of ${one.uri}`, one.size, one);
  }
  const own = contents.filter((one) => one.uri === uri);
  for (const one of own) {
    const members = CONTENTS.filter((it) => it in one);
    if (members.length === 0) continue;
    const different = members.filter((it) => !isEqual(one[it], resource[it]));
    const isSame = different.length === 0;
    const text = `${uri}: ${different.join(', ')} differ from the list`;
    checks.expect('sep-2093-contents-agree', isSame, text);
  }
  if (own.length === 1) checkSize(checks, `${uri} in a list`, size, own[0]);
  if (own.length > 0 && typeof mimeType === 'string') {
    const isOffered = own.some((one) => one.mimeType === mimeType);
    checks.expect(
      'sep-2093-contents-type',
      isOffered,
      `${uri}: no contents have the type ${mimeType}`
    );
  }
}

function checkSize(
  checks: Checks,
  place: string,
  size: unknown,
  contents: Json
): void {
  const length = bytes(contents)?.length;
  if (typeof size !== 'number' || length === undefined) return;
  checks.expect(
    'sep-2093-contents-size',
    size === length,
    `${place}: size is ${size}, not ${length}`
  );
}

async function checkUnknown(conn: Connection, checks: Checks): Promise<void> {
  const uri = UNKNOWN_URI;
  const read = await request(conn, 'resources/read', { uri });
  const metadata = await request(conn, 'resources/metadata', { uri });
  const isSame =
    'error' in metadata &&
    'error' in read &&
    metadata.error.code === read.error.code;
  checks.expect(
    'sep-2093-metadata-unknown',
    isSame,
    `${describe(metadata)}, but ${describe(read)} by read`
  );
  const members = await request(conn, 'resources/list', { uri });
  checks.expect(
    'sep-2093-unknown-list',
    'error' in members,
    'resources/list returns a list'
  );
}

async function checkEmbedded(conn: Connection, checks: Checks): Promise<void> {
  const prompts = await request(conn, 'prompts/list', {});
  if ('error' in prompts) return;
  for (const prompt of objects(prompts.result, 'prompts')) {
    if (objects(prompt, 'arguments').some((it) => it.required)) continue;
    const { name } = prompt;
    const outcome = await request(conn, 'prompts/get', { name });
    if ('error' in outcome) continue;
    for (const entry of objects(outcome.result, 'messages')) {
      const block = object(entry, 'content');
      if (block.type !== 'resource') continue;
      checks.expect(
        'sep-2093-embedded-annotations',
        !('annotations' in block),
        `prompt ${name} has some`
      );
    }
  }
}
